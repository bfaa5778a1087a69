/** Counts of requests, with a clock moved by hand and documents in memory. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import type { Documents } from "../../../platform/documents/documents.ts";
import { openSqliteDocuments } from "../../../platform/documents/sqlite.ts";
import { limits } from "../../../platform/limits.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { openRequestCounts } from "./request-counts.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const start = Date.UTC(2026, 0, 1, 22, 59, 10);

async function opened() {
  const clock = fakeClock(start);
  const documents = await openSqliteDocuments({ database: openDatabase({ path: ":memory:" }), space: "access", clock });
  const state = { isPaused: false, isAway: false, writes: 0 };
  const store: Documents = {
    ...documents,
    changeIf(partition, change) {
      if (state.isAway) return Promise.reject(new Error("away"));
      state.writes += 1;
      return documents.changeIf(partition, change);
    },
  };
  const open = () => openRequestCounts({ documents: store, clock, installation: "heddle", isPaused: () => state.isPaused });
  /** In seconds, as timers that are due call others. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      clock.advance(Math.min(left, 1_000));
      // Each write takes some turns of the event loop
      for (let turns = 0; turns < 4 * limits.requestCountsPerTurnMax; turns += 1) await setImmediate();
    }
  }
  return { clock, documents, state, open, pass };
}

/** Sums by name. */
async function sums(counts: ReturnType<typeof openRequestCounts>, by: "minute" | "hour", from = 0, workspaceId = "ws_1") {
  const found: Record<string, number> = {};
  for (const { counts: own } of await counts.list(workspaceId, by, from)) {
    for (const [name, count] of own) found[name] = (found[name] ?? 0) + count;
  }
  return found;
}

const taken = { limit: "users_track", isLimited: false, reason: "" };

test("requests are counted by limit, refusals by reason, by minute and by hour, also before they are written", async () => {
  const { clock, open } = await opened();
  const counts = open();
  counts.note("ws_1", taken);
  counts.note("ws_1", taken);
  counts.note("ws_1", { limit: "users_track", isLimited: true, reason: "RATE_LIMITED" });
  clock.advance(minuteMs);
  counts.note("ws_1", { limit: "console", isLimited: false, reason: "INPUT_INVALID" });
  counts.note("ws_2", taken);
  const all = {
    "requests:users_track": 3,
    "limited:users_track": 1,
    "refused:RATE_LIMITED": 1,
    "requests:console": 1,
    "refused:INPUT_INVALID": 1,
  };
  expect(await sums(counts, "minute")).toEqual(all);
  expect(await sums(counts, "hour")).toEqual(all);
  expect((await counts.list("ws_1", "minute", 0)).map(({ at }) => at)).toEqual([start - 10_000, start + 50_000]);
  expect((await counts.list("ws_1", "hour", 0)).map(({ at }) => at)).toEqual([start - start % hourMs, start - start % hourMs + hourMs]);
  expect(await sums(counts, "minute", start)).toEqual({ "requests:console": 1, "refused:INPUT_INVALID": 1 });
  expect(await sums(counts, "minute", 0, "ws_3")).toEqual({});
});

test("what is new is written once in a while, not a request; gateways add up, and a start anew takes nothing away", async () => {
  const { state, open, pass } = await opened();
  const [one, other] = [open(), open()];
  for (let times = 0; times < 100; times += 1) one.note("ws_1", taken);
  other.note("ws_1", taken);
  expect(await sums(open(), "minute")).toEqual({});
  await pass(limits.requestCountsWriteMs + 2 * limits.requestCountsTurnMs);
  expect(state.writes).toBe(2);
  const anew = open();
  expect(await sums(anew, "minute")).toEqual({ "requests:users_track": 101 });
  anew.note("ws_1", taken);
  await anew.flush();
  one.note("ws_1", taken);
  await one.flush();
  for (const counts of [one, other, open()]) {
    expect(await sums(counts, "minute")).toEqual({ "requests:users_track": 103 });
    expect(await sums(counts, "hour")).toEqual({ "requests:users_track": 103 });
  }
  // Where nothing is new nothing is written
  const { writes } = state;
  await pass(limits.requestCountsWriteMs * 3);
  expect(state.writes).toBe(writes);
});

test("an hour and a day that end before they are written are not lost", async () => {
  const { clock, open } = await opened();
  const counts = open();
  counts.note("ws_1", taken);
  clock.advance(2 * hourMs);
  counts.note("ws_1", taken);
  await counts.flush();
  expect(await sums(open(), "minute")).toEqual({ "requests:users_track": 2 });
  expect((await open().list("ws_1", "hour", 0)).map(({ at }) => at)).toEqual([start - start % hourMs, start - start % hourMs + 2 * hourMs]);
  clock.advance(minuteMs);
  counts.note("ws_1", taken);
  await counts.flush();
  expect(await sums(open(), "hour")).toEqual({ "requests:users_track": 3 });
});

test("while a backup pauses writes, and while the store is away, nothing is lost", async () => {
  const { state, open, pass } = await opened();
  const counts = open();
  state.isPaused = true;
  counts.note("ws_1", taken);
  await pass(2 * limits.requestCountsWriteMs);
  expect(state.writes).toBe(0);
  state.isPaused = false;
  state.isAway = true;
  await pass(2 * limits.requestCountsWriteMs);
  counts.note("ws_1", taken);
  state.isAway = false;
  await pass(2 * limits.requestCountsWriteMs);
  expect(await sums(open(), "minute")).toEqual({ "requests:users_track": 2 });
  expect(await sums(open(), "hour")).toEqual({ "requests:users_track": 2 });
});

test("of very many workspaces so many are written in a turn", async () => {
  const { state, open, pass } = await opened();
  const counts = open();
  const many = 3 * limits.requestCountsPerTurnMax;
  for (let number = 0; number < many; number += 1) counts.note(`ws_${number}`, taken);
  await pass(limits.requestCountsWriteMs + limits.requestCountsTurnMs);
  expect(state.writes).toBeLessThanOrEqual(2 * limits.requestCountsPerTurnMax);
  await pass(4 * limits.requestCountsTurnMs);
  expect(state.writes).toBe(many);
});

test("minutes go after a day, hours after a year", async () => {
  const { clock, documents, open } = await opened();
  const counts = open();
  counts.note("ws_1", taken);
  await counts.flush();
  for (const [kind, keepMs] of [["minutes", limits.requestMinutesKeepMs], ["hours", limits.requestHoursKeepMs]] as const) {
    const [{ value }] = await documents.list("heddle requests ws_1", kind) as unknown as [{ value: { expiresAt: number } }];
    expect(value.expiresAt).toBeGreaterThan(clock.now() + keepMs);
  }
});
