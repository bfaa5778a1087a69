/** The reader of a lane: whoever waits sees what was there when it asked, also around failures. */
import { expect, test, vi } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { openDrain } from "./drain.ts";
import { createMemoryLane } from "./lane.fixture.ts";
import type { LaneRecord } from "./lane.ts";

function record(sequence: number, given: Partial<LaneRecord> = {}): LaneRecord {
  return { workspaceId: "w", sequence, part: 0, key: "k", body: new Uint8Array(), ...given };
}

/** One of the chunks of a fan-out to users `k<first>` and so on, as many as a chunk has. */
function chunk(sequence: number, first: number, workspaceId = "w"): LaneRecord {
  return record(sequence, { part: first, key: `k${first}`, users: limits.laneUsersPerRecordMax, workspaceId });
}

function keysOf({ key, users = 1 }: LaneRecord): string[] {
  return users === 1 ? [key] : Array.from({ length: users }, (_, at) => `k${Number(key.slice(1)) + at}`);
}

function concernOf(one: LaneRecord) {
  return { keys: keysOf(one), isOfMany: (one.users ?? 1) > 1 };
}

function openTest(options: { failures?: number; changes?: number; held?: Promise<void>; tookMs?: number } = {}) {
  const clock = fakeClock();
  const lane = createMemoryLane();
  const applied: number[] = [];
  const steps: LaneRecord[][] = [];
  let { failures = 0, changes = 0 } = options;
  const drain = openDrain({
    name: "test",
    clock,
    logger: silentLogger,
    lane,
    concernOf,
    async step({ records }) {
      await options.held;
      if (options.tookMs !== undefined) clock.advance(options.tookMs);
      if (failures > 0) {
        failures -= 1;
        throw new Error("away");
      }
      if (changes > 0) {
        changes -= 1;
        return false;
      }
      steps.push([...records]);
      for (const { sequence } of records) applied.push(sequence);
      lane.take(records);
      return true;
    },
  });
  return { clock, lane, queue: lane.records, applied, steps, drain };
}

test("drained() waits for what the lane held, in order, each record once", async () => {
  const { queue, applied, drain } = openTest();
  for (let sequence = 1; sequence <= limits.laneReadUsersMax + 5; sequence += 1) queue.push(record(sequence));
  expect(await drain.drained(Infinity)).toBe(true);
  expect(applied).toEqual(Array.from({ length: limits.laneReadUsersMax + 5 }, (_, at) => at + 1));
});

test("drained() called while a run is under way sees what came since", async () => {
  const { queue, applied, drain } = openTest();
  queue.push(record(1));
  const first = drain.drained(Infinity);
  queue.push(record(2));
  await drain.drained(Infinity);
  await first;
  expect(applied).toEqual([1, 2]);
});

test("a failed step is tried again later, says so meanwhile, and is left alone until then", async () => {
  const { queue, applied, drain, clock } = openTest({ failures: 1 });
  queue.push(record(1));
  const waiting = drain.drained(limits.passRetryMsMin * 2);
  while (drain.trouble() === undefined) await Promise.resolve();
  expect(applied).toEqual([]);
  clock.advance(limits.passRetryMsMin);
  expect(await waiting).toBe(true);
  expect(applied).toEqual([1]);
  expect(await drain.drained(Infinity)).toBe(true);
  expect(drain.trouble()).toBeUndefined();
});

test("drained() is false when the time is over, and at the end", async () => {
  const { queue, drain, clock } = openTest({ failures: 1 });
  queue.push(record(1));
  const waiting = drain.drained(1);
  while (drain.trouble() === undefined) await Promise.resolve();
  clock.advance(1);
  expect(await waiting).toBe(false);
  const ending = drain.drained(Infinity);
  await drain.close();
  expect(await ending).toBe(false);
});

test("drained() of a workspace waits for that workspace alone", async () => {
  const { queue, applied, drain } = openTest();
  queue.push(record(1), record(2, { workspaceId: "v" }));
  for (let sequence = 3; sequence <= limits.laneReadUsersMax * 3; sequence += 1) queue.push(record(sequence));
  expect(await drain.drained(Infinity, { workspaceId: "nobody's" })).toBe(true);
  expect(applied).toEqual([]);
  expect(await drain.drained(Infinity, { workspaceId: "v" })).toBe(true);
  expect(applied.length).toBeLessThanOrEqual(limits.laneReadUsersMax);
  expect(await drain.drained(Infinity, { workspaceId: "w" })).toBe(true);
  expect(applied).toHaveLength(limits.laneReadUsersMax * 3);
});

