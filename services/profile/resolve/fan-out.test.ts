/** A fan-out to 10,000 users gives others their turn, and shows nothing of itself before it is whole. */
import { unpackRecords } from "../../../platform/log/packed-records.ts";
import { Buffer } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { laneLayout } from "../../../platform/lane/layout.ts";
import { limits } from "../../../platform/limits.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import type { IdentityKey, Sharer, UserRow } from "../domain/identity/identity.ts";
import type { IntakeRecord } from "../domain/record/intake-record.ts";
import { resolveBatch } from "../domain/resolve/batch.ts";
import { nameless } from "../domain/identity/user-names.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { openSqliteProfileStore } from "../store/sqlite.ts";
import { type Effect, planEffects } from "./plan-effects.ts";
import { resolveRecords } from "./resolve-records.ts";
import { createViews } from "./views.ts";

const workspaceId = "w";
const email = "all@b.org";
const sharers = 10_000;
const options = { now: 1, undoWindowMs: 0 };

/** A view that knows all who share the email. */
function knowingViews() {
  const views = createViews();
  const users = Array.from({ length: sharers }, (_, at): UserRow => ({ ...nameless(`u${at}`), email }));
  const list = users.map(({ id }): Sharer => ({ id, identified: true, updated: [0, 1] }));
  const found = new Map<IdentityKey, unknown>([[`e:${email}`, list], ...users.map((row) => [`u:${row.id}`, row] as const)]);
  views.of(workspaceId).load([...found.keys()], found);
  return views;
}

/** A request that sets the email of all in a group. */
function decode(sequence: number): IntakeRecord {
  const update = { groupId: "g", state: "subscribed" as const, externalIds: [], emails: [email], phones: [], userIds: [] };
  const body = { type: "setMemberships" as const, updates: [update] };
  return { sequence, workspaceId, requestId: `r${sequence}`, actor: "key", receivedAt: 0, body };
}

const requests = [1, 2, 3].map((sequence) => ({ sequence, body: new Uint8Array() }));
const rows = requests.length * sharers / limits.laneUsersPerRecordMax;
/** While the lane records of all requests are encoded. */
const turnsMin = 4 * requests.length;
const shared = { partition: 0, decode, resolve: resolveBatch };

/** What the work gave, and what others saw at each of their turns while it was under way. */
async function beside<Result, Seen>(work: () => Promise<Result>, look: () => Seen): Promise<{ result: Result; seen: Seen[] }> {
  const seen: Seen[] = [];
  const state = { isOver: false };
  const others = (async () => {
    for (await setImmediate(); !state.isOver; await setImmediate()) seen.push(look());
  })();
  const result = await work().finally(() => state.isOver = true);
  await others;
  return { result, seen };
}

test("a step of fan-outs is decided and written in parts, and seen whole", async () => {
  const database = openDatabase({ path: ":memory:" });
  const { identities, steps } = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const planned = await beside(() => resolveRecords({ ...shared, identities, views: knowingViews() }, requests, options), () => 0);
  expect(planned.seen.length).toBeGreaterThanOrEqual(requests.length - 1);
  const workspaces = planned.result.workspaces.map(({ records, view }) => ({
    workspaceId,
    identities: view.changes(),
    consent: records.flatMap(({ consent }) => consent),
  }));
  const messages = () => database.prepare("SELECT body FROM lane_messages").all().map((row) => row["body"] as Uint8Array);
  const count = () => messages().flatMap(unpackRecords).length;
  const written = await beside(() => steps.commit({ partition: 0, through: 3, workspaces, deadLetters: [] }), count);
  expect(written.seen.length).toBeGreaterThanOrEqual(turnsMin);
  expect(written.seen.filter((found) => found !== 0 && found !== rows)).toEqual([]);
  expect(count()).toBe(rows);
  await database.close();
});

test("the effects of fan-outs are decided and encoded in parts, and are the same as those of each alone", async () => {
  const identities = { load: () => Promise.reject(new Error("All rows are known")) };
  const deps = { partition: 0, layout: laneLayout(1, 1), packItem: () => new Uint8Array(), encodeConsent: laneRows };
  async function plan(some: typeof requests): Promise<readonly Effect[]> {
    const resolved = await resolveRecords({ ...shared, identities, views: knowingViews() }, some, options);
    return (await planEffects(deps, resolved, { usersPerRecord: limits.laneUsersPerRecordMax, agoMs: 0 })).effects;
  }
  const planned = await beside(() => plan(requests), () => 0);
  expect(planned.seen.length).toBeGreaterThanOrEqual(requests.length - 1 + turnsMin);
  expect(planned.result).toHaveLength(rows);
  const alone = await Promise.all(requests.map((request) => plan([request])));
  const bytes = (effects: readonly Effect[]) => Buffer.concat(effects.map(({ body }) => body));
  expect(bytes(planned.result).equals(bytes(alone.flat()))).toBe(true);
});
