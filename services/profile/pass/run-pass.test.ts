/** The pass under crashes, poison and failing stores: everything counts once, and nobody waits for a neighbour's trouble. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fakeClock } from "../../../platform/clock.ts";
import type { Log } from "../../../platform/log/log.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { takeIn } from "../domain/apply-merge.ts";
import { applyRecord } from "../domain/apply-records.ts";
import { resolveBatch } from "../domain/resolve-batch.ts";
import { partitionOf } from "../intake/intake-log.ts";
import { openTestProfile, type TestOptions, type TestProfile } from "../profile-service.fixture.ts";
import type { PureSteps } from "./workspace-work.ts";

const opened: TestProfile[] = [];
const folders: string[] = [];

async function openTest(options?: TestOptions): Promise<TestProfile> {
  const profile = await openTestProfile(options);
  opened.push(profile);
  return profile;
}

async function closeTest(profile: TestProfile): Promise<void> {
  opened.splice(opened.indexOf(profile), 1);
  await profile.close();
}

function filePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-pass-"));
  folders.push(folder);
  return join(folder, "heddle.db");
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((profile) => profile.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function event(id: string, name = "seen"): object {
  return { external_id: id, name, time: "2025-01-01T00:00:00Z" };
}

/** Pure steps that throw at events of this name, after having changed the profile. */
function poisonAt(name: string): Partial<PureSteps> {
  return {
    applyRecord(profile, record) {
      const after = applyRecord(profile, record);
      if (record.change.type === "event" && record.change.name === name) throw new Error("planted");
      return after;
    },
  };
}

/** A log whose reader sees nothing, as if the process died before the pass came. */
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

