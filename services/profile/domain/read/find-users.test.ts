/** Who is named, in which order, and how often the store is asked. */
import { expect, test } from "vitest";
import { findUsers, type ReadKey } from "./find-users.ts";
import type { IdentityKey, Sharer, UserRow } from "../identity/identity.ts";
import { nameless } from "../identity/user-names.ts";

const [ann, bob] = ["ann", "bob"].map((id): UserRow => ({ ...nameless(id), externalId: id }));

const rows = new Map<IdentityKey, unknown>([
  ["x:ann", "ann"],
  ["x:bob", "bob"],
  // Merged away: the name stays, the row of the user does not
  ["x:gone", "gone"],
  ["a:label\u0000name", "ann"],
  ["e:both@x.org", [sharer("ann", true), sharer("bob", false)]],
  ["p:+4912345678", [sharer("gone", true), sharer("bob", false)]],
  ["t:gone", "ann"],
  ["d:phone", "bob"],
  ["d:lost", "gone"],
  ["t:lost", "deleted"],
  ["u:ann", ann],
  ["u:bob", bob],
]);

function sharer(id: string, identified: boolean): Sharer {
  return { id, identified, updated: [1, 0] };
}

async function find(keys: readonly ReadKey[]) {
  const asked: (readonly IdentityKey[])[] = [];
  const found = await findUsers(
    {
      load(_, wanted) {
        asked.push(wanted);
        return Promise.resolve(new Map(wanted.flatMap((key) => rows.has(key) ? [[key, rows.get(key)] as const] : [])));
      },
    },
    "w",
    keys,
  );
  return { found: found.map((users) => users.map(({ id }) => id)), asked };
}

const cases: [string, ReadKey, string[]][] = [
  ["an external id", { by: "externalId", id: "ann" }, ["ann"]],
  ["an external id that nobody has", { by: "externalId", id: "none" }, []],
  ["an external id that points to a user who was merged away", { by: "externalId", id: "gone" }, []],
  ["an alias", { by: "alias", label: "label", name: "name" }, ["ann"]],
  ["an id of ours", { by: "platformId", id: "bob" }, ["bob"]],
  ["an id of ours that nobody has", { by: "platformId", id: "none" }, []],
  ["an id of ours whose user was merged away", { by: "platformId", id: "gone" }, ["ann"]],
  ["an id of ours whose user was taken in by one that is gone", { by: "platformId", id: "lost" }, []],
  ["an email: all who share it, the one that data goes to first", { by: "email", address: "both@x.org" }, ["ann", "bob"]],
  ["a device", { by: "device", id: "phone" }, ["bob"]],
  ["a device that nobody has", { by: "device", id: "none" }, []],
  ["a device of a user who is gone", { by: "device", id: "lost" }, []],
  ["a phone: those who live", { by: "phone", number: "+4912345678" }, ["bob"]],
];

test.each(cases)("%s", async (_, key, expected) => {
  expect((await find([key])).found).toEqual([expected]);
});

test("many keys: one answer each, in their order, of two reads in which no row is asked for twice", async () => {
  const keys = [...cases, ...cases].map(([, key]) => key);
  const { found, asked } = await find(keys);
  expect(found).toEqual([...cases, ...cases].map(([, , expected]) => expected));
  expect(asked).toHaveLength(2);
  expect(new Set(asked.flat()).size).toBe(asked.flat().length);
});

test("ids of ours are read once", async () => {
  expect((await find([{ by: "platformId", id: "ann" }])).asked).toEqual([["u:ann", "t:ann"]]);
});
