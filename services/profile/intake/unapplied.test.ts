/** Who waits before more is appended than can be applied, and who is refused: by hand, with a clock that stands still. */
import { beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { createProgress } from "../../../platform/lane/progress.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { createUnapplied, type Unapplied } from "./unapplied.ts";

let clock: ReturnType<typeof fakeClock>;
let progress: ReturnType<typeof createProgress>;
let unapplied: Unapplied;
/** Of each workspace, in the order of the log. */
let log: string[];

/** A quarter of what may always wait. */
const quarter = limits.unappliedBytesMin / 4 - limits.unappliedRecordBytes;
/** How many of these a workspace may have in line. */
const line = limits.turnBytesMax / (limits.unappliedBytesMin / 4);

beforeEach(() => {
  clock = fakeClock();
  progress = createProgress(clock);
  log = [];
  unapplied = createUnapplied({
    partitions: 1,
    clock,
    applied: { wait: ({ sequence }, ms) => progress.wait(sequence, ms), through: () => progress.reached },
  });
});

/** The position, or the reason of the refusal with its seconds. */
async function write(workspaceId: string, bytes = quarter): Promise<unknown> {
  try {
    return await unapplied.inTurn(workspaceId, bytes, async () => ({ position: { partition: 0, sequence: log.push(workspaceId) } }));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.reason, error.details.retryAfterSeconds];
  }
}

/** So that it is known how far the log is applied. */
async function known(): Promise<void> {
  await write("first", 1);
  apply(1);
  expect(log.splice(0, 1)).toEqual(["first"]);
  log.unshift("first");
}

function apply(count: number): void {
  progress.advance(progress.reached + count);
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

function countOf(workspaceId: string): number {
  return log.filter((one) => one === workspaceId).length;
}

async function flood(count: number, workspaceId = "loud", bytes = quarter): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let n = 0; n < count; n += 1) void write(workspaceId, bytes).then((answer) => answers.push(answer));
  await settled();
  return answers;
}

test("before anything of its own is applied a process does not know how far the log is, and nobody waits", async () => {
  await flood(1_000);
  expect(log).toHaveLength(1_000);
});

test("who has more waiting than its share waits until that is applied, in order; who has nothing waiting does not", async () => {
  await known();
  await flood(10);
  expect(countOf("loud")).toBe(4);
  await write("quiet", 1);
  expect(log.at(-1)).toBe("quiet");
  apply(5);
  await settled();
  expect(countOf("loud")).toBe(8);
  apply(4);
  await settled();
  expect(countOf("loud")).toBe(10);
});

test("workspaces that all send too much have equal shares", async () => {
  await known();
  await flood(10, "a");
  await flood(10, "b");
  expect([countOf("a"), countOf("b")]).toEqual([4, 2]);
  apply(6);
  await settled();
  expect([countOf("a"), countOf("b")]).toEqual([6, 4]);
});

test("a request that is larger than a share is appended when nothing else waits, and none behind it goes before it", async () => {
  await known();
  await flood(1);
  const taken: string[] = [];
  void write("loud", 10 * limits.unappliedBytesMin).then(() => taken.push("large"));
  void write("loud", 1).then(() => taken.push("small"));
  await settled();
  expect(taken).toEqual([]);
  apply(1);
  await settled();
  expect(taken).toEqual(["large"]);
  apply(1);
  await settled();
  expect(taken).toEqual(["large", "small"]);
});

test("what was not appended counts no more, and lets the next one go", async () => {
  await known();
  const { promise, reject } = Promise.withResolvers<never>();
  const failing = unapplied.inTurn("loud", 10 * quarter, () => promise);
  const answers = await flood(4);
  expect(answers).toEqual([]);
  reject(new Error("planted"));
  await expect(failing).rejects.toThrow("planted");
  await settled();
  expect(answers).toHaveLength(4);
});

test("whose turn does not come in time is refused BEHIND while something is applied, and where the line is full, at once", async () => {
  await known();
  clock.advance(60_000);
  const answers = await flood(4 + line + 1);
  expect(answers.filter((answer) => Array.isArray(answer))).toEqual([["BEHIND", 4]]);
  const looks = limits.turnMsMax / limits.turnLookMs;
  for (let look = 1; look <= looks; look += 1) {
    clock.advance(limits.turnLookMs - 1);
    apply(1);
    await settled();
    expect(answers).toHaveLength(5 + look);
    clock.advance(1);
    await settled();
  }
  expect(answers.slice(5 + looks)).toEqual(Array.from({ length: line - looks }, () => ["BEHIND", expect.any(Number)]));
  expect(countOf("loud")).toBe(4 + looks);
  // Nothing of theirs is left behind
  apply(10);
  expect(await flood(4)).toHaveLength(4);
});

