/** Events go out in their order, and none is forgotten without a word. */
import { expect, test } from "vitest";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { createOutgoing } from "./outgoing.ts";

function named(eventId: string): PublishedEvent {
  return { eventId, subject: "s", scope: "w", key: "k", body: new Uint8Array() };
}

/** A stream that answers when the test says so. */
function slowStream() {
  const asked: { readonly ids: readonly string[]; readonly isAwaited: boolean; readonly answer: PromiseWithResolvers<void> }[] = [];
  return {
    asked,
    publish(events: readonly PublishedEvent[], isAwaited = false): Promise<void> {
      const answer = Promise.withResolvers<void>();
      asked.push({ ids: events.map(({ eventId }) => eventId), isAwaited, answer });
      return answer.promise;
    },
  };
}

test("those that wait together go out in one go, in their order", async () => {
  const stream = slowStream();
  const outgoing = createOutgoing(stream.publish);
  const sent = ["a", "b", "c"].map((id) => outgoing.send([named(id)]));
  await expect.poll(() => stream.asked.length).toBe(1);
  stream.asked[0]?.answer.resolve();
  await Promise.all(sent);
  expect(stream.asked.map(({ ids }) => ids)).toEqual([["a", "b", "c"]]);
});

test("what was under way before a reset takes nothing of what is sent after it", async () => {
  const stream = slowStream();
  const outgoing = createOutgoing(stream.publish);
  void outgoing.send([named("a")]);
  await expect.poll(() => stream.asked.length).toBe(1);
  void outgoing.send([named("b")]);
  outgoing.reset();
  void outgoing.send([named("x")]);
  await expect.poll(() => stream.asked.length).toBe(2);
  outgoing.send([named("y")]).catch(() => {});
  stream.asked[0]?.answer.resolve();
  stream.asked[1]?.answer.resolve();
  await expect.poll(() => stream.asked.length).toBe(3);
  const settled = outgoing.settled();
  stream.asked[2]?.answer.reject(new Refusal("LOG_UNAVAILABLE"));
  await expect(settled).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
  expect(stream.asked.map(({ ids }) => ids)).toEqual([["a"], ["x"], ["y"]]);
});

test("those of which one is waited for are so together, and those after them are not", async () => {
  const stream = slowStream();
  const outgoing = createOutgoing(stream.publish);
  const sent = [outgoing.send([named("a")]), outgoing.send([named("b")], true)];
  await expect.poll(() => stream.asked.length).toBe(1);
  sent.push(outgoing.send([named("c")]));
  stream.asked[0]?.answer.resolve();
  await expect.poll(() => stream.asked.length).toBe(2);
  stream.asked[1]?.answer.resolve();
  await Promise.all(sent);
  expect(stream.asked.map(({ ids, isAwaited }) => [ids, isAwaited])).toEqual([[["a", "b"], true], [["c"], false]]);
});
