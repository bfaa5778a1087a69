/** Identity rows come back from their form in memory as they were, whatever they hold. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createIdentities } from "./identities.ts";
import type { Sharer, UserRow } from "./identity.ts";
import { packSharers, packUser, unpackSharers, unpackUser } from "./packed-rows.ts";
import { emailKey, nameless, userRowKey } from "./user-names.ts";

const name = fc.oneof(fc.constant(null), fc.string(), fc.constantFrom("", "\n", "a\nb", "ä", "\u{1f600}", "\ud800"));
const addresses = fc.record({ externalId: name, email: name, phone: name });
const rest = fc.record({
  deprecatedIds: fc.array(fc.string(), { maxLength: 2 }),
  aliases: fc.array(fc.record({ label: fc.string(), name: fc.string() }), { maxLength: 1 }),
  merges: fc.array(fc.string(), { maxLength: 1 }),
  tookIn: fc.array(fc.string(), { maxLength: 2 }),
  heldEmailStatus: fc.constant("opted_in" as const),
  ofALaterBuild: fc.integer(),
}, { requiredKeys: [] });

test("a user's row comes back from its form", () => {
  fc.assert(fc.property(addresses, fc.oneof(fc.constant({}), rest), (names, others) => {
    const row: UserRow = { ...nameless("u1"), ...names, ...others };
    expect(unpackUser("u1", packUser(row))).toEqual(row);
  }));
});

test("a list of sharers comes back from its form", () => {
  const sharer = fc.record({
    id: fc.string(),
    identified: fc.boolean(),
    updated: fc.constantFrom([0, 0] as const, [0, 1] as const, [7, 3] as const),
    ofALaterBuild: fc.integer(),
  }, { requiredKeys: ["id", "identified", "updated"] });
  fc.assert(fc.property(fc.array<Sharer>(sharer, { maxLength: 3 }), (sharers) => {
    expect(unpackSharers(packSharers(sharers))).toEqual(sharers);
  }));
});

test("the rows of most users are texts", () => {
  expect(packUser({ ...nameless("u1"), externalId: "ann", phone: "+1" })).toBe("ann\n\n+1");
  expect(packUser(nameless("u1"))).toBe("\n\n");
  expect(packSharers([{ id: "u1", identified: true, updated: [0, 0] }])).toBe("u1");
});

test("what is changed is read as it is, before and after it is confirmed and when it was not read for long", () => {
  const view = createIdentities("w");
  const row: UserRow = { ...nameless("u1"), externalId: "ann", email: "ann@example.com" };
  const sharers: readonly Sharer[] = [{ id: "u1", identified: true, updated: [0, 0] }];
  view.load([userRowKey("u1"), emailKey("ann@example.com")], new Map([[userRowKey("u1"), { ...row, email: null }]]));
  expect([view.user("u1")?.email, view.sharers(emailKey("ann@example.com"))]).toEqual([null, []]);
  view.put(userRowKey("u1"), row);
  view.put(emailKey("ann@example.com"), sharers);
  const isRead = () => expect([view.user("u1"), view.sharers(emailKey("ann@example.com"))]).toEqual([row, sharers]);
  isRead();
  view.keep();
  isRead();
  view.evict(3);
  isRead();
  expect([...view.changes()]).toEqual(expect.arrayContaining([[userRowKey("u1"), row], [emailKey("ann@example.com"), sharers]]));
  view.confirm();
  view.evict(3);
  isRead();
  expect([view.stored(userRowKey("u1")), view.stored(emailKey("ann@example.com"))]).toEqual([row, sharers]);
  view.put(userRowKey("u1"), undefined);
  view.keep();
  expect([view.user("u1"), view.peek(userRowKey("u1"))]).toEqual([undefined, null]);
});
