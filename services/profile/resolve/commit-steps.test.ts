/** Steps as transactions under crashes and failing stores: everything counts once, and nothing is skipped. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { limits } from "../../../platform/limits.ts";
import type { Clock } from "../../../platform/clock.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import type { Log } from "../../../platform/log/log.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { PureSteps } from "../apply/pure-steps.ts";
import { applyRecord } from "../domain/profile/apply-records.ts";
import { event, mergeUsers, rowsIn, testProfiles, usersKnown } from "../profile-service.fixture.ts";

const { open: openTest, close: closeTest } = testProfiles();
const folders: string[] = [];

function filePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-pass-"));
  folders.push(folder);
  return join(folder, "heddle.db");
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A log whose reader sees nothing, as if the process died before it was resolved. */
function unread(log: Log): Log {
  return { ...bound(log), read: () => Promise.resolve([]) };
}

function bound(log: Log): Log {
  return {
    partitions: log.partitions,
    append: (partition, record, priority) => log.append(partition, record, priority),
    tail: (partition) => log.tail(partition),
    read: (partition, after, options) => log.read(partition, after, options),
    watch: (listener) => log.watch(listener),
    trim: (partition, through) => log.trim(partition, through),
    close: () => log.close(),
  };
}

describe("one process sweeps", () => {
  test("merges that nobody touches again, answers and jobs: no identity row outlives its time but those of users and of whom they took in", async () => {
    const clock = fakeClock();
    const profile = await openTest({ clock, undoWindowMs: 1000 });
    await profile.track({ events: [event("a"), event("b"), event("c")] }, "k");
    await mergeUsers(profile, "a", "b");
    const jobId = await mergeUsers(profile, "b", "c");
    await profile.part.settled();
    expect(identityKinds(profile)).toEqual({ j: 2, m: 2, r: 1, t: 2, x: 3 });
    clock.advance(2 * hourMs);
    await profile.track({ events: [event("d")] });
    await profile.part.settled();
    expect(identityKinds(profile)).toEqual({ j: 2, r: 1, t: 2, x: 2 });
    expect(await profile.user("a")).toBeUndefined();
    clock.advance(8 * 24 * hourMs);
    await profile.track({ events: [event("d")] });
    await profile.part.settled();
    expect(identityKinds(profile)).toEqual({ j: 2, t: 2, x: 2 });
    clock.advance(30 * 24 * hourMs);
    await profile.track({ events: [event("d")] });
    await profile.part.settled();
    expect(identityKinds(profile)).toEqual({ t: 2, x: 2 });
    await expect(profile.client.getMergeStatus({ scope: profile.scope(), jobId })).rejects.toMatchObject({ reason: "NOT_FOUND" });
    expect(await profile.user("c")).toMatchObject({ custom_events: [{ count: 3 }] });
  });

  test("all of them, also when nothing else happens", async () => {
    const clock = fakeClock();
    const profile = await openTest({ clock });
    await profile.database.write(() => {
      profile.database.handle.exec(`INSERT INTO profile_workspaces (number, workspace_id) VALUES (1, 'workspace');
        WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 2500)
        INSERT INTO profile_identities (workspace, key, body, expires_at) SELECT 1, 'r:' || n, '{}', 1 FROM count`);
    });
    clock.advance(hourMs);
    await vi.waitFor(() => expect(identityKinds(profile)).toEqual({}));
  });

  test("frozen copies, however many end at once, also behind those of as many blocked users", async () => {
    const clock = fakeClock();
    const profile = await openTest({ clock, steps: failingAt("bad") });
    await profile.track({ events: ["a", "b", "c", "d"].map((id) => event(id)) });
    for (const [source, target] of [["a", "b"], ["c", "d"]] as const) {
      await mergeUsers(profile, source, target);
      await profile.part.settled();
      await profile.database.write(() => {
        profile.database.handle.exec(`WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 250)
          INSERT INTO profile_frozen SELECT workspace_id, '${source}' || n, target_id, undo_until, target_sequence, target_part, source,
            target_before, undone FROM profile_frozen, count WHERE undo_until = (SELECT max(undo_until) FROM profile_frozen)`);
      });
      clock.advance(1000);
      await profile.track({ events: [event("b", "bad")] });
    }
    await profile.part.settled();
    expect(rowsIn(profile, "profile_frozen")).toBe(502);
    clock.advance(8 * 24 * hourMs);
    await profile.track({ events: [event("e")] });
    await expect.poll(() => rowsIn(profile, "profile_frozen"), { timeout: 10_000 }).toBe(251);
    expect(rowsIn(profile, "profile_frozen WHERE merge_id LIKE 'c%'")).toBe(0);
  });

  test("nothing twice: a clock that was set back over a restart does not bring back what is over", async () => {
    const path = filePath();
    const clock = fakeClock();
    const first = await openTest({ path, clock, undoWindowMs: 1000 });
    await first.track({ events: [event("a"), event("b")] });
    const jobId = await mergeUsers(first, "a", "b");
    await first.part.settled();
    // Over, and not erased yet
    clock.advance(hourMs / 6);
    await first.track({ events: [event("c")] });
    await first.part.settled();
    await closeTest(first);
    const again = await openTest({ path, clock: fakeClock(), undoWindowMs: 1000 });
    const undo = again.client.undoMerge({ scope: again.scope(), jobId, index: 0 });
    await expect(undo).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
    expect(again.part.health()).toEqual({ ready: true });
  });
});

