/** The views of a resolver together hold so many rows, whichever was used last. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import type { UserId } from "../domain/record/user-key.ts";
import { createViews, rowsInHeap, type Views } from "./views.ts";

/** A step that loads so many rows of a workspace. */
function step(views: Views, workspaceId: string, rows: number, run: number): void {
  const view = views.of(workspaceId);
  const found = new Map(Array.from({ length: rows }, (_, n) => [`x:user-${run}-${n}` as const, "0".padStart(24, "0") as UserId]));
  view.load([...found.keys()], found);
  view.confirm();
  views.evict();
}

function known(views: Views, workspaceId: string, row: number): boolean {
  return views.of(workspaceId).peek(`x:user-0-${row}`) !== undefined;
}

test("a workspace that was not used for long gives its rows back to those that come", () => {
  const rowsMax = 1_000;
  const views = createViews(1, rowsMax);
  step(views, "first", rowsMax - 1, 0);
  expect(known(views, "first", 0)).toBe(true);
  views.evict();
  for (let n = 0; n < 100; n += 1) for (const round of [0, 1]) step(views, `ws-${n}`, 1, round);
  // A row that was read stays for longer
  expect(known(views, "first", 1)).toBe(false);
});

test("a view with rows on the way to the store is never the one that goes: a step has no more workspaces than there are views", () => {
  expect(limits.stepRecordsMax).toBeLessThanOrEqual(limits.workspacesCachedMax);
});

test("a partition keeps more rows where the heap may grow to more, its share of them, and never fewer than so many", () => {
  expect(rowsInHeap(128 * 1024 ** 2, 1)).toBe(limits.identityCacheEntriesMin);
  expect(rowsInHeap(4 * 1024 ** 3, 1)).toBe(2 * 1024 * 1024);
  expect(rowsInHeap(4 * 1024 ** 3, 4)).toBe(512 * 1024);
});

test("a step looks at the workspaces that it used and at as many others and one, however many there are", () => {
  const views = createViews();
  for (let n = 0; n < 100; n += 1) step(views, `ws-${n}`, 1, n);
  let looks = 0;
  for (let n = 0; n < 100; n += 1) {
    const view = views.of(`ws-${n}`);
    const evict = view.evict;
    Object.assign(view, {
      evict(max: number) {
        looks += 1;
        evict(max);
      },
    });
  }
  views.evict();
  looks = 0;
  views.of("ws-0");
  views.evict();
  expect(looks).toBeLessThanOrEqual(3);
});
