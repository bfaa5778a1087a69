/** Tests of calls in flight: the bound, the order of results, and what a failure leaves behind. */
import { expect, test } from "vitest";
import { inFlight } from "./in-flight.ts";

test("inFlight() gives results in the order of the items, with at most so many under way", async () => {
  let now = 0;
  let most = 0;
  const results = await inFlight([3, 1, 2, 5, 4], 2, async (item) => {
    now += 1;
    most = Math.max(most, now);
    for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
    now -= 1;
    return item * 10;
  });
  expect(results).toEqual([30, 10, 20, 50, 40]);
  expect(most).toBe(2);
  expect(await inFlight([], 2, () => Promise.reject(new Error("never")))).toEqual([]);
});

test("inFlight() begins nothing after a failure, and waits for what is under way", async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const run = inFlight([1, 2, 3, 4], 2, async (item) => {
    begun.push(item);
    if (item === 1) throw new Error("first");
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    ended.push(item);
  });
  await expect(run).rejects.toThrow("first");
  expect([begun, ended]).toEqual([[1, 2], [2]]);
});
