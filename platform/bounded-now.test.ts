/** One wall clock and one monotonic clock, moved apart: what is believed of them. */
import { describe, expect, test } from "vitest";
import { createBoundedNow } from "./bounded-now.ts";
import { limits } from "./limits.ts";

const start = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const doubtMs = limits.clockDoubtMs;

interface Look {
  /** By how much time really goes on, and the wall clock besides. */
  readonly passes: number;
  readonly leaps?: number;
  /** What another process wrote down, after `start`. */
  readonly stored?: number;
  /** After `start`. */
  readonly now: number;
}

interface Row {
  readonly title: string;
  /** What was written down when the process started; absent: nothing was. */
  readonly stored?: number;
  readonly looks: readonly Look[];
}

const rows: readonly Row[] = [
  {
    title: "the wall clock where nothing is written down",
    looks: [{ passes: 0, now: 0 }, { passes: 5, now: 5 }, { passes: dayMs, now: dayMs + 5 }],
  },
  {
    title: "a jump for one step: not at all",
    looks: [{ passes: 0, now: 0 }, { passes: 10, leaps: 8 * dayMs, now: 10 }, { passes: 10, leaps: -8 * dayMs, now: 20 }, {
      passes: doubtMs,
      now: doubtMs + 20,
    }],
  },
  {
    title: "a jump that lasts: once it has been so for long",
    looks: [
      { passes: 0, now: 0 },
      { passes: 10, leaps: 8 * dayMs, now: 10 },
      { passes: doubtMs - 1, now: doubtMs + 9 },
      { passes: 1, now: 8 * dayMs + doubtMs + 10 },
      { passes: 1, now: 8 * dayMs + doubtMs + 11 },
    ],
  },
  {
    title: "a second jump, to elsewhere: doubted anew",
    looks: [
      { passes: 0, now: 0 },
      { passes: 0, leaps: 8 * dayMs, now: 0 },
      { passes: doubtMs - 1, leaps: dayMs, now: doubtMs - 1 },
      { passes: 1, now: doubtMs },
      { passes: doubtMs, now: 9 * dayMs + 2 * doubtMs },
    ],
  },
  {
    title: "a clock that is set back: the same time until it is there again",
    looks: [{ passes: 0, now: 0 }, { passes: 0, leaps: -hourMs, now: 0 }, { passes: minuteMs, now: 0 }, { passes: hourMs, now: minuteMs }],
  },
  {
    title: "a clock that was set back and forward again: doubted, and never less",
    looks: [{ passes: 0, now: 0 }, { passes: 0, leaps: -hourMs, now: 0 }, { passes: 0, leaps: hourMs + dayMs, now: 0 }],
  },
  {
    title: "a start after a day: goes on from what is written down, for as long as any jump is doubted",
    stored: -dayMs,
    looks: [{ passes: 0, now: -dayMs }, { passes: minuteMs, now: minuteMs - dayMs }, { passes: doubtMs - minuteMs, now: doubtMs }],
  },
  { title: "a start after a moment: the wall clock", stored: -minuteMs, looks: [{ passes: 0, now: 0 }] },
  {
    title: "a start behind what is written down: that",
    stored: hourMs,
    looks: [{ passes: 0, now: hourMs }, { passes: 2 * hourMs, now: 2 * hourMs }],
  },
  {
    title: "what another process believed",
    stored: -dayMs,
    looks: [{ passes: 0, now: -dayMs }, { passes: 5, stored: 2, now: 5 }],
  },
  {
    title: "a clock that drifts",
    looks: [
      { passes: 0, now: 0 },
      ...Array.from({ length: 5 }, (_, at) => ({ passes: hourMs, leaps: 2_000, now: (at + 1) * (hourMs + 2_000) })),
    ],
  },
  { title: "a rest of days without a look", looks: [{ passes: 0, now: 0 }, { passes: 9 * dayMs, now: 9 * dayMs }] },
  {
    title: "parts of a millisecond: whole ones",
    looks: [{ passes: 0, now: 0 }, { passes: 0.7, leaps: dayMs, now: 0 }, { passes: 0.7, now: 1 }],
  },
];

describe("createBoundedNow() believes", () => {
  test.each(rows)("$title", ({ stored, looks }) => {
    let wall = start;
    let monotonic = 1_000;
    let latest = stored === undefined ? 0 : start + stored;
    const bounded = createBoundedNow({ now: () => Math.floor(wall), monotonic: () => monotonic, after: () => () => {} });
    for (const look of looks) {
      wall += look.passes + (look.leaps ?? 0);
      monotonic += look.passes;
      latest = bounded.after(look.stored === undefined ? latest : Math.max(latest, start + look.stored));
      expect(latest - start).toBe(look.now);
    }
  });

  test("a jump, and says so once; a start after long is none", () => {
    let wall = start;
    const heard: number[] = [];
    const bounded = createBoundedNow({ now: () => wall, monotonic: () => 0, after: () => () => {} }, (aheadMs) => heard.push(aheadMs));
    bounded.after(start - dayMs);
    expect(heard).toEqual([]);
    bounded.after(start);
    wall += 8 * dayMs;
    for (let look = 0; look < 3; look += 1) bounded.after(start);
    expect(heard).toEqual([8 * dayMs]);
  });
});
