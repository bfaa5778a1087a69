/** When work that is done again and again is done, and when no more. */
import { expect, test } from "vitest";
import { fakeClock } from "./clock.fixture.ts";
import { repeatedly } from "./repeatedly.ts";

test("repeatedly() works again each time, as late as the work says, until it is ended", () => {
  const clock = fakeClock();
  const times: number[] = [];
  const end = repeatedly(clock, 100, () => {
    times.push(clock.monotonic());
    return times.length === 2 ? 10 : undefined;
  });
  clock.advance(350);
  expect(times).toEqual([100, 200, 210, 310]);
  end();
  clock.advance(1_000);
  expect(times).toHaveLength(4);
});

test("repeatedly() counts from the end of what it waits for, and begins nothing where it was ended meanwhile", async () => {
  const clock = fakeClock();
  const turns: PromiseWithResolvers<void>[] = [];
  const end = repeatedly(clock, 100, async () => {
    const turn = Promise.withResolvers<void>();
    turns.push(turn);
    await turn.promise;
  });
  clock.advance(500);
  expect(turns).toHaveLength(1);
  turns[0]?.resolve();
  await expect.poll(() => {
    clock.advance(100);
    return turns.length;
  }).toBe(2);
  end();
  turns[1]?.resolve();
  await turns[1]?.promise;
  clock.advance(1_000);
  expect(turns).toHaveLength(2);
});
