/** Work behind its owner: one at a time, and a failure comes once to who asks. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createOneBehind } from "./one-behind.ts";

test("createOneBehind() is done when what it began is, and begins no other before", async () => {
  const behind = createOneBehind(() => {});
  await behind.done();
  const work = Promise.withResolvers<void>();
  behind.begin(() => work.promise);
  expect(() => behind.begin(() => Promise.resolve())).toThrow("under way");
  let isDone = false;
  const done = behind.done().then(() => isDone = true);
  await setImmediate();
  expect([isDone, behind.isUnderWay]).toEqual([false, true]);
  work.resolve();
  await done;
  expect(behind.isUnderWay).toBe(false);
  behind.begin(() => Promise.resolve());
  await behind.done();
});

test("createOneBehind() throws a failure once, not behind the next one, and says at once that there is one", async () => {
  const failures: unknown[] = [];
  const behind = createOneBehind((error) => failures.push(error));
  const error = new Error("No");
  function fail(): void {
    behind.begin(() => Promise.reject(error));
  }
  fail();
  await expect(behind.done()).rejects.toThrow(error);
  await behind.done();
  fail();
  await expect.poll(() => failures).toEqual([error, error]);
  behind.begin(() => Promise.resolve());
  await behind.done();
});
