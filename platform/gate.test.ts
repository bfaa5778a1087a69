/** A gate lets so many in, in their order, and a failure gives its place on. */
import { expect, test } from "vitest";
import { createGate } from "./gate.ts";

test("run() lets at most as many in as allowed, in the order they came", async () => {
  const gate = createGate(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [0, 1, 2, 3].map((at) =>
    gate.run(() => {
      begun.push(at);
      return new Promise<number>((resolve) => ends.push(() => resolve(at)));
    })
  );
  await settled();
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  expect(await all[1]).toBe(1);
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await Promise.all([all[0], all[2]]);
  await settled();
  ends[3]?.();
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
});

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("run() lets who is urgent by then in first", async () => {
  const gate = createGate(1);
  const begun: string[] = [];
  let isUrgent = false;
  const all = ["a", "b", "c"].map((name) => gate.run(() => Promise.resolve(begun.push(name)), () => isUrgent && name === "c"));
  isUrgent = true;
  await Promise.all(all);
  expect(begun).toEqual(["a", "c", "b"]);
});

test("run() gives the place of a failure to the next", async () => {
  const gate = createGate(1);
  const failed = gate.run(() => Promise.reject(new Error("planted")));
  const next = gate.run(() => Promise.resolve("done"));
  await expect(failed).rejects.toThrow("planted");
  expect(await next).toBe("done");
});
