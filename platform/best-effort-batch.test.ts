/** What is collected is written together, one write at a time and in order, and no more waits than there is room for. */
import { expect, test } from "vitest";
import { fakeClock } from "./clock.fixture.ts";
import { BestEffortBatch, type Loss } from "./best-effort-batch.ts";

const collectMs = 100;

function open({ itemsMax = 10, ...more }: { readonly itemsMax?: number; readonly bytesMax?: number } = {}) {
  const clock = fakeClock();
  const written: string[][] = [];
  const losses: Loss[] = [];
  let held: PromiseWithResolvers<void> | undefined;
  const collected = new BestEffortBatch<string>({
    clock,
    collectMs,
    itemsPerWriteMax: 3,
    itemsMax,
    ...more,
    async write(items) {
      written.push([...items]);
      await held?.promise;
    },
    lost: (loss) => losses.push(loss),
  });
  return {
    collected,
    written,
    losses,
    passCollectTime: () => clock.advance(collectMs),
    /** Writes wait until the given call settles them. */
    hold() {
      const own = held = Promise.withResolvers<void>();
      return {
        letGo() {
          held = undefined;
          own.resolve();
        },
        fail(error: Error) {
          held = undefined;
          own.reject(error);
        },
      };
    },
  };
}

test("what comes within the time is one write", () => {
  const { collected, written, passCollectTime } = open();
  collected.add("a");
  collected.add("b");
  expect(written).toEqual([]);
  passCollectTime();
  expect(written).toEqual([["a", "b"]]);
});

test("a full write goes at once", () => {
  const { collected, written } = open();
  for (const item of ["a", "b", "c"]) collected.add(item);
  expect(written).toEqual([["a", "b", "c"]]);
});

test("one write at a time: what comes meanwhile goes after it, in order", async () => {
  const { collected, written, hold } = open();
  const slow = hold();
  for (const item of ["a", "b", "c", "d", "e", "f", "g"]) collected.add(item);
  expect(written).toEqual([["a", "b", "c"]]);
  slow.letGo();
  await collected.close();
  expect(written).toEqual([["a", "b", "c"], ["d", "e", "f"], ["g"]]);
});

test("behind a write that hangs no more waits than there is room for, and the loss is told once", async () => {
  const { collected, written, losses, hold } = open({ itemsMax: 5 });
  const slow = hold();
  for (let at = 0; at < 100; at += 1) collected.add(String(at));
  expect(losses).toEqual([]);
  slow.letGo();
  await collected.close();
  expect(written).toEqual([["0", "1", "2"], ["3", "4"]]);
  expect(losses).toEqual([{ items: 95, reason: "full", error: expect.any(Error) }]);
});

test("room is bounded in bytes too, and comes back", async () => {
  const { collected, written, losses, passCollectTime, hold } = open({ bytesMax: 10 });
  collected.add("x".repeat(9));
  passCollectTime();
  expect(losses).toEqual([{ items: 1, reason: "full", error: expect.any(Error) }]);
  const slow = hold();
  for (const item of ["äöü", "d", "e"]) collected.add(item);
  passCollectTime();
  slow.letGo();
  await expect.poll(() => losses).toHaveLength(2);
  for (const item of ["f", "g"]) collected.add(item);
  await collected.close();
  expect(written).toEqual([["äöü"], ["f", "g"]]);
});

test("a write that fails loses what was in it, and the next goes on", async () => {
  const { collected, written, losses, hold } = open();
  const error = new Error("away");
  const slow = hold();
  for (const item of ["a", "b", "c", "d"]) collected.add(item);
  slow.fail(error);
  await expect.poll(() => written).toEqual([["a", "b", "c"], ["d"]]);
  expect(losses).toEqual([{ items: 3, reason: "failed", error }]);
});

test("at the end a failed write takes the rest with it, and what comes later is lost", async () => {
  const { collected, written, losses, hold } = open();
  const error = new Error("away");
  const slow = hold();
  for (const item of ["a", "b", "c", "d", "e"]) collected.add(item);
  const closed = collected.close();
  slow.fail(error);
  await closed;
  collected.add("f");
  expect(written).toEqual([["a", "b", "c"]]);
  expect(losses).toEqual([{ items: 5, reason: "failed", error }, { items: 1, reason: "full", error: expect.any(Error) }]);
});
