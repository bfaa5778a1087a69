/** One task at a time in the background of its owner, and a failure comes once to who asks. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBackgroundTask } from "./background-task.ts";

test("createBackgroundTask() is done when what it began is, and begins no other before", async () => {
  const task = createBackgroundTask(() => {});
  await task.done();
  const work = Promise.withResolvers<void>();
  task.begin(() => work.promise);
  expect(() => task.begin(() => Promise.resolve())).toThrow("under way");
  let isDone = false;
  const done = task.done().then(() => isDone = true);
  await setImmediate();
  expect([isDone, task.isUnderWay]).toEqual([false, true]);
  work.resolve();
  await done;
  expect(task.isUnderWay).toBe(false);
  task.begin(() => Promise.resolve());
  await task.done();
});

test("createBackgroundTask() throws a failure once, not behind the next one, and says at once that there is one", async () => {
  const failures: unknown[] = [];
  const task = createBackgroundTask((error) => failures.push(error));
  const error = new Error("No");
  function fail(): void {
    task.begin(() => Promise.reject(error));
  }
  fail();
  await expect(task.done()).rejects.toThrow(error);
  await task.done();
  fail();
  await expect.poll(() => failures).toEqual([error, error]);
  task.begin(() => Promise.resolve());
  await task.done();
});
