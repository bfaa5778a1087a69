/** What a process knows of the progress of others: a place counts once its rows are written and its lanes are applied. */
import { beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { laneKeyOf } from "../../../platform/user-number.ts";
import { laneLayout } from "../../../platform/lane/layout.ts";
import { checkpointToBytes, type StepReport } from "../../../platform/lane/resolver-checkpoint.ts";
import { type MeshApplied, openMeshApplied } from "./mesh-applied.ts";
import { limits } from "../../../platform/limits.ts";
import { createProgressPublisher } from "../../../platform/lane/progress-notices.ts";
import { createLocalNotices } from "../../../platform/lane/progress-notices.fixture.ts";

const layout = laneLayout(1, 2);
let told: LogRecord[];
let wake: () => void;

beforeEach(() => {
  told = [];
  wake = () => {};
});

function open(clock = fakeClock()) {
  const notices = createLocalNotices();
  const lanes = {
    read: (_: number, after: number) => Promise.resolve(told.filter((record) => record.sequence > after)),
    tail: () => Promise.resolve(told.at(-1)?.sequence ?? 0),
    watch: (listener: (partition: number) => void) => {
      wake = () => listener(layout.reports(0));
      return () => {};
    },
  };
  const applied = openMeshApplied({ lanes, layout, intakePartitions: 1, notices, clock, logger: silentLogger });
  return { applied, publisher: createProgressPublisher({ notices, clock }), clock, notices };
}

async function report(sequence: number, rest: Partial<StepReport>): Promise<void> {
  const step: StepReport = { through: 0, now: 0, written: 0, tails: [], touched: [], outcomes: [], ...rest };
  told.push({ sequence, body: checkpointToBytes(step) });
  wake();
  await new Promise((resolve) => setImmediate(resolve));
}

function isApplied(applied: MeshApplied, sequence: number): Promise<boolean> {
  return applied.wait({ partition: 0, sequence }, 0);
}

test("openMeshApplied() counts a place once its rows are written and every lane it touched is applied", async () => {
  const { applied, publisher, clock } = open();
  // Messages 10 (lane 0), 11 (lane 1), 12 (report), 13 (checkpoint)
  await report(12, { through: 5, touched: [[0, 3], [1, 2]] });
  publisher.applied(0, 10);
  publisher.written(0, 13);
  clock.advance(limits.progressGatherMs);
  expect(await isApplied(applied, 5)).toBe(false);
  publisher.applied(1, 11);
  clock.advance(limits.progressGatherMs);
  expect([await isApplied(applied, 5), await isApplied(applied, 6)]).toEqual([true, false]);
  expect(applied.through({ partition: 0, sequence: 6 })).toBe(5);
});

test("openMeshApplied() does not count a place whose rows may not be there yet", async () => {
  const { applied, publisher } = open();
  await report(12, { through: 5 });
  expect(await isApplied(applied, 5)).toBe(false);
  publisher.written(0, 13);
  expect(await isApplied(applied, 5)).toBe(true);
});

test("openMeshApplied() begins with the last step, whose lanes stand for all before it", async () => {
  const last: StepReport = { through: 5, now: 0, written: 0, tails: [7, 3], touched: [[1, 2]], outcomes: [] };
  told.push({ sequence: 12, body: checkpointToBytes(last) });
  const { applied, publisher, clock } = open();
  await new Promise((resolve) => setImmediate(resolve));
  publisher.written(0, 13);
  publisher.applied(1, 11);
  clock.advance(limits.progressGatherMs);
  expect(await isApplied(applied, 4)).toBe(false);
  publisher.applied(0, 7);
  clock.advance(limits.progressGatherMs);
  expect(await isApplied(applied, 4)).toBe(true);
});

test("openMeshApplied() gives what was decided about a request once", async () => {
  const { applied } = open();
  await report(12, { through: 5, outcomes: [[5, { items: [{ index: 0, ok: true, reason: "" }] }]] });
  expect(applied.outcome({ partition: 0, sequence: 5 })).toEqual({ items: [{ index: 0, ok: true, reason: "" }] });
  expect(applied.outcome({ partition: 0, sequence: 5 })).toBeUndefined();
});

test("createProgressPublisher() says at once what gets on after a rest, and together what does so soon after", () => {
  const clock = fakeClock();
  const told: unknown[] = [];
  const publisher = createProgressPublisher({
    notices: { ...createLocalNotices(), publish: (notices) => told.push(notices.length) },
    clock,
  });
  publisher.applied(3, 8);
  expect(told).toEqual([1]);
  publisher.applied(4, 9);
  publisher.applied(3, 10);
  publisher.applied(3, 11);
  expect(told).toEqual([1]);
  clock.advance(limits.progressGatherMs);
  expect(told).toEqual([1, 2]);
  publisher.applied(4, 12);
  publisher.close();
  expect(told).toEqual([1, 2, 1]);
});

test("createProgressPublisher() says what changed once more, and the latest of everything to a newcomer; nothing while nothing changes", () => {
  const clock = fakeClock();
  const notices = createLocalNotices();
  const publisher = createProgressPublisher({ notices, clock });
  publisher.applied(3, 8);
  publisher.applied(3, 9);
  publisher.applied(3, 8);
  const heard: unknown[] = [];
  notices.listen((one) => heard.push(one));
  const latest = { kind: "applied", lane: 3, position: 9 };
  expect(heard).toEqual([latest]);
  publisher.applied(3, 9);
  expect(heard).toEqual([latest]);
  clock.advance(1_000);
  expect(heard).toEqual([latest, latest]);
  clock.advance(100_000);
  expect(heard).toHaveLength(2);
  publisher.applied(3, 10);
  publisher.close();
  clock.advance(10_000);
  expect(heard).toHaveLength(3);
});

/** The first user of the workspace "w" whose lane is `lane`. */
function userIn(lane: number): string {
  for (let n = 0;; n += 1) {
    const id = n.toString(16).padStart(24, "0");
    if (layout.laneOf("w", laneKeyOf("w", id)) === lane) return id;
  }
}

test("openMeshApplied() counts a place as decided once its rows are written, and says when that is applied to users, whatever their neighbours' lanes have left", async () => {
  const { applied, publisher, clock } = open();
  await report(12, { through: 5, touched: [[0, 3], [1, 2]] });
  expect(await applied.waitDecided({ partition: 0, sequence: 5 }, 0)).toBe(undefined);
  publisher.written(0, 13);
  expect([await applied.waitDecided({ partition: 0, sequence: 5 }, 40), applied.decidedThrough({ partition: 0, sequence: 0 })]).toEqual([
    40,
    5,
  ]);
  expect(applied.through({ partition: 0, sequence: 0 })).toBe(0);
  const place = { partition: 0, sequence: 5 };
  const isIn = (lanes: readonly number[], ms = 0) => applied.waitUsers(place, { workspaceId: "w", ids: lanes.map(userIn) }, ms);
  expect([await isIn([]), await isIn([0]), await isIn([1])]).toEqual([0, undefined, undefined]);
  const waiting = isIn([1], 40);
  clock.advance(30);
  publisher.applied(1, 11);
  clock.advance(limits.progressGatherMs);
  expect(await waiting).toBeLessThanOrEqual(10);
  expect([await isIn([0]), await isIn([0, 1])]).toEqual([undefined, undefined]);
  publisher.applied(0, 10);
  clock.advance(limits.progressGatherMs);
  expect(await isIn([0, 1])).toBe(0);
});

test("openMeshApplied() counts a place that changes no names as decided before its rows are written, and as applied after that", async () => {
  const { applied, publisher, clock } = open();
  await report(12, { through: 5, keepsNames: true, touched: [[0, 3]] });
  const place = { partition: 0, sequence: 5 };
  expect([await applied.waitDecided(place, 40), applied.decidedThrough(place)]).toEqual([40, 5]);
  publisher.applied(0, 10);
  expect(await applied.waitUsers(place, { workspaceId: "w", ids: [userIn(0)] }, 0)).toBe(0);
  expect(await isApplied(applied, 5)).toBe(false);
  clock.advance(limits.progressGatherMs);
  publisher.written(0, 13);
  expect(await isApplied(applied, 5)).toBe(true);
});

test("openMeshApplied() says which lanes are waited for, each once", async () => {
  const { applied, publisher, clock, notices } = open();
  const awaited: unknown[] = [];
  notices.listen((notice) => notice.kind === "laneAwaited" && awaited.push([notice.lane, notice.position]));
  await report(12, { through: 5, keepsNames: true, touched: [[0, 3], [1, 2]] });
  const wait = (lanes: readonly number[]) =>
    void applied.waitUsers({ partition: 0, sequence: 5 }, { workspaceId: "w", ids: lanes.map(userIn) }, 1_000);
  publisher.applied(0, 10);
  wait([0]);
  expect(awaited).toEqual([]);
  wait([0, 1]);
  wait([1]);
  expect(awaited).toEqual([[1, 11]]);
  await report(16, { through: 6, keepsNames: true, tails: [10, 11], touched: [[0, 2], [1, 1]] });
  wait([0, 1]);
  clock.advance(limits.progressGatherMs);
  expect(awaited).toEqual([[1, 11], [0, 15], [1, 16]]);
});

test("openMeshApplied() lets users wait for what is decided at the call, and for nothing that is decided later", async () => {
  const { applied, publisher, clock } = open();
  await report(12, { through: 5, touched: [[0, 3]] });
  publisher.written(0, 13);
  const waiting = applied.waitUsers({ partition: 0, sequence: 5 }, { workspaceId: "w", ids: [userIn(0)] }, 1_000);
  await report(16, { through: 6, tails: [10], touched: [[0, 2]] });
  publisher.written(0, 17);
  publisher.applied(0, 10);
  clock.advance(limits.progressGatherMs);
  expect(await waiting).toBeGreaterThan(0);
  expect(await applied.waitUsers({ partition: 0, sequence: 6 }, { workspaceId: "w", ids: [userIn(0)] }, 0)).toBe(undefined);
});

test("openMeshApplied() says at once what is waited for, and what is waited for soon after together", () => {
  const { applied, notices, clock } = open();
  const awaited: number[] = [];
  notices.listen((notice) => notice.kind === "awaited" && awaited.push(notice.sequence));
  for (const sequence of [5, 5, 4]) void applied.waitDecided({ partition: 0, sequence }, 1_000);
  for (const sequence of [6, 7]) void applied.wait({ partition: 0, sequence }, 1_000);
  expect(awaited).toEqual([5]);
  clock.advance(limits.progressGatherMs);
  expect(awaited).toEqual([5, 7]);
  void applied.wait({ partition: 0, sequence: 8 }, 1_000);
  expect(awaited).toEqual([5, 7]);
  clock.advance(limits.progressGatherMs);
  clock.advance(limits.progressGatherMs);
  expect(awaited).toEqual([5, 7, 8]);
  void applied.wait({ partition: 0, sequence: 9 }, 1_000);
  expect(awaited).toEqual([5, 7, 8, 9]);
});
