/** Reads that wait for lanes: for those that they name, as of what the log held, and for no others. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.ts";
import type { LogRecord } from "../log/log.ts";
import { silentLogger } from "../logger.ts";
import { openLaneApplied } from "./lane-applied.ts";
import { laneLayout } from "./layout.ts";
import { placeToBytes, type Told } from "./place.ts";
import { createLocalNews } from "./progress-news.ts";

const layout = laneLayout(1, 2);

function openTest(first: readonly LogRecord[] = []) {
  const clock = fakeClock();
  const news = createLocalNews();
  const told = [...first];
  const listeners = new Set<(partition: number) => void>();
  const applied = openLaneApplied({
    layout,
    intakePartitions: 1,
    news,
    clock,
    logger: silentLogger,
    lanes: {
      tail: () => Promise.resolve(told.at(-1)?.sequence ?? 0),
      read: (_, after) => Promise.resolve(told.filter(({ sequence }) => sequence > after)),
      watch(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
  return {
    applied,
    clock,
    tell(record: LogRecord) {
      told.push(record);
      for (const listener of listeners) listener(layout.told(0));
    },
    reached: (lane: number, position: number) => news.tell({ kind: "applied", lane, position }),
  };
}

function stepAt(sequence: number, rest: Partial<Told>): LogRecord {
  const step: Told = { through: 0, now: 0, written: 0, tails: [], touched: [], outcomes: [], ...rest };
  return { sequence, body: placeToBytes(step) };
}

const [own, other] = [layout.subscription(0), layout.subscription(1)];
const place = { partition: 0, sequence: 5 };

test("a read waits for its lane as of the step that resolved its place, and not for other lanes", async () => {
  const { applied, tell, reached } = openTest();
  const reading = applied.wait(place, [own], Infinity);
  tell(stepAt(11, { through: 5, touched: [[own, 4], [other, 2]] }));
  reached(own, 7);
  expect(await Promise.race([reading, Promise.resolve("waits")])).toBe("waits");
  reached(own, 8);
  expect(await reading).toBe(true);
  expect(await applied.wait(place, [other], 0)).toBe(false);
  await applied.close();
});

test("a read that comes later sees the tails of all steps before it; a lane without records is never waited for", async () => {
  const { applied, reached } = openTest([stepAt(21, { through: 6, tails: [0, 0, 9], touched: [[other, 2]] })]);
  reached(own, 9);
  expect(await applied.wait({ partition: 0, sequence: 6 }, [own, layout.messagingStatus(0)], Infinity)).toBe(true);
  expect(await applied.wait({ partition: 0, sequence: 6 }, [own, other], 0)).toBe(false);
  reached(other, 20);
  expect(await applied.wait({ partition: 0, sequence: 6 }, [own, other], 0)).toBe(true);
  await applied.close();
});

test("what is heard of a lane: the last message that steps sent there, and the last that is applied", async () => {
  const { applied, tell, reached } = openTest();
  expect(applied.heard(own)).toEqual({ tail: 0, applied: 0 });
  tell(stepAt(11, { through: 5, touched: [[own, 4], [other, 2]] }));
  await applied.wait(place, [], Infinity);
  reached(own, 7);
  expect(applied.heard(own)).toEqual({ tail: 8, applied: 7 });
  tell(stepAt(15, { through: 6, tails: [0, 0, 8, 10], touched: [[other, 1]] }));
  await applied.wait({ partition: 0, sequence: 6 }, [], Infinity);
  expect(applied.heard(own)).toEqual({ tail: 8, applied: 7 });
  expect(applied.heard(other)).toEqual({ tail: 15, applied: 0 });
  await applied.close();
});

test("a read gives up when its time is over, whether it waits for the resolver or for a lane", async () => {
  const { applied, clock, tell } = openTest();
  const unresolved = applied.wait(place, [own], 10);
  clock.advance(10);
  expect(await unresolved).toBe(false);
  tell(stepAt(11, { through: 5, touched: [[own, 1]] }));
  await applied.wait(place, [], Infinity);
  const unapplied = applied.wait(place, [own], 10);
  await Promise.resolve();
  await Promise.resolve();
  clock.advance(10);
  expect(await unapplied).toBe(false);
  await applied.close();
});
