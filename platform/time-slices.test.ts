/** Work in slices lets the event loop turn, in the order in which it came. */
import { setImmediate } from "node:timers";
import { expect, test } from "vitest";
import { createTimeSlices } from "./time-slices.ts";

/** Pieces that take so long each, half of it after a wait that is over at once, on a clock that stands still otherwise: in which turn of the event loop each was done. */
async function runPieces(count: number, pieceMs: number): Promise<number[]> {
  let [now, turn] = [0, 0];
  const slices = createTimeSlices({ monotonic: () => now }, 10);
  const turns: number[] = [];
  let isOver = false;
  function turned(): void {
    turn += 1;
    if (!isOver) setImmediate(turned);
  }
  setImmediate(turned);
  await Promise.all(Array.from({ length: count }, async (_, n) => {
    await slices.next();
    now += pieceMs / 2;
    await Promise.resolve();
    now += pieceMs / 2;
    expect(turns.length).toBe(n);
    turns.push(turn);
  }));
  isOver = true;
  // Numbered by those in which pieces were done
  const own = [...new Set(turns)];
  return turns.map((at) => own.indexOf(at));
}

test.each([
  { what: "pieces that take less than a slice together run at once", count: 4, ms: 2, turns: [0, 0, 0, 0] },
  { what: "the event loop turns where they took as long", count: 7, ms: 4, turns: [0, 0, 0, 1, 1, 1, 2] },
  { what: "one that takes longer has a turn of its own", count: 3, ms: 25, turns: [0, 1, 2] },
])("$what", async ({ count, ms, turns }) => {
  expect(await runPieces(count, ms)).toEqual(turns);
});

test("a piece that comes when nothing waits begins at once, also after a slice that was over", async () => {
  let now = 0;
  const slices = createTimeSlices({ monotonic: () => now }, 10);
  for (let n = 0; n < 3; n += 1) {
    await slices.next();
    now += 25;
  }
  expect(now).toBe(75);
});

test("who is urgent goes before others who came earlier", async () => {
  const slices = createTimeSlices({ monotonic: () => 0 }, 10);
  const order: string[] = [];
  const lanes = ["a", "b", "c"].map((lane) => slices.next(() => lane === "c").then(() => order.push(lane)));
  await Promise.all(lanes);
  expect(order).toEqual(["a", "c", "b"]);
});

test("what others wait for goes before them", async () => {
  const slices = createTimeSlices({ monotonic: () => 0 }, 10);
  const order: string[] = [];
  const lanes = ["a", "b", "c"].map(async (lane) => {
    await slices.next();
    order.push(lane);
  });
  const first = slices.nextFirst().then(() => order.push("first"));
  await Promise.all([...lanes, first]);
  expect(order).toEqual(["a", "first", "b", "c"]);
});
