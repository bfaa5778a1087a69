/** The applier of a lane: in order, from the kept place, and past nothing that was not applied. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import { packRecords } from "../../../platform/log/packed-records.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { UnknownVersion } from "../../../platform/record-version.ts";
import { createGate } from "../../../platform/gate.ts";
import { startLaneApplier } from "./lane-applier.ts";
import type { LaneBody } from "../engine/lane-message.ts";

function openTest({ kept = 0, failures = 0, isNewer = false } = {}) {
  const clock = fakeClock();
  const state = { kept, failures, trimmed: 0, applied: [] as LaneBody[], told: 0 };
  const messages: LogRecord[] = [];
  let wake = () => {};
  const reading = startLaneApplier({
    lane: 3,
    clock,
    logger: silentLogger,
    gate: createGate(1),
    room: { users: 0, bytes: 0 },
    concernOf: ([user, isOfMany]) => user === newer ? undefined : ({ workspaceId: "w", names: [String(user)], isOfMany: isOfMany === 1 }),
    lanes: {
      read: (_, after) => Promise.resolve(messages.filter(({ sequence }) => sequence > after)),
      trim: (_, through) => Promise.resolve(void (state.trimmed = through)),
      watch(listener) {
        wake = () => listener(3);
        return () => {};
      },
    },
    positions: {
      load: () => Promise.resolve(state.kept),
      save: (_, position) => Promise.resolve((state.kept = position) > 0),
      trim: () => Promise.resolve(),
    },
    trimBytes: 1_000_000,
    apply(bodies) {
      if (state.failures > 0) {
        state.failures -= 1;
        return Promise.reject(new Error("away"));
      }
      if (!isNewer && bodies.some(({ body }) => body[0] === newer)) return Promise.reject(new UnknownVersion("got 99"));
      state.applied.push(...bodies);
      return Promise.resolve();
    },
    onApplied: (position) => {
      state.told = position;
    },
  });
  function send(sequence: number, ...bodies: number[]): void {
    messages.push({ sequence, body: packRecords(bodies.map((byte) => Uint8Array.of(byte))) });
    wake();
  }
  return { state, clock, reading, send, shown: () => state.applied.map(({ body, place }) => [body[0], ...place]) };
}

/** A record that only a newer build reads. */
const newer = 99;

test("records are applied in order with their places, from behind the kept one on; the place is told and kept", async () => {
  const { state, clock, reading, send, shown } = openTest({ kept: 4 });
  send(4, 9);
  send(6, 1, 2);
  send(8, 3);
  await expect.poll(shown).toEqual([[1, 6, 0], [2, 6, 1], [3, 8, 0]]);
  await expect.poll(() => state.told).toBe(8);
  clock.advance(limits.laneIdleMsMax);
  await expect.poll(() => [state.kept, state.trimmed]).toEqual([8, 8]);
  await reading.close();
});

test("where something fails, what was applied before is not applied again; what is kept at the end is all that is in", async () => {
  const { state, clock, reading, send, shown } = openTest();
  send(6, 1);
  await expect.poll(shown).toEqual([[1, 6, 0]]);
  state.kept = 0;
  state.failures = 1;
  send(8, 2);
  await expect.poll(() => reading.trouble()).toBe("an unexpected error, see the log");
  clock.advance(limits.readerRetryMsMax);
  await expect.poll(shown).toEqual([[1, 6, 0], [2, 8, 0]]);
  await reading.close();
  expect(state.kept).toBe(8);
});

test("where nothing follows, and somebody else kept a place that is further, that is told", async () => {
  const { state, clock, reading } = openTest({ kept: 4 });
  await expect.poll(() => state.told).toBe(4);
  state.kept = 6;
  clock.advance(limits.laneIdleMsMax);
  await expect.poll(() => state.told).toBe(6);
  await reading.close();
});

test("what fails is tried again from the kept place, and nothing is told before it is in", async () => {
  const { state, clock, reading, send, shown } = openTest({ failures: 1 });
  send(6, 1);
  await expect.poll(() => reading.trouble()).toBe("an unexpected error, see the log");
  expect(state.told).toBe(0);
  clock.advance(limits.readerRetryMsMax);
  await expect.poll(shown).toEqual([[1, 6, 0]]);
  await expect.poll(() => reading.trouble()).toBeUndefined();
  await reading.close();
});

test("a record of a newer build stops the lane with all before it in, and a build that reads it goes on", async () => {
  const { state, reading, send, shown } = openTest();
  send(6, 1, 2, newer, 1);
  send(8, 3);
  await expect.poll(() => reading.trouble()).toBe("got 99");
  expect([shown(), state.told]).toEqual([[[1, 6, 0], [2, 6, 1]], 0]);
  await reading.close();
  const next = openTest({ kept: state.kept, isNewer: true });
  next.send(6, 1, 2, newer, 1);
  next.send(8, 3);
  await expect.poll(() => next.state.told).toBe(8);
  expect(next.shown().slice(2)).toEqual([[newer, 6, 2], [1, 6, 3], [3, 8, 0]]);
  await next.reading.close();
});
