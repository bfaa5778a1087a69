/** Work behind its owner: one at a time, and a failure comes once to who asks. */
import { expect, test } from "vitest";
import { createOneBehind } from "./one-behind.ts";

test("createOneBehind() begins nothing while one is under way, and is done with it", async () => {
  const behind = createOneBehind();
  const [first, begun] = [Promise.withResolvers<void>(), [] as string[]];
  function begin(name: string): void {
    behind.begin(() => {
      begun.push(name);
      return first.promise;
    });
  }
  begin("first");
  begin("second");
  expect(begun).toEqual(["first"]);
  let isDone = false;
  const done = behind.done().then(() => isDone = true);
  await Promise.resolve();
  expect(isDone).toBe(false);
  first.resolve();
  await done;
  begin("third");
  expect(begun).toEqual(["first", "third"]);
  await behind.done();
});

test("createOneBehind() throws a failure once, and says at once that there is one", async () => {
  const failures: unknown[] = [];
  const behind = createOneBehind((error) => failures.push(error));
  function fail(): void {
    behind.begin(() => Promise.reject(new Error("No")));
  }
  behind.check();
  fail();
  await expect(behind.done()).rejects.toThrow("No");
  behind.check();
  await behind.done();
  fail();
  await expect.poll(() => failures.length).toBe(2);
  expect(() => behind.check()).toThrow("No");
  await behind.done();
});
