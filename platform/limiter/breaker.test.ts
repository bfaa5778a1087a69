/** The circuit breaker on a clock moved by hand. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { openBreaker } from "./breaker.ts";

function underTest() {
  const clock = fakeClock();
  const events: string[] = [];
  const probes: { answer(error?: Error): void }[] = [];
  const breaker = openBreaker({
    clock,
    probeEveryMs: 100,
    probe: () => new Promise<void>((resolve, reject) => probes.push({ answer: (error) => error ? reject(error) : resolve() })),
    changed: (state) => events.push(state.closed ? "closed" : `open: ${String(state.error)}`),
  });
  async function answer(index: number, error?: Error): Promise<void> {
    probes[index]?.answer(error);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { breaker, clock, events, probes, answer };
}

test("openBreaker() is open until a probe succeeds", async () => {
  const { breaker, events, answer } = underTest();
  expect(breaker.closed).toBe(false);
  const probe = breaker.probe();
  await answer(0);
  await probe;
  expect(breaker.closed).toBe(true);
  expect(events).toEqual(["closed"]);
});

test("openBreaker() probes again and again after a failure, one probe at a time, and tells each change once", async () => {
  const { breaker, clock, events, probes, answer } = underTest();
  void breaker.probe();
  await answer(0);
  breaker.trip(new Error("gone"));
  breaker.trip(new Error("gone as well"));
  expect(breaker.closed).toBe(false);
  clock.advance(99);
  expect(probes).toHaveLength(1);
  clock.advance(1);
  expect(probes).toHaveLength(2);
  clock.advance(1_000);
  expect(probes).toHaveLength(2);
  await answer(1, new Error("still gone"));
  clock.advance(100);
  await answer(2);
  expect(breaker.closed).toBe(true);
  expect(events).toEqual(["closed", "open: Error: gone", "closed"]);
});

test("openBreaker() tells once that nothing was reached from the beginning", async () => {
  const { breaker, clock, events, answer } = underTest();
  void breaker.probe();
  await answer(0, new Error("refused"));
  clock.advance(100);
  await answer(1, new Error("still refused"));
  expect(events).toEqual(["open: Error: refused"]);
  clock.advance(100);
  await answer(2);
  expect(events).toEqual(["open: Error: refused", "closed"]);
});

test("openBreaker() probes no more after its end, and a late probe closes nothing", async () => {
  const { breaker, clock, events, probes, answer } = underTest();
  void breaker.probe();
  breaker.end();
  await answer(0);
  clock.advance(1_000);
  expect(breaker.closed).toBe(false);
  expect(probes).toHaveLength(1);
  expect(events).toEqual([]);
});
