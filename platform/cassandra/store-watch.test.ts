/** A store that goes and comes back, as a process sees it. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { watchStore } from "./store-watch.ts";

test("watchStore() tells within one look that the store is gone, and that it is back", async () => {
  const clock = fakeClock();
  const store = { answers: true };
  const watch = watchStore(clock, () => store.answers ? Promise.resolve() : Promise.reject(new Error("away")));
  for (const answers of [true, false, false, true]) {
    store.answers = answers;
    clock.advance(limits.cassandraLookMs);
    await expect.poll(() => watch.there).toBe(answers);
  }
  watch.close();
});

test("watchStore() asks no more after close(), not even when it closes while it asks", async () => {
  const clock = fakeClock();
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const watch = watchStore(clock, () => {
    asked += 1;
    return answer.promise;
  });
  clock.advance(limits.cassandraLookMs);
  watch.close();
  answer.resolve();
  await answer.promise;
  await Promise.resolve();
  clock.advance(10_000);
  expect(asked).toBe(1);
});
