/** The reader of a lane: whoever waits sees what was there when it asked, also around failures. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { openDrain } from "./drain.ts";
import type { LaneRecord } from "./lane.ts";

function record(sequence: number, workspaceId = "w"): LaneRecord {
  return { workspaceId, sequence, part: 0, key: "k", body: new Uint8Array() };
}

function openTest(options: { failures?: number } = {}) {
  const clock = fakeClock();
  const queue: LaneRecord[] = [];
  const applied: number[] = [];
  let failures = options.failures ?? 0;
  const drain = openDrain({
    name: "test",
    clock,
    logger: silentLogger,
    lane: {
      read: (max) => Promise.resolve(queue.slice(0, max)),
      last: (workspaceId) => queue.findLast((one) => one.workspaceId === workspaceId),
      isPast: (workspaceId, { sequence }) => !queue.some((one) => one.workspaceId === workspaceId && one.sequence <= sequence),
    },
    async step(records) {
      await Promise.resolve();
      if (failures > 0) {
        failures -= 1;
        throw new Error("away");
      }
      for (const { sequence } of records) applied.push(sequence);
      queue.splice(0, records.length);
    },
  });
  return { clock, queue, applied, drain };
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
  queue.push(record(1), record(2, "v"));
  for (let sequence = 3; sequence <= limits.laneReadUsersMax * 3; sequence += 1) queue.push(record(sequence));
  expect(await drain.drained(Infinity, "nobody's")).toBe(true);
  expect(applied).toEqual([]);
  expect(await drain.drained(Infinity, "v")).toBe(true);
  expect(applied).toHaveLength(limits.laneReadUsersMax);
  expect(await drain.drained(Infinity, "w")).toBe(true);
  expect(applied).toHaveLength(limits.laneReadUsersMax * 3);
});