const hourMs = 3_600_000;

/** Pure steps that throw at events of this name. */
function failingAt(name: string): Partial<PureSteps> {
  return {
    applyRecord(profile, record) {
      if (record.change.type === "event" && record.change.name === name) throw new Error("planted");
      return applyRecord(profile, record);
    },
  };
}

/** How many rows there are of each kind, but for those of users. */
/** But for counts, which are bounded by time in another way: see count-step.test.ts. */
function identityKinds({ database }: { database: Database }): Record<string, number> {
  const rows = database.handle.prepare(`SELECT substr(key, 1, 1) AS kind, count(*) AS count FROM profile_identities
    WHERE key NOT LIKE 'n:%' GROUP BY 1`).all();
  return Object.fromEntries(rows.map((row) => [String(row["kind"]), Number(row["count"])]));
}

test("the job of a merge that is not decided yet is not called unknown", async () => {
  const clock = fakeClock();
  const profile = await openTest({ clock, log: unread });
  const status = profile.client.getMergeStatus({ scope: profile.scope(), jobId: await mergeUsers(profile, "a", "b") });
  const over = vi.fn<(error: unknown) => void>();
  void status.catch(over);
  await vi.waitFor(() => {
    clock.advance(limits.readWaitMs);
    expect(over).toHaveBeenCalled();
  });
  await expect(status).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
});

describe("one process after a crash", () => {
  test("applies what was appended and not read, once", async () => {
    const path = filePath();
    const first = await openTest({ path, log: unread });
    for (let count = 0; count < 5; count += 1) await first.track({ events: [event("a")] });
    await closeTest(first);
    for (let start = 0; start < 3; start += 1) {
      const again = await openTest({ path });
      await again.part.settled();
      expect(await again.user("a")).toMatchObject({ custom_events: [{ count: 5 }] });
      await closeTest(again);
    }
  });

  test("applies a step again whose commit did not last", async () => {
    const path = filePath();
    let isBroken = false;
    const first = await openTest({ path, database: (database) => failing(database, () => isBroken) });
    isBroken = true;
    await first.track({ events: [event("a")] });
    await closeTest(first);
    const again = await openTest({ path });
    await again.part.settled();
    expect(await again.user("a")).toMatchObject({ custom_events: [{ count: 1 }] });
  });

  test("knows the idempotency keys of before", async () => {
    const path = filePath();
    const first = await openTest({ path });
    const answer = await first.track({ events: [event("a")] }, "k");
    await closeTest(first);
    const again = await openTest({ path });
    expect(await again.track({ events: [event("a")] }, "k")).toMatchObject({ replayed: true, eventsProcessed: 1 });
    await expect(again.track({ events: [event("b")] }, "k")).rejects.toMatchObject({ reason: "IDEMPOTENCY_KEY_REUSED" });
    expect(await again.user("a")).toMatchObject({ custom_events: [{ count: 1 }] });
    expect(answer.replayed).toBe(false);
  });

  test("gives the ids and rows that an undisturbed run gives", async () => {
    const calm = await openTest();
    const path = filePath();
    let shaken = await openTest({ path });
    for (let round = 0; round < 10; round += 1) {
      const body = { attributes: [{ external_id: `u${round % 3}`, round: { inc: round } }], events: [event(`u${round % 4}`)] };
      await calm.track(body);
      await shaken.track(body);
      await closeTest(shaken);
      shaken = await openTest({ path });
    }
    for (const id of ["u0", "u1", "u2", "u3"]) expect(await shaken.user(id)).toEqual(await calm.user(id));
  });
});

