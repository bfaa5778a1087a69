/** Places of users: where a row lies never changes whose row it is. */
import { expect, test } from "vitest";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import type { Step, WorkspaceStep } from "../domain/ports.ts";
import type { Profile } from "../domain/profile.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { openSqliteProfileStore } from "./sqlite.ts";
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
  const { identities, profiles, steps } = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const ids = Array.from({ length: 300 }, (_, at) => `0${(2 ** 40 * 3 + at).toString(16)}0001aaaaaaaa`);
  await steps.commit(stepOf({
    profiles: new Map(ids.map((id, at) => [id, profileOf(id, at)])),
    identities: new Map(ids.map((id) => [`u:${id}` as const, { id }])),
  }));
  expect(database.prepare("SELECT count(*) AS count FROM profile_profiles WHERE place < 0").get()?.["count"]).toBe(0);
  expect((await profiles.load("w", ids)).size).toBe(ids.length);
  expect((await identities.load("w", ids.map((id) => `u:${id}` as const))).size).toBe(ids.length);
  expect((await profiles.page("w", "", 9)).map(({ id }) => id)).toEqual(ids.slice(0, 9));
  await database.close();
});

test("a user of a later epoch whom an earlier build put at a negative place keeps that row", async () => {
  const database = openDatabase({ path: ":memory:" });
  const { profiles, steps } = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const id = "0100000000010000aaaaaaaa";
  await steps.commit(stepOf({ profiles: new Map([[id, profileOf(id, 1)]]) }));
  await database.write(() => database.prepare("UPDATE profile_profiles SET place = -1").run());
  expect((await profiles.load("w", [id])).get(id)?.createdAt).toBe(1);
  await steps.commit(stepOf({ profiles: new Map([[id, profileOf(id, 2)]]) }));
  expect((await profiles.page("w", "", 9)).map(({ createdAt }) => createdAt)).toEqual([2]);
  await database.close();
});

test("users whose ids tell the same place, or none, each keep their own row", async () => {
  const database = openDatabase({ path: ":memory:" });
  const { identities, profiles, steps } = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const ids = ["0000000000010000aaaaaaaa", "0000000000010000bbbbbbbb", "stranger", "other stranger"];
  for (const id of ids) {
    await steps.commit(stepOf({ profiles: new Map([[id, profileOf(id, 1)]]) }));
    await steps.commit(stepOf({ identities: new Map([[`u:${id}` as const, { id }]]) }));
  }
  // With its first holder gone the place is free, and its second one still has the row it had
  await steps.commit(stepOf({ profiles: new Map([[ids[0] ?? "", null]]), identities: new Map([[`u:${ids[0]}` as const, undefined]]) }));
  for (const id of ids.slice(1)) await steps.commit(stepOf({ profiles: new Map([[id, profileOf(id, 2)]]) }));
  const left = ids.slice(1).sort();
  expect((await profiles.page("w", "", 9)).map(({ id, createdAt }) => [id, createdAt])).toEqual(left.map((id) => [id, 2]));
  expect([...(await profiles.load("w", ids)).keys()].sort()).toEqual(left);
  const found = await identities.load("w", ids.map((id) => `u:${id}` as const));
  expect([...found]).toEqual(ids.slice(1).map((id) => [`u:${id}`, { id }]));
  await database.close();
});

function stepOf(parts: Partial<WorkspaceStep>): Step {
  const empty = { identities: new Map(), profiles: new Map(), frozen: new Map(), journal: new Map(), held: new Map(), heldMore: new Map() };
  return { partition: 0, through: 1, workspaces: [{ workspaceId: "w", ...empty, consent: [], ...parts }], setAside: [] };
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
