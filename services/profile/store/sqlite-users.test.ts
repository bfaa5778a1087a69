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
  ["0020000000000000a4d27015", 0],
  ["000000000001a4d27015", 0],
  ["user-1", 0],
  ["", 0],
] as const;

test.each(cases)("placeOf(%j) is %i", (id, place) => {
  expect(placeOf(id)).toBe(place);
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
