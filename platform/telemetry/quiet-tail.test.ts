/** When the end of a log is asked for, and when what was answered before counts. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { openQuietTails } from "./quiet-tail.ts";

/** A log whose ends are asked for; `answer` decides when they come. */
function askedLog() {
  const state = { tail: 5, asked: 0, answer: Promise.resolve() };
  let onAppended: (partition: number) => void = () => {};
  const log = {
    async tail() {
      state.asked += 1;
      const { tail } = state;
      await state.answer;
      return tail;
    },
    watch(listener: (partition: number) => void) {
      onAppended = listener;
      return () => {
        onAppended = () => {};
      };
    },
  };
  return { state, log, append: () => [state.tail += 1, onAppended(0)] };
}

test("asks once while nothing happens, again after each record, and now and then in case word of one was lost", async () => {
  const clock = fakeClock();
  const { state, log, append } = askedLog();
  const tails = openQuietTails(log, clock);
  for (let look = 0; look < 5; look += 1) expect(await tails.tail(0)).toBe(5);
  expect(state.asked).toBe(1);
  append();
  expect([await tails.tail(0), await tails.tail(0)]).toEqual([6, 6]);
  expect(state.asked).toBe(2);
  state.tail = 7;
  clock.advance(limits.quietTailMs);
  expect(await tails.tail(0)).toBe(7);
  expect(state.asked).toBe(3);
  tails.close();
});

test("an answer that a record overtook is not kept", async () => {
  const { state, log, append } = askedLog();
  const tails = openQuietTails(log, fakeClock());
  const answered = Promise.withResolvers<void>();
  state.answer = answered.promise;
  const asking = tails.tail(0);
  append();
  answered.resolve();
  expect(await asking).toBe(5);
  expect(await tails.tail(0)).toBe(6);
});
