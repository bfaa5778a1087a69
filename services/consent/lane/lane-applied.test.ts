/** Reads that wait for lanes: for those that they name, as of what the log held, and for no others. */
import { describe, expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { type LanePart, type LaneQueries, openLaneApplied } from "./lane-applied.ts";
import { laneLayout } from "../../../platform/lane/layout.ts";
import { checkpointToBytes, type StepReport } from "../../../platform/lane/resolver-checkpoint.ts";
import type { ProgressNotice } from "../../../platform/lane/progress-notices.ts";
import { createLocalNotices } from "../../../platform/lane/progress-notices.fixture.ts";

const layout = laneLayout(1, 2);

function openTest(first: readonly LogRecord[] = [], ask: LaneQueries["ask"] = () => Promise.resolve(false)) {
  const clock = fakeClock();
  const notices = createLocalNotices();
  const told = [...first];
  const awaited: ProgressNotice[] = [];
  const listeners = new Set<(partition: number) => void>();
  const applied = openLaneApplied({
    layout,
    intakePartitions: 1,
    notices,
    resolvers: { publish: (all) => void awaited.push(...all) },
    queries: { ask, isOwn: (lane) => lane === other },
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
    awaited,
    clock,
    report(record: LogRecord) {
      told.push(record);
      for (const listener of listeners) listener(layout.reports(0));
    },
    reached: (lane: number, position: number) => notices.publish([{ kind: "applied", lane, position }]),
  };
}

function stepAt(sequence: number, rest: Partial<StepReport>): LogRecord {
  const step: StepReport = { through: 0, now: 0, written: 0, tails: [], touched: [], outcomes: [], ...rest };
  return { sequence, body: checkpointToBytes(step) };
}

const [own, other] = [layout.subscription(0), layout.subscription(1)];
const [allOfOwn, allOfOther] = [own, other].map((lane) => ({ lane, keys: "all" as const })) as [LanePart, LanePart];
const place = { partition: 0, sequence: 5 };

test("a read waits for its lane as of the step that resolved its place, and not for other lanes", async () => {
  const { applied, report, reached } = openTest();
  const reading = applied.wait(place, [allOfOwn], Infinity);
  report(stepAt(11, { through: 5, touched: [[own, 4], [other, 2]] }));
  reached(own, 7);
  expect(await Promise.race([reading, Promise.resolve("waits")])).toBe("waits");
  reached(own, 8);
  expect(await reading).toBe(true);
  expect(await applied.wait(place, [allOfOther], 0)).toBe(false);
  await applied.close();
});

test("the resolver hears of a place that is waited for and that it has not resolved", async () => {
  const { applied, awaited, report } = openTest();
  applied.hurry(place);
  expect(awaited).toEqual([{ kind: "awaited", ...place }]);
  const reading = applied.wait(place, [], Infinity);
  report(stepAt(11, { through: 5 }));
  await reading;
  applied.hurry(place);
  expect(awaited).toHaveLength(1);
  await applied.close();
});

test("a read that comes later sees the tails of all steps before it; a lane without records is never waited for", async () => {
  const { applied, reached } = openTest([stepAt(21, { through: 6, tails: [0, 0, 9], touched: [[other, 2]] })]);
  reached(own, 9);
  expect(await applied.wait({ partition: 0, sequence: 6 }, [allOfOwn, { lane: layout.messagingStatus(0), keys: "all" }], Infinity)).toBe(
    true,
  );
  expect(await applied.wait({ partition: 0, sequence: 6 }, [allOfOwn, allOfOther], 0)).toBe(false);
  reached(other, 20);
  expect(await applied.wait({ partition: 0, sequence: 6 }, [allOfOwn, allOfOther], 0)).toBe(true);
  await applied.close();
});

test("what is heard of a lane: the last message that steps sent there, and the last that is applied", async () => {
  const { applied, report, reached } = openTest();
  expect(applied.heard(own)).toEqual({ tail: 0, applied: 0 });
  report(stepAt(11, { through: 5, touched: [[own, 4], [other, 2]] }));
  await applied.wait(place, [], Infinity);
  reached(own, 7);
  expect(applied.heard(own)).toEqual({ tail: 8, applied: 7 });
  report(stepAt(15, { through: 6, tails: [0, 0, 8, 10], touched: [[other, 1]] }));
  await applied.wait({ partition: 0, sequence: 6 }, [], Infinity);
  expect(applied.heard(own)).toEqual({ tail: 8, applied: 7 });
  expect(applied.heard(other)).toEqual({ tail: 15, applied: 0 });
  await applied.close();
});

test("a read gives up when its time is over, whether it waits for the resolver or for a lane", async () => {
  const { applied, clock, report } = openTest();
  const unresolved = applied.wait(place, [allOfOwn], 10);
  clock.advance(10);
  expect(await unresolved).toBe(false);
  report(stepAt(11, { through: 5, touched: [[own, 1]] }));
  await applied.wait(place, [], Infinity);
  const unapplied = applied.wait(place, [allOfOwn], 10);
  await Promise.resolve();
  await Promise.resolve();
  clock.advance(10);
  expect(await unapplied).toBe(false);
  await applied.close();
});

describe("a read of some users of a lane", () => {
  const keys = ["w\nu1", "w\nu2"];

  test("asks for them, as of the message that it waits for, and only where the lane does not get there by itself", async () => {
    const queries: unknown[] = [];
    const answer = Promise.withResolvers<boolean>();
    const { applied, clock, report, reached } = openTest([], (lane, ask) => {
      queries.push([lane, ask]);
      return answer.promise;
    });
    report(stepAt(11, { through: 5, touched: [[own, 4]] }));
    await applied.wait(place, [], Infinity);
    const reading = applied.wait(place, [{ lane: own, keys }], 250);
    await settled();
    expect(queries).toEqual([]);
    clock.advance(limits.laneAskAfterMs);
    await settled();
    expect(queries).toEqual([[own, { through: 8, keys, ms: limits.laneAskMsMax }]]);
    answer.resolve(true);
    expect(await reading).toBe(true);
    const quick = applied.wait(place, [{ lane: own, keys }], 250);
    reached(own, 8);
    expect(await quick).toBe(true);
    expect(queries).toHaveLength(1);
    await applied.close();
  });

  test("asks again where whoever was asked does not know: the lane may have gone to another process", async () => {
    const answers = [false, false, true];
    const { applied, clock, report } = openTest([], () => Promise.resolve(answers.shift() ?? false));
    report(stepAt(11, { through: 5, touched: [[own, 4]] }));
    await applied.wait(place, [], Infinity);
    const reading = applied.wait(place, [{ lane: own, keys }], 250);
    for (let waited = 0; answers.length > 0 && waited < 250; waited += limits.laneAskAfterMs) {
      await settled();
      clock.advance(limits.laneAskAfterMs);
    }
    expect(await reading).toBe(true);
    await applied.close();
  });

  test("who reads nobody waits for nobody", async () => {
    const { applied, report } = openTest();
    report(stepAt(11, { through: 5, touched: [[own, 4]] }));
    await applied.wait(place, [], Infinity);
    expect(await applied.wait(place, [{ lane: own, keys: [] }], 250)).toBe(true);
    await applied.close();
  });

  test("asks this process at once where that works on the lane", async () => {
    const { applied, report } = openTest([], () => Promise.resolve(true));
    report(stepAt(11, { through: 5, touched: [[other, 4]] }));
    await applied.wait(place, [], Infinity);
    expect(await applied.wait(place, [{ lane: other, keys }], 250)).toBe(true);
    await applied.close();
  });

  test("waits for the lane's position where nobody answers, where that comes first, and for very many users", async () => {
    const { applied, clock, report, reached } = openTest();
    report(stepAt(11, { through: 5, touched: [[own, 4]] }));
    await applied.wait(place, [], Infinity);
    const some = applied.wait(place, [{ lane: own, keys }], 250);
    const late = applied.wait(place, [{ lane: own, keys }], 100);
    const many = applied.wait(
      place,
      [{ lane: own, keys: Array.from({ length: limits.laneWantedKeysMax + 1 }, (_, n) => `w\nu${n}`) }],
      250,
    );
    await settled();
    clock.advance(limits.laneAskAfterMs);
    await settled();
    clock.advance(100);
    expect(await late).toBe(false);
    reached(own, 8);
    expect(await Promise.all([some, many])).toEqual([true, true]);
    await applied.close();
  });
});

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