test("a step that was not done is read again", async () => {
  const { queue, applied, drain } = openTest({ changes: 2 });
  queue.push(record(1), record(2));
  expect(await drain.drained(Infinity)).toBe(true);
  expect(applied).toEqual([1, 2]);
});

test("what is put back goes before what was read already", async () => {
  const { lane, applied, drain } = openTest();
  for (let sequence = 2; sequence <= limits.laneReadUsersMax * 2; sequence += 1) lane.records.push(record(sequence));
  const all = drain.drained(Infinity);
  lane.putBack([record(1)]);
  await all;
  const later = applied.slice(applied.indexOf(1));
  expect(later).toEqual(later.toSorted((a, b) => a - b));
  expect(applied).toHaveLength(limits.laneReadUsersMax * 2);
});

const chunks = 50;

/** A fan-out of which nothing is applied yet, and records behind it. */
function openFanOut(behind: readonly LaneRecord[]) {
  let release = (): void => {};
  const test = openTest({ held: new Promise((resolve) => release = resolve) });
  for (let at = 0; at < chunks; at += 1) test.queue.push(chunk(1, at * limits.laneUsersPerRecordMax));
  test.queue.push(...behind);
  test.drain.notify();
  return { ...test, release };
}

test("nobody waits for a fan-out to others, in the same workspace either", async () => {
  const { drain, applied, release } = openFanOut([record(2, { key: "other" })]);
  release();
  expect(await drain.drained(Infinity, { workspaceId: "w", keys: ["other"] })).toBe(true);
  expect(applied).toContain(2);
  expect(applied.length).toBeLessThan(chunks / 2);
  expect(await drain.drained(Infinity, { workspaceId: "w", keys: ["nobody"] })).toBe(true);
  expect(applied.length).toBeLessThan(chunks / 2);
  expect(await drain.drained(Infinity)).toBe(true);
  expect(applied).toHaveLength(chunks + 1);
});

test("who is looked for in a fan-out is served first", async () => {
  const last = `k${chunks * limits.laneUsersPerRecordMax - 1}`;
  const { drain, applied, steps, release } = openFanOut([]);
  release();
  expect(await drain.drained(Infinity, { workspaceId: "w", keys: [last] })).toBe(true);
  expect(steps.at(-1)?.flatMap(keysOf)).toContain(last);
  expect(applied.length).toBeLessThan(chunks / 2);
  expect(await drain.drained(Infinity)).toBe(true);
  expect(applied).toHaveLength(chunks);
});

test("a later record of one of them comes after the fan-out, and takes only that part of it along", async () => {
  const own = `k${chunks * limits.laneUsersPerRecordMax - 1}`;
  const { drain, applied, steps, release } = openFanOut([record(2, { key: own })]);
  release();
  expect(await drain.drained(Infinity, { workspaceId: "w", keys: [own] })).toBe(true);
  const seen = steps.flat().filter((one) => keysOf(one).includes(own)).map(({ sequence }) => sequence);
  expect(seen).toEqual([1, 2]);
  expect(applied.length).toBeLessThan(chunks / 2);
});

test("between parts of a fan-out there is a rest, which others do not keep", async () => {
  const { clock, lane, applied, drain } = openTest({ tookMs: 2 });
  lane.records.push(chunk(1, 0), chunk(2, limits.laneUsersPerRecordMax));
  drain.notify();
  await vi.waitFor(() => expect(applied).toEqual([1]));
  lane.records.push(record(3, { key: "other" }));
  drain.notify();
  await vi.waitFor(() => expect(applied).toEqual([1, 3]));
  clock.advance(2 * limits.laneRestFactor);
  await vi.waitFor(() => expect(applied).toEqual([1, 3, 2]));
  await drain.close();
});

test("the rest is shorter where more users wait", async () => {
  const { clock, lane, applied, drain } = openTest({ tookMs: 4 });
  const many = (limits.laneRestUsersMax + limits.laneAheadUsersMax) / 2 / limits.laneUsersPerRecordMax;
  for (let at = 0; at <= many; at += 1) lane.records.push(chunk(at, at * limits.laneUsersPerRecordMax));
  drain.notify();
  await vi.waitFor(() => expect(applied).toHaveLength(1));
  clock.advance(4 * limits.laneRestFactor / 2);
  await vi.waitFor(() => expect(applied).toHaveLength(2));
  await drain.close();
});