test("small requests that wait are bounded by their number, and large ones by their bytes", async () => {
  await known();
  await write("many", limits.unappliedBytesMin);
  expect(await flood(limits.turnRequestsMax + 1, "many", 1)).toEqual([["BEHIND", expect.any(Number)]]);
  const answers: unknown[] = [];
  await write("loud", quarter * 4);
  for (let n = 0; n < 3; n += 1) void write("loud", limits.turnBytesMax * 0.4).then((answer) => answers.push(answer));
  await settled();
  expect(answers).toEqual([["BEHIND", expect.any(Number)]]);
});

test("what all workspaces have in line is bounded together, and who has nothing waiting goes on", async () => {
  await known();
  const lines = Math.ceil(limits.turnTogetherRequestsMax / limits.turnRequestsMax) + 1;
  const refused: unknown[] = [];
  for (let at = 0; at < lines; at += 1) {
    await write(`loud-${at}`, limits.unappliedBytesMin);
    const answers = await flood(limits.turnRequestsMax, `loud-${at}`, 1);
    refused.push(...answers);
  }
  expect(refused.every((answer) => Array.isArray(answer))).toBe(true);
  expect(refused).toHaveLength(lines * limits.turnRequestsMax - limits.turnTogetherRequestsMax);
  await write("quiet");
  expect(log.at(-1)).toBe("quiet");
  clock.advance(limits.turnMsMax);
  await settled();
  expect(log).toHaveLength(1 + lines + 1 + limits.turnTogetherRequestsMax);
});

test("where nothing at all is applied the store may be away, and nobody waits until what was sent meanwhile is applied", async () => {
  await known();
  await flood(10);
  expect(countOf("loud")).toBe(4);
  clock.advance(limits.turnMsMax);
  await settled();
  expect(countOf("loud")).toBe(10);
  await flood(100);
  expect(countOf("loud")).toBe(110);
  progress.advance(1 + 110);
  await flood(10);
  expect(countOf("loud")).toBe(114);
});

test("a backlog that gets less by itself holds nobody back, one that does not is held against who sends", async () => {
  await known();
  await flood(10);
  clock.advance(limits.turnMsMax);
  await settled();
  await flood(400);
  clock.advance(9_000);
  // All but one of what was sent before it moved again: the round after it has two thirds of the time
  progress.advance(log.length - 100);
  await flood(1);
  clock.advance(5_000);
  expect(await flood(100)).toHaveLength(100);
  clock.advance(1_001);
  await flood(100);
  expect(countOf("loud")).toBe(10 + 400 + 1 + 100 + 4);
});

const answeredWhen: Record<string, (sequence: number) => Promise<unknown>> = {
  "it is durable": () => Promise.resolve(),
  "it is applied": (sequence) => progress.wait(sequence, Infinity),
};

test.each(Object.entries(answeredWhen))(
  "what waits follows what was applied lately, of requests that are answered when %s",
  async (_, answered) => {
    await known();
    const refused: unknown[] = [];
    function send(count: number): void {
      for (let n = 0; n < count; n += 1) {
        unapplied.inTurn("loud", quarter, async () => {
          const sequence = log.push("loud");
          await answered(sequence);
          return { position: { partition: 0, sequence } };
        }).catch((error: unknown) => refused.push(error));
      }
    }
    send(4 + line);
    await settled();
    for (let turn = 0; turn < 20; turn += 1) {
      clock.advance(limits.unappliedMeasureMs);
      const before = log.length - progress.reached;
      apply(before);
      await settled();
      send(before);
      await settled();
    }
    // All that waited was applied in half of the time: twice as much may wait, and so on
    expect(log.length - progress.reached).toBeGreaterThan(16);
    expect(refused).toEqual([]);
  },
);

test("where one request alone takes long, more may wait", async () => {
  await known();
  for (let n = 0; n < limits.unappliedAloneEvery; n += 1) {
    await write("first", 1);
    clock.advance(200);
    apply(1);
    await settled();
  }
  // As much is applied in 50 ms as may wait at least, which is ten times that in 800 ms
  void flood(4 + line);
  await settled();
  for (let turn = 0; turn < 40; turn += 1) {
    clock.advance(limits.unappliedMeasureMs);
    apply(Math.min(4, log.length - progress.reached));
    await settled();
    void flood(4);
    await settled();
  }
  expect(log.length - progress.reached).toBeGreaterThan(40);
});
