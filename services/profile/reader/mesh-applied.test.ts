/** What a process knows of the progress of others: a place counts once its rows are written and its lanes are applied. */
import { beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { laneLayout } from "../../../platform/lane/layout.ts";
import { placeToBytes, type Told } from "../../../platform/lane/place.ts";
import { type MeshApplied, openMeshApplied } from "./mesh-applied.ts";
import { limits } from "../../../platform/limits.ts";
import { createProgressTeller } from "../../../platform/lane/progress-news.ts";
import { createLocalNews } from "../../../platform/lane/progress-news.fixture.ts";

const layout = laneLayout(1, 2);
let told: LogRecord[];
let wake: () => void;

beforeEach(() => {
  told = [];
  wake = () => {};
});

function open(clock = fakeClock()) {
  const news = createLocalNews();
  const lanes = {
    read: (_: number, after: number) => Promise.resolve(told.filter((record) => record.sequence > after)),
    tail: () => Promise.resolve(told.at(-1)?.sequence ?? 0),
    watch: (listener: (partition: number) => void) => {
      wake = () => listener(layout.told(0));
      return () => {};
    },
  };
  const applied = openMeshApplied({ lanes, layout, intakePartitions: 1, news, clock, logger: silentLogger });
  return { applied, teller: createProgressTeller({ news, clock }), clock };
}

async function tell(sequence: number, rest: Partial<Told>): Promise<void> {
  const step: Told = { through: 0, now: 0, written: 0, tails: [], touched: [], outcomes: [], ...rest };
  told.push({ sequence, body: placeToBytes(step) });
  wake();
  await new Promise((resolve) => setImmediate(resolve));
}

function isApplied(applied: MeshApplied, sequence: number): Promise<boolean> {
  return applied.wait({ partition: 0, sequence }, 0);
}

test("openMeshApplied() counts a place once its rows are written and every lane it touched is applied", async () => {
  const { applied, teller, clock } = open();
  // Messages 10 (lane 0), 11 (lane 1), 12 (told), 13 (checkpoint)
  await tell(12, { through: 5, touched: [[0, 3], [1, 2]] });
  teller.applied(0, 10);
  teller.written(0, 13);
  clock.advance(limits.progressGatherMs);
  expect(await isApplied(applied, 5)).toBe(false);
  teller.applied(1, 11);
  clock.advance(limits.progressGatherMs);
  expect([await isApplied(applied, 5), await isApplied(applied, 6)]).toEqual([true, false]);
  expect(applied.through({ partition: 0, sequence: 6 })).toBe(5);
});

test("openMeshApplied() does not count a place whose rows may not be there yet", async () => {
  const { applied, teller } = open();
  await tell(12, { through: 5 });
  expect(await isApplied(applied, 5)).toBe(false);
  teller.written(0, 13);
  expect(await isApplied(applied, 5)).toBe(true);
});

test("openMeshApplied() begins with the last step, whose lanes stand for all before it", async () => {
  const last: Told = { through: 5, now: 0, written: 0, tails: [7, 3], touched: [[1, 2]], outcomes: [] };
  told.push({ sequence: 12, body: placeToBytes(last) });
  const { applied, teller, clock } = open();
  await new Promise((resolve) => setImmediate(resolve));
  teller.written(0, 13);
  teller.applied(1, 11);
  clock.advance(limits.progressGatherMs);
  expect(await isApplied(applied, 4)).toBe(false);
  teller.applied(0, 7);
  clock.advance(limits.progressGatherMs);
  expect(await isApplied(applied, 4)).toBe(true);
});

test("openMeshApplied() gives what was decided about a request once", async () => {
  const { applied } = open();
  await tell(12, { through: 5, outcomes: [[5, { items: [{ index: 0, ok: true, reason: "" }] }]] });
  expect(applied.outcome({ partition: 0, sequence: 5 })).toEqual({ items: [{ index: 0, ok: true, reason: "" }] });
  expect(applied.outcome({ partition: 0, sequence: 5 })).toBeUndefined();
});

test("createProgressTeller() says at once what gets on after a rest, and together what does so soon after", () => {
  const clock = fakeClock();
  const told: unknown[] = [];
  const teller = createProgressTeller({ news: { ...createLocalNews(), tell: (news) => told.push(news.length) }, clock });
  teller.applied(3, 8);
  expect(told).toEqual([1]);
  teller.applied(4, 9);
  teller.applied(3, 10);
  teller.applied(3, 11);
  expect(told).toEqual([1]);
  clock.advance(limits.progressGatherMs);
  expect(told).toEqual([1, 2]);
  teller.applied(4, 12);
  teller.close();
  expect(told).toEqual([1, 2, 1]);
});

test("createProgressTeller() says what changed once more, and the latest of everything to a newcomer; nothing while nothing changes", () => {
  const clock = fakeClock();
  const news = createLocalNews();
  const teller = createProgressTeller({ news, clock });
  teller.applied(3, 8);
  teller.applied(3, 9);
  const heard: unknown[] = [];
  news.listen((one) => heard.push(one));
  const latest = { kind: "applied", lane: 3, position: 9 };
  expect(heard).toEqual([latest]);
  teller.applied(3, 9);
  expect(heard).toEqual([latest]);
  clock.advance(1_000);
  expect(heard).toEqual([latest, latest]);
  clock.advance(100_000);
  expect(heard).toHaveLength(2);
  teller.applied(3, 10);
  teller.close();
  clock.advance(10_000);
  expect(heard).toHaveLength(3);
});
