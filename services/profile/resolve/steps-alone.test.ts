/** Steps as transactions by themselves: what is counted, how late it is, and when others get a turn. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { type Database, openDatabase } from "../../../platform/sqlite/database.ts";
import { type PureSteps, pureSteps } from "../apply/pure-steps.ts";
import { createUserCache } from "../apply/user-cache.ts";
import type { ConsentRecord } from "../domain/ports.ts";
import type { ProfileChange, ProfileRecord } from "../domain/profile/profile-record.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { openSqliteProfileStore, type ProfileTables } from "../store/sqlite.ts";
import { type CommitDeps, CommittedSteps } from "./commit-steps.ts";
import type { Resolved } from "./resolve-records.ts";
import { createViews } from "./views.ts";
import { profileFromRow, profileToRow } from "../store/rows.ts";

let database: Database;
let tables: ProfileTables;
let clock: ReturnType<typeof fakeClock>;
let listed: number;
let isUncountable: boolean;

beforeEach(async () => {
  database = openDatabase({ path: ":memory:" });
  tables = await openSqliteProfileStore({ database, encodeLane: laneRows });
  clock = fakeClock();
  listed = 0;
  isUncountable = false;
});
afterEach(() => database.close());

async function openSteps(more: Partial<CommitDeps> = {}): Promise<CommittedSteps> {
  const steps = new CommittedSteps({
    partition: 0,
    log: { append: () => Promise.resolve(1), trim: () => Promise.resolve() },
    store: tables.steps,
    identities: tables.identities,
    profiles: {
      ...tables.profiles,
      listSetAside(max) {
        listed += 1;
        return isUncountable ? Promise.reject(new Error("planted")) : tables.profiles.listSetAside(max);
      },
    },
    pureSteps,
    cache: createUserCache({ bytesMax: 1_000_000, entryBytes: 1, rowBytesMax: 0, profileFromRow, profileToRow }),
    views: createViews(),
    eventsOf: () => [],
    clock,
    logger: silentLogger,
    owns: () => true,
    onConsent: () => {},
    ...more,
  });
  await steps.takeOver();
  await steps.upkeep?.(() => clock.now());
  listed = 0;
  return steps;
}

function resolvedOf(
  records: readonly ProfileRecord[],
  workspaceIds: readonly string[] = ["w"],
  consent: readonly ConsentRecord[] = [],
): Resolved {
  const workspaces = workspaceIds.map((workspaceId) => ({
    workspaceId,
    view: createViews().of(workspaceId),
    records: [{ sequence: 1, profiles: records, consent, forgotten: [] }],
    origins: [],
  }));
  return { workspaces, outcomes: [], deadLetters: [], traces: [] };
}

function record(userId: string, sequence: number, change: ProfileChange): ProfileRecord {
  return { userId, mark: [sequence, 0], now: sequence, change };
}

function created(userId: string, sequence = 1): ProfileRecord {
  return record(userId, sequence, { type: "create" });
}

function event(userId: string, sequence: number): ProfileRecord {
  return record(userId, sequence, { type: "event", name: "e", time: 0 });
}

async function commit(steps: CommittedSteps, through: number, resolved: Resolved, bytes = 100): Promise<void> {
  const records = [{ sequence: through, body: new Uint8Array(bytes) }];
  await steps.commit(resolved, { records, through, now: clock.now(), began: clock.monotonic() });
}

function throwing(): PureSteps {
  return {
    ...pureSteps,
    applyRecord(profile, given) {
      if (given.change.type === "event") throw new Error("planted");
      return pureSteps.applyRecord(profile, given);
    },
  };
}

describe("CommittedSteps counts what waits", () => {
  test("when a user becomes blocked or free, not for each record of one who is", async () => {
    const steps = await openSteps({ pureSteps: throwing() });
    await commit(steps, 1, resolvedOf([created("a")]));
    expect(listed).toBe(0);
    await commit(steps, 2, resolvedOf([event("a", 2)]));
    expect([listed, steps.backlog.blockedUsers]).toEqual([1, 1]);
    for (const sequence of [3, 4, 5]) await commit(steps, sequence, resolvedOf([event("a", sequence)]));
    expect([listed, steps.backlog.blockedUsers]).toEqual([1, 1]);
    await commit(steps, 6, resolvedOf([record("a", 6, { type: "delete" })]));
    expect([listed, steps.backlog.blockedUsers]).toEqual([2, 0]);
  });
});

describe("CommittedSteps deletes a blocked user", () => {
  test("whose records all fail, in a few attempts", async () => {
    let tried = 0;
    const steps = await openSteps({
      pureSteps: {
        ...pureSteps,
        applyRecord(profile, given) {
          if (given.change.type !== "event") return pureSteps.applyRecord(profile, given);
          tried += 1;
          throw new Error("planted");
        },
      },
    });
    await commit(steps, 1, resolvedOf([created("a"), ...Array.from({ length: heldRecords }, (_, at) => event("a", at + 2))]));
    expect(steps.backlog.blockedUsers).toBe(1);
    tried = 0;
    await commit(steps, 2, resolvedOf([record("a", heldRecords + 2, { type: "delete" })]));
    expect(tried).toBe(1);
    expect(steps.backlog.blockedUsers).toBe(0);
    const user = (await tables.profiles.loadUsers("w", ["a"])).get("a");
    expect(user).toMatchObject({ profile: undefined, blocked: false, mark: [heldRecords + 2, 0] });
  });
});

const heldRecords = 3_000;

describe("CommittedSteps hands a user with failing records over", () => {
  test("with all that does not fail, also where a delete follows once it is back", async () => {
    const steps = await openSteps({
      pureSteps: {
        ...pureSteps,
        applyRecord(profile, given) {
          if (given.change.type === "event" && given.mark[0] === 2) throw new Error("planted");
          return pureSteps.applyRecord(profile, given);
        },
      },
    });
    const merge = { mergeId: "m", undoUntil: 0 };
    await commit(steps, 1, resolvedOf([created("a"), created("b"), event("a", 2), event("a", 3)]));
    await commit(
      steps,
      4,
      resolvedOf([
        record("a", 4, { type: "handoff", targetId: "b", ...merge }),
        record("b", 5, { type: "await", sourceId: "a", ...merge }),
        record("a", 6, { type: "delete" }),
      ]),
    );
    const target = (await tables.profiles.load("w", ["b"])).get("b");
    expect(target?.events.get("e")?.count).toBe(1);
  });
});

describe("CommittedSteps tries again what waits", () => {
  test("of all blocked users, however many stay so, and resolves records of others meanwhile", async () => {
    const steps = await openSteps({ pureSteps: throwing() });
    const ids = Array.from({ length: limits.heldRedriveMax + 1 }, (_, at) => `u${10_000 + at}`);
    await commit(steps, 1, resolvedOf(ids.map((id) => created(id))));
    await database.write(() => {
      const hold = database.prepare("INSERT INTO profile_held (workspace_id, user_id, reason) VALUES ('w', ?, 'planted')");
      const keep = database.prepare(
        "INSERT INTO profile_held_records (workspace_id, user_id, sequence, part, body) VALUES ('w', ?, 2, 0, ?)",
      );
      for (const id of ids) hold.run(id);
      for (const id of ids.slice(0, -1)) keep.run(id, JSON.stringify(event(id, 2)));
    });
    let isDone = false;
    const done = steps.redrive({ skips: [], deadLetters: true }).then(() => (isDone = true));
    for (let turns = 0; turns < 2; turns += 1) {
      expect(isDone).toBe(false);
      await steps.upkeep?.(() => clock.now());
    }
    await done;
    expect((await tables.profiles.listBlocked(ids.length)).map(({ userId }) => userId)).toEqual(ids.slice(0, -1));
  });
});

describe("CommittedSteps on a clock that steps back", () => {
  test("does not go behind the now of a sweep", async () => {
    const steps = await openSteps();
    await database.write(() => {
      database.handle.exec(`INSERT INTO profile_workspaces (number, workspace_id) VALUES (1, 'w');
        INSERT INTO profile_identities (workspace, key, body, expires_at) VALUES (1, 'r:k', '{}', 1)`);
    });
    clock.advance(limits.frozenSweepMs);
    const swept = clock.now();
    await steps.upkeep?.(() => swept);
    expect(await tables.steps.latestNow(0)).toBe(swept);
    expect(steps.checkpoint).toEqual({ through: 0, now: swept });
    await steps.commit(resolvedOf([created("a")]), { records: [], through: 1, now: swept - 5_000, began: 0 });
    expect(steps.checkpoint).toEqual({ through: 1, now: swept });
  });
});

describe("CommittedSteps that cannot count what waits", () => {
  test("has said how far it is, and that there is something for consent; it counts before the next step", async () => {
    let sent = 0;
    const steps = await openSteps({ pureSteps: throwing(), onConsent: () => void (sent += 1) });
    const consent: ConsentRecord[] = [
      { sequence: 1, part: 0, at: 1, requestId: "r", actor: "k", type: "membership", userId: "a", groupId: "g", state: "subscribed" },
    ];
    isUncountable = true;
    await expect(commit(steps, 1, resolvedOf([created("a"), event("a", 2)], ["w"], consent))).rejects.toThrow("planted");
    expect([steps.progress.reached, steps.checkpoint?.through, sent]).toEqual([1, 1, 1]);
    isUncountable = false;
    await steps.upkeep?.(() => clock.now());
    expect(steps.backlog.blockedUsers).toBe(1);
  });
});

describe("CommittedSteps with long steps", () => {
  const bytes = 1_000_000;
  /** Turns that others had when each piece of work began. */
  let begunAt: number[];
  let turns: number;
  let ticking: NodeJS.Immediate;

  beforeEach(() => {
    begunAt = [];
    turns = 0;
    function tick(): void {
      turns += 1;
      ticking = setImmediate(tick);
    }
    ticking = setImmediate(tick);
  });
  afterEach(() => clearImmediate(ticking));

  function work(ms: number): void {
    begunAt.push(turns);
    clock.advance(ms);
  }

  test("of several workspaces: others get a turn between them, and all of them say how much the next one takes", async () => {
    let ms = 1;
    const steps = await openSteps({
      pureSteps: {
        ...pureSteps,
        applyRecord(profile, given) {
          work(ms);
          ms = 50;
          return pureSteps.applyRecord(profile, given);
        },
      },
    });
    await commit(steps, 1, resolvedOf([created("a")], ["v", "w", "x"]), bytes);
    expect(new Set(begunAt).size).toBe(3);
    // 1 MB in 101 ms, weighed with the 16 KiB in 10 ms of the start
    expect(steps.bytesMax()).toBeLessThan(60_000);
  });

  test("of deletes alone: others get a turn about as often as is aimed at, and the next one takes less", async () => {
    const ids = Array.from({ length: 20 }, (_, at) => `u${at}`);
    const steps = await openSteps({
      eventsOf(_workspaceId, records) {
        if (records.some(({ change }) => change.type === "delete")) work(5);
        return [];
      },
    });
    await commit(steps, 1, resolvedOf(ids.map((id) => created(id))), 1);
    await commit(steps, 2, resolvedOf(ids.map((id) => record(id, 2, { type: "delete" }))), bytes);
    expect(begunAt.length).toBeGreaterThanOrEqual(ids.length);
    expect(new Set(begunAt).size).toBeGreaterThanOrEqual(ids.length / 3);
    expect(steps.bytesMax()).toBeLessThan(60_000);
  });

  test("in which events and texts take long: that does not make the next one smaller", async () => {
    const steps = await openSteps({
      eventsOf() {
        work(1_000);
        return [];
      },
    });
    await commit(steps, 1, resolvedOf([created("a")], ["v", "w"]), bytes);
    expect(steps.bytesMax()).toBe(limits.stepReadBytesMax);
  });
});
