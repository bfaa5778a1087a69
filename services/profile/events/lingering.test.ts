/** Lanes share their publishes, and none fails for what is another's. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { lingering } from "./lingering.ts";

function named(eventId: string): PublishedEvent {
  return { eventId, subject: "s", scope: "w", key: "k", body: new Uint8Array() };
}

/** What a stream was asked to take; it refuses as `fault` says. */
function stream(fault: (ids: readonly string[]) => Error | undefined = () => undefined) {
  const asked: string[][] = [];
  const clock = fakeClock();
  const publish = lingering(async (events) => {
    const ids = events.map(({ eventId }) => eventId);
    asked.push(ids);
    const error = fault(ids);
    if (error !== undefined) throw error;
  }, clock);
  return { asked, clock, publish };
}

test("what comes within a moment goes together, each caller's in its order, and what comes later by itself", async () => {
  const { asked, clock, publish } = stream();
  const first = [publish([named("a1"), named("a2")]), publish([named("b1")])];
  expect(asked).toEqual([]);
  clock.advance(limits.eventsLingerMs);
  await Promise.all(first);
  const later = publish([named("a3")]);
  clock.advance(limits.eventsLingerMs);
  await later;
  expect(asked).toEqual([["a1", "a2", "b1"], ["a3"]]);
});

test("one that the stream does not take fails for its caller alone", async () => {
  const { asked, clock, publish } = stream((ids) => (ids.includes("bad") ? new RangeError("bad") : undefined));
  const calls = [publish([named("a")]), publish([named("bad")]), publish([named("c")])];
  clock.advance(limits.eventsLingerMs);
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(asked).toEqual([["a", "bad", "c"], ["a"], ["bad"], ["c"]]);
});

test("while no server takes anything all calls fail at once, and nothing is tried twice", async () => {
  const { asked, clock, publish } = stream(() => new Refusal("LOG_UNAVAILABLE"));
  const calls = [publish([named("a")]), publish([named("b")])];
  clock.advance(limits.eventsLingerMs);
  for (const call of calls) await expect(call).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
  expect(asked).toEqual([["a", "b"]]);
});

test("what something else waits for goes at once, with all that wait, and what comes then waits for others again", async () => {
  const { asked, clock, publish } = stream();
  const first = [publish([named("a")]), publish([named("b")], true)];
  await Promise.all(first);
  expect(asked).toEqual([["a", "b"]]);
  const later = [publish([named("c")]), publish([named("d")])];
  clock.advance(limits.eventsLingerMs);
  await Promise.all(later);
  expect(asked).toEqual([["a", "b"], ["c", "d"]]);
});
