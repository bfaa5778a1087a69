/** Calls that wait for one partition go together, and a fault stays with its caller. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Refusal } from "../refusal.ts";
import { gather } from "./gather.ts";

test("gather(): what comes while a call is under way goes in the next, up to its size; other partitions do not wait", async () => {
  const { calls, gathering, release } = blocked(3);
  const results = ["a", "b", "c", "d", "e"].map((item) => gathering.call("p", item, 1));
  const large = gathering.call("p", "large", 9);
  const other = gathering.call("q", "other", 1);
  expect(calls).toEqual([["a"], ["other"]]);
  release();
  expect(await Promise.all([...results, large, other])).toEqual(["a", "b+c+d", "b+c+d", "b+c+d", "e", "large", "other"]);
  expect(calls).toEqual([["a"], ["other"], ["b", "c", "d"], ["e"], ["large"]]);
});

test("gather(): those of a partition that are full go at the same time, so many at most; what does not fill one waits for all of them", async () => {
  const { calls, gathering, release } = blocked(2, 3);
  const results = ["a", "b", "c", "d", "e", "f", "g"].map((item) => gathering.call("p", item, item === "b" ? 2 : 1));
  expect(calls).toEqual([["a"], ["b"], ["c", "d"]]);
  release();
  expect(await Promise.all(results)).toEqual(["a", "b", "c+d", "c+d", "e+f", "e+f", "g"]);
  expect(calls).toEqual([["a"], ["b"], ["c", "d"], ["e", "f"], ["g"]]);
  await setImmediate();
  expect(gathering.call("p", "later", 1)).toBeInstanceOf(Promise);
  expect(calls.at(-1)).toEqual(["later"]);
});

test("gather(): a fault is of one caller, who alone hears of it; what passes all hear", async () => {
  const calls: string[] = [];
  const gathering = gather<string, string>(async (items) => {
    calls.push(items.join("+"));
    await Promise.resolve();
    if (items.includes("away")) throw new Refusal("STORE_UNAVAILABLE");
    if (items.includes("bad")) throw new Error("planted");
    return items.join("+");
  }, { sizeMax: 10, atOnceMax: 1 });
  const settled = await Promise.allSettled(["first", "good", "bad", "fine"].map((item) => gathering.call("p", item, 1)));
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect(calls).toEqual(["first", "good+bad+fine", "good", "bad", "fine"]);
  await setImmediate();
  const away = await Promise.allSettled(["first", "good", "away"].map((item) => gathering.call("p", item, 1)));
  expect(away.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  expect(await gathering.call("p", "later", 1)).toBe("later");
});

function blocked(sizeMax: number, atOnceMax = 1) {
  const calls: (readonly string[])[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const gathering = gather<string, string>(async (items) => {
    calls.push(items);
    await promise;
    return items.join("+");
  }, { sizeMax, atOnceMax });
  return { calls, gathering, release: resolve };
}
