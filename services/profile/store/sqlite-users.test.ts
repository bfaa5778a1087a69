/** Places of users: where a row lies never changes whose row it is. */
import { expect, test } from "vitest";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import type { Profile } from "../domain/profile/profile.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { changes, goneAt, stateOf } from "./rows-contract.ts";
import { sqliteIdentities, sqliteProfiles } from "./sqlite-writer.fixture.ts";
import { openSqliteProfileStore, type ProfileTables } from "./sqlite.ts";
import { placeOf } from "./sqlite-users.ts";

const cases = [
  ["0000000000010000a4d27015", 0x1_0000],
  ["00000000000a0003ffffffff", 0xa_0003],
  ["001fffffffffffffa4d27015", 2 ** 53 - 1],
  ["0020000000000000a4d27015", 2n ** 53n],
  ["0100000000010002a4d27015", 2n ** 56n + 0x1_0002n],
  ["7fffffffffff0000a4d27015", 2n ** 63n - 0x1_0000n],
  ["800000000000ffffa4d27015", 0],
  ["01000000000100gga4d27015", 0],
  ["000000000001a4d27015", 0],
  ["user-1", 0],
  ["", 0],
] as const;

test.each(cases)("placeOf(%j) is %i", (id, place) => {
  expect(placeOf(id)).toBe(place);
});

test("users of a later epoch lie at their places as those of the first do, and are found there", async () => {
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const { identities, profiles } = tables;
  const ids = Array.from({ length: 300 }, (_, at) => `0${(2 ** 40 * 3 + at).toString(16)}0001aaaaaaaa`);
  await putProfiles(tables, ids.map((id, at) => profileOf(id, at)));
  await sqliteIdentities(tables).save("w", new Map(ids.map((id) => [`u:${id}` as const, { id }])), 1);
  expect(database.prepare("SELECT count(*) AS count FROM profile_profiles WHERE place < 0").get()?.["count"]).toBe(0);
  expect((await profiles.load("w", ids)).size).toBe(ids.length);
  expect((await identities.load("w", ids.map((id) => `u:${id}` as const))).size).toBe(ids.length);
  expect((await profiles.page("w", "", 9)).map(({ id }) => id)).toEqual(ids.slice(0, 9));
  await database.close();
});

test("users of a later epoch fill as many pages as those of the first, but for the longer numbers in their rows", async () => {
  const first = await pagesOf(1_000_000);
  const later = await pagesOf(2 ** 40 * 14);
  expect(later / first).toBeLessThan(1.05);
});

/** Of five thousand users who came one after the other, from this sequence on. */
async function pagesOf(first: number): Promise<number> {
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteProfileStore({ database, encodeLane: laneRows });
  for (let from = first; from < first + 5_000; from += 50) {
    const sequences = Array.from({ length: 50 }, (_, at) => from + at);
    const some = sequences.map((sequence): Profile => {
      const id = `${sequence.toString(16).padStart(12, "0")}0001aaaaaaaa`;
      return { ...profileOf(id, 1), mark: [sequence, 0], custom: new Map([["note", "x".repeat(200)]]) };
    });
    await putProfiles(tables, some);
    await sqliteIdentities(tables).save("w", new Map(some.map(({ id }) => [`u:${id}` as const, { id }])), 1);
  }
  const pages = database.prepare("PRAGMA page_count").get()?.["page_count"];
  await database.close();
  return Number(pages);
}

test("a user of a later epoch whom an earlier build put at a negative place keeps that row", async () => {
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const { profiles } = tables;
  const id = "0100000000010000aaaaaaaa";
  await putProfiles(tables, [profileOf(id, 1)]);
  await database.write(() => database.prepare("UPDATE profile_profiles SET place = -1").run());
  expect((await profiles.load("w", [id])).get(id)?.createdAt).toBe(1);
  await putProfiles(tables, [profileOf(id, 2)]);
  expect((await profiles.page("w", "", 9)).map(({ createdAt }) => createdAt)).toEqual([2]);
  await database.close();
});

test("users whose ids tell the same place, or none, each keep their own row", async () => {
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const { identities, profiles } = tables;
  const ids = ["0000000000010000aaaaaaaa", "0000000000010000bbbbbbbb", "stranger", "other stranger"];
  for (const id of ids) {
    await putProfiles(tables, [profileOf(id, 1)]);
    await sqliteIdentities(tables).save("w", new Map([[`u:${id}` as const, { id }]]), 1);
  }
  // With its first holder gone its second one still has the row it had
  await sqliteProfiles(tables).save(changes("w", { users: new Map([[ids[0] ?? "", goneAt([2, 0])]]) }));
  await sqliteIdentities(tables).save("w", new Map([[`u:${ids[0]}` as const, undefined]]), 1);
  for (const id of ids.slice(1)) await putProfiles(tables, [profileOf(id, 2)]);
  const left = ids.slice(1).sort();
  expect((await profiles.page("w", "", 9)).map(({ id, createdAt }) => [id, createdAt])).toEqual(left.map((id) => [id, 2]));
  expect([...(await profiles.load("w", ids)).keys()].sort()).toEqual(left);
  const found = await identities.load("w", ids.map((id) => `u:${id}` as const));
  expect([...found]).toEqual(ids.slice(1).map((id) => [`u:${id}`, { id }]));
  await database.close();
});

async function putProfiles(tables: ProfileTables, some: readonly Profile[]): Promise<void> {
  await sqliteProfiles(tables).save(changes("w", { users: new Map(some.map((profile) => [profile.id, stateOf(profile)])) }));
}

function profileOf(id: string, createdAt: number): Profile {
  return {
    id,
    mark: [1, 0],
    createdAt,
    updatedAt: createdAt,
    externalId: null,
    aliases: [],
    email: null,
    phone: null,
    fields: new Map(),
    custom: new Map(),
    events: new Map(),
    purchases: new Map(),
    revenue: new Map(),
    purchaseCount: 0,
    apps: new Map(),
    devices: new Map(),
    engagements: new Map(),
    sources: { names: new Map(), fields: new Map(), custom: new Map() },
    merges: [],
  };
}