describe("runPass() after a crash", () => {
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

describe("runPass() on poison", () => {
  test("holds back the user and nobody else", async () => {
    const profile = await openTest({ steps: poisonAt("bad") });
    await profile.track({ events: [event("a", "good"), event("b", "good")] });
    await profile.track({ events: [event("a", "good"), event("a", "bad"), event("b", "good"), event("a", "later")] });
    await profile.track({ events: [event("a", "later"), event("b", "later")] });
    expect(await profile.user("a")).toMatchObject({ custom_events: [{ name: "good", count: 2 }] });
    expect(await profile.user("b")).toMatchObject({ custom_events: [{ name: "good", count: 2 }, { name: "later", count: 1 }] });
    const users = [{ key: { case: "externalId" as const, value: "a" } }];
    expect((await profile.client.exportUsers({ scope: profile.scope(), users })).behind).toBe(true);
  });

  test("keeps the records durably, and applies them when the code is mended", async () => {
    const path = filePath();
    const first = await openTest({ path, steps: poisonAt("bad") });
    await first.track({ events: [event("a", "bad")] });
    await first.track({ attributes: [{ external_id: "a", color: "red" }], events: [event("a", "bad")] });
    await first.part.settled();
    await closeTest(first);
    const mended = await openTest({ path });
    await mended.track({ events: [event("a", "bad")] });
    expect(await mended.user("a")).toMatchObject({ custom_attributes: { color: "red" }, custom_events: [{ name: "bad", count: 3 }] });
  });

  test.each([
    { side: "source", source: "a", target: "b" },
    { side: "source", source: "b", target: "a" },
    { side: "target", source: "a", target: "b" },
    { side: "target", source: "b", target: "a" },
  ])("a merge of $source into $target waits for its held $side, and both come free", async ({ side, source, target }) => {
    let isMended = false;
    const bad = poisonAt("bad");
    const profile = await openTest({
      steps: { applyRecord: (user, record) => (isMended ? applyRecord : bad.applyRecord ?? applyRecord)(user, record) },
    });
    await profile.track({ events: [event("a"), event("b"), event("c")] });
    await profile.track({ events: [event(side === "source" ? source : target, "bad")] });
    await mergeUsers(profile, source, target);
    await profile.track({ events: [event(target, "after"), event("c", "after")] });
    expect(JSON.stringify(await profile.user(target))).not.toContain("after");
    expect(await profile.user("c")).toMatchObject({ custom_events: [{ name: "seen" }, { name: "after" }] });
    isMended = true;
    profile.part.redrive();
    await profile.track({ events: [event("c")] });
    const counts = (await profile.user(target))?.["custom_events"] as { name: string; count: number }[];
    expect(new Map(counts.map(({ name, count }) => [name, count]))).toEqual(new Map([["seen", 2], ["bad", 1], ["after", 1]]));
    expect(await profile.user(source)).toBeUndefined();
    expect(rowsIn(profile, "profile_held") + rowsIn(profile, "profile_held_records")).toBe(0);
  });

  test("a merge that throws holds both sides, an undo of it too, and all is right once mended", async () => {
    let isMended = false;
    const profile = await openTest({
      steps: {
        takeIn(target, source, record) {
          const merged = takeIn(target, source, record);
          if (!isMended) throw new Error("planted");
          return merged;
        },
      },
    });
    await profile.track({ events: [event("a"), event("b")] });
    const before = [await profile.user("a"), await profile.user("b")];
    const jobId = await mergeUsers(profile, "a", "b");
    await profile.client.undoMerge({ scope: profile.scope(), jobId, index: 0 });
    isMended = true;
    profile.part.redrive();
    await profile.track({ events: [event("c")] });
    expect([await profile.user("a"), await profile.user("b")]).toEqual(before);
  });

  test.each([["a", "b"], ["b", "a"]])("an undo waits for its held target, its source too (%s into %s)", async (source, target) => {
    let isMended = false;
    const bad = poisonAt("bad");
    const profile = await openTest({
      steps: { applyRecord: (user, record) => (isMended ? applyRecord : bad.applyRecord ?? applyRecord)(user, record) },
    });
    const calm = await openTest();
    for (const one of [profile, calm]) await one.track({ events: [event("a"), event("b")] });
    const jobId = await mergeUsers(profile, source, target);
    for (const one of [profile, calm]) await one.track({ events: [event(target, "bad")] });
    await profile.client.undoMerge({ scope: profile.scope(), jobId, index: 0 });
    for (const one of [profile, calm]) await one.track({ events: [event(source, "after"), event(target, "after")] });
    expect(await profile.user(source)).toBeUndefined();
    isMended = true;
    profile.part.redrive();
    await profile.track({ events: [event("c")] });
    for (const id of ["a", "b"]) expect(await profile.user(id)).toEqual(await calm.user(id));
  });

  test("a delete of a held user erases the source that waits for it", async () => {
    const profile = await openTest({ steps: poisonAt("bad") });
    await profile.track({ events: [event("a"), event("b"), event("b", "bad")] });
    await mergeUsers(profile, "a", "b");
    const key = { key: { key: { case: "externalId" as const, value: "b" } } };
    await profile.client.deleteUsers({ scope: profile.scope(), users: [key] });
    await profile.part.settled();
    const tables = ["profile_profiles", "profile_held", "profile_held_records", "profile_frozen"];
    expect(tables.map((table) => rowsIn(profile, table))).toEqual([0, 0, 0, 0]);
  });

  test("a record that cannot be resolved is set aside whole; those around it are applied, its sender is told", async () => {
    const profile = await openTest({
      resolve(view, records, options) {
        const place = records.findIndex((record) => JSON.stringify(record.body).includes("bad"));
        if (place === 0) throw new Error("planted");
        return resolveBatch(view, place < 0 ? records : records.slice(0, place), options);
      },
    });
    const answers = ["good", "bad", "good", "bad", "good"].map((name, index) => profile.track({ events: [event("a", name)] }, `key ${index}`));
    const settled = await Promise.allSettled(answers);
    expect(settled.map((answer) => answer.status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"]);
    expect(await profile.user("a")).toMatchObject({ custom_events: [{ name: "good", count: 3 }] });
    expect(rowsIn(profile, "profile_set_aside")).toBe(2);
    expect(await profile.track({ events: [event("a", "good")] }, "key 0")).toMatchObject({ replayed: true });
  });

  test("a record that cannot be read is set aside; those around it are applied", async () => {
    const profile = await openTest();
    await profile.track({ events: [event("a")] });
    await profile.log.append(partitionOf("workspace", 1), Uint8Array.of(255, 255, 255));
    await profile.track({ events: [event("a")] });
    expect(await profile.user("a")).toMatchObject({ custom_events: [{ count: 2 }] });
    expect(rowsIn(profile, "profile_set_aside")).toBe(1);
    expect(profile.part.health()).toMatchObject({ ready: true, reason: "Held users: 0, records set aside: 1" });
  });
});

describe("runPass() on a failing store", () => {
  test("says so, tries again for as long as it lasts, and skips nothing", async () => {
    const clock = fakeClock();
    let isBroken = false;
    let commits = 0;
    const profile = await openTest({
      clock,
      database: (database) =>
        failing(database, () => {
          commits += 1;
          return isBroken;
        }),
    });
    await profile.track({ events: [event("a")] });
    await profile.part.settled();
    isBroken = true;
    await profile.track({ events: [event("a")] });
    await vi.waitFor(() => expect(profile.part.health()).toMatchObject({ ready: false, reason: expect.stringContaining("planted") }));
    const before = commits;
    clock.advance(10_000);
    await vi.waitFor(() => expect(commits).toBeGreaterThan(before));
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

test("runPass() trims the log behind the checkpoint", async () => {
  const profile = await openTest();
  for (let count = 0; count < 10; count += 1) await profile.track({ events: [event("a")] });
  await profile.part.settled();
  await vi.waitFor(() => expect(rowsIn(profile, "log_records")).toBe(0));
});

async function mergeUsers(profile: TestProfile, source: string, target: string): Promise<string> {
  const { jobId } = await profile.client.mergeUsers({
    scope: profile.scope(),
    updates: [{
      source: { key: { key: { case: "externalId", value: source } } },
      target: { key: { key: { case: "externalId", value: target } } },
    }],
  });
  return jobId;
}

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
    close: () => database.close(),
  };
}

function rowsIn(profile: TestProfile, table: string): number {
  return rowsOf(profile.database, table);
}

function rowsOf(database: Database, from: string): number {
  return Number(database.handle.prepare(`SELECT count(*) AS count FROM ${from}`).get()?.["count"]);
}
