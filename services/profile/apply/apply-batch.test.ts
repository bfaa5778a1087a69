/** Users of several workspaces in one batch of a lane. */
import { expect, test } from "vitest";
import type { Addressed } from "../domain/resolve/lane-item.ts";
import type { StoredUser, UserTables } from "../domain/ports.ts";
import type { ProfileChange } from "../domain/profile/profile-record.ts";
import { profileFromRow, profileToRow } from "../store/rows.ts";
import type { ApplyDeps } from "./slow-path.ts";
import { applyBatch } from "./apply-batch.ts";
import type { Pace } from "./pace.ts";
import { pureSteps } from "./pure-steps.ts";
import { createUserCache } from "./user-cache.ts";

const noUser: StoredUser = { profile: undefined, row: "", blocked: false, openMerges: [] };

/** Of a user whose id says the workspace, as ids do. */
function created(workspaceId: string): Addressed {
  return { workspaceId, item: { type: "record", record: { userId: workspaceId, mark: [1, 0], now: 1, change: { type: "create" } } } };
}

/** Reads answer once `readers` of them are under way, or the loop had nothing else to do. */
function depsOf(readers: number, pace?: Pace): { readonly deps: ApplyDeps; readonly mostAtOnce: () => number } {
  let [underWay, most] = [0, 0];
  const all = Promise.withResolvers<void>();
  const profiles = {
    async loadUsers(_: string, ids: readonly string[]) {
      underWay += 1;
      most = Math.max(most, underWay);
      if (underWay === readers) all.resolve();
      await Promise.race([all.promise, new Promise((resolve) => setImmediate(resolve))]);
      underWay -= 1;
      return new Map(ids.map((id) => [id, noUser]));
    },
    loadBlocked: () => Promise.resolve(new Map()),
    forgetMerges: () => Promise.resolve(),
    async save({ users }: Parameters<UserTables["save"]>[0]) {
      return { rows: new Map([...users.values()].flatMap(({ profile }) => profile === null ? [] : [[profile, profileToRow(profile)]])) };
    },
  } as Partial<UserTables> as UserTables;
  const deps = {
    profiles,
    steps: pureSteps,
    cache: createUserCache({ bytesMax: 1_000_000, entryBytes: 1, rowBytesMax: 0, profileFromRow, profileToRow }),
    holds: new Map(),
    eventsOf: () => [],
    publish: () => Promise.resolve(),
    announce: () => Promise.resolve(),
    ...(pace && { pace }),
  };
  return { deps, mostAtOnce: () => most };
}

test("applyBatch() reads users of several workspaces at the same time, and saves all of them", async () => {
  const { deps, mostAtOnce } = depsOf(3);
  await applyBatch(deps, ["u", "v", "w"].map(created));
  expect(mostAtOnce()).toBe(3);
  expect(["u", "v", "w"].map((workspaceId) => deps.cache.get(workspaceId, workspaceId)?.mark)).toEqual([[1, 0], [1, 0], [1, 0]]);
});

test("applyBatch() works on one workspace after the other where a pace measures its work", async () => {
  const { deps, mostAtOnce } = depsOf(3, { begin: () => {}, rest: () => Promise.resolve() });
  await applyBatch(deps, ["u", "v", "w"].map(created));
  expect(mostAtOnce()).toBe(1);
});

test("applyBatch() waits for no event of users who are deleted: the position of the lane does", async () => {
  const { deps } = depsOf(1);
  let published = 0;
  const eventsOf: ApplyDeps["eventsOf"] = (scope, records) =>
    records.map(({ userId }) => ({ scope, subject: "s", key: userId, eventId: userId, body: new Uint8Array() }));
  function publish(): Promise<void> {
    published += 1;
    return new Promise(() => {});
  }
  const ids = ["a", "b", "c"];
  const deletes = ids.map((userId): Addressed => ({
    workspaceId: "w",
    item: { type: "record", record: { userId, mark: [1, 0], now: 1, change: { type: "delete" } } },
  }));
  const slow = await applyBatch({ ...deps, eventsOf, publish }, deletes);
  expect([slow.map(({ userId }) => userId), published]).toEqual([ids, ids.length]);
});

test("applyBatch() works on users who need more than their row at the same time, and last on those who wait for another", async () => {
  const { deps, mostAtOnce } = depsOf(3);
  const order: string[] = [];
  const loadBlocked: UserTables["loadBlocked"] = async (_, ids) => {
    order.push(...ids);
    return new Map();
  };
  function item(userId: string, change: ProfileChange): Addressed {
    return { workspaceId: "w", item: { type: "record", record: { userId, mark: [1, 0], now: 1, change } } };
  }
  const awaiting = item("target", { type: "await", mergeId: "m", sourceId: "source", undoUntil: 0 });
  const items = [awaiting, ...["a", "b", "c"].map((userId) => item(userId, { type: "delete" }))];
  const profiles = { ...deps.profiles, loadBlocked, loadHandoffs: () => Promise.resolve(new Map()) };
  const slow = await applyBatch({ ...deps, profiles }, items);
  expect([order, slow.map(({ userId, blocked }) => [userId, blocked])]).toEqual([
    ["a", "b", "c", "target"],
    [["a", false], ["b", false], ["c", false], ["target", true]],
  ]);
  expect(mostAtOnce()).toBe(3);
});