describe("one process on a failing store", () => {
  test("says so, in ever fewer lines, tries again for as long as it lasts, and skips nothing", async () => {
    const clock = fakeClock();
    let isBroken = false;
    const failures: unknown[] = [];
    const profile = await openTest({
      clock,
      logger: { ...silentLogger, error: (event, _, fields) => event === "resolver_failed" && failures.push(fields?.["failures"]) },
      database: (database) => failing(database, () => isBroken),
    });
    await profile.track({ events: [event("a")] });
    await profile.part.settled();
    isBroken = true;
    await profile.track({ events: [event("a")] });
    await vi.waitFor(() => expect(profile.part.health()).toMatchObject({ ready: false, reason: expect.stringContaining("planted") }));
    await vi.waitFor(() => {
      clock.advance(10_000);
      expect(failures).toContain(8);
    });
    expect(failures).toEqual([1, 2, 4, 8]);
    isBroken = false;
    const settled = profile.part.settled();
    await vi.waitFor(async () => {
      clock.advance(10_000);
      expect(profile.part.health().ready).toBe(true);
    });
    await settled;
    expect(await profile.user("a")).toMatchObject({ custom_events: [{ count: 2 }] });
  });

  test("a merge whose commit failed freezes both sides as they were", async () => {
    const clock = fakeClock();
    let isBroken = false;
    const profile = await openTest({ clock, database: (database) => failing(database, () => isBroken) });
    await profile.track({ events: [event("a"), event("b")] });
    const before = [await profile.user("a"), await profile.user("b")];
    isBroken = true;
    const jobId = await mergeUsers(profile, "a", "b");
    await vi.waitFor(() => expect(profile.part.health().ready).toBe(false));
    isBroken = false;
    clock.advance(10_000);
    await profile.part.settled();
    expect(await profile.user("b")).toMatchObject({ custom_events: [{ count: 2 }] });
    await profile.client.undoMerge({ scope: profile.scope(), jobId, index: 0 });
    expect([await profile.user("a"), await profile.user("b")]).toEqual(before);
  });

  test("an unknown outcome that did happen is not applied twice", async () => {
    const clock = fakeClock();
    let isLosing = false;
    const profile = await openTest({
      clock,
      database: (database) => ({
        ...boundDatabase(database),
        async write(work) {
          const result = await database.write(work);
          if (!isLosing) return result;
          isLosing = false;
          throw new Refusal("OUTCOME_UNKNOWN");
        },
      }),
    });
    isLosing = true;
    await profile.track({ events: [event("a")] });
    await vi.waitFor(() => expect(profile.part.health().ready).toBe(false));
    clock.advance(10_000);
    await profile.part.settled();
    await profile.track({ events: [event("a")] });
    expect(await profile.user("a")).toMatchObject({ custom_events: [{ count: 2 }] });
  });
});

test("one process trims the log behind the checkpoint", async () => {
  const clock = fakeClock();
  const profile = await openTest({ clock });
  for (let count = 0; count < 10; count += 1) await profile.track({ events: [event("a")] });
  await profile.part.settled();
  // A transaction for each step would cost as much as the step
  expect(rowsIn(profile, "log_records")).toBe(10);
  clock.advance(limits.logTrimMs);
  await vi.waitFor(() => expect(rowsIn(profile, "log_records")).toBe(0));
});

test("one process rests after a step of several records, until somebody waits for the next one", async () => {
  let [elapsed, rests] = [0, 0];
  const clock: Clock = {
    ...fakeClock(),
    monotonic: () => (elapsed += 1),
    after(ms) {
      if (ms <= limits.stepsApartMs) rests += 1;
      return () => {};
    },
  };
  const profile = await openTest({ clock });
  await Promise.all([profile.track({ events: [event("a")] }), profile.track({ events: [event("b")] })]);
  await vi.waitFor(() => expect(rests).toBe(1));
  await Promise.all([profile.track({ events: [event("c")] }), profile.track({ events: [event("d")] })]);
  expect(rowsIn(profile, usersKnown)).toBe(2);
  expect(await profile.user("d")).toMatchObject({ custom_events: [{ count: 1 }] });
});

/** A database that refuses writes while `isBroken` says so; the log has its own way to it. */
function failing(database: Database, isBroken: () => boolean): Database {
  return {
    ...boundDatabase(database),
    write(work) {
      return isBroken() ? Promise.reject(new Refusal("STORE_UNAVAILABLE", "planted")) : database.write(work);
    },
  };
}

function boundDatabase(database: Database): Database {
  return {
    write: (work) => database.write(work),
    prepare: (sql) => database.prepare(sql),
    handle: database.handle,
    durable: () => database.durable(),
    close: () => database.close(),
  };
}
