/** Deadlines: time is kept to answer, shrinks from hop to hop, and hopeless work is not begun. */
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { CallOptions, HandlerContext } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { answering, onward, withinDeadline, workMsOf } from "./deadline.ts";

const { resolveUsers: reading, trackUsers: writing } = ProfileService.method;

function contextOf(
  timeoutMs: number | undefined,
  options: { signal?: AbortSignal; headers?: Record<string, string> } = {},
): HandlerContext {
  const signal = options.signal ?? new AbortController().signal;
  return { timeoutMs: () => timeoutMs, signal, requestHeader: new Headers(options.headers) } as HandlerContext;
}

test("workMsOf() keeps time to answer, of a short deadline a fifth, and bounds what has no deadline", () => {
  expect(workMsOf(1_000)).toBe(1_000 - limits.rpcAnswerReserveMs);
  expect(workMsOf(50)).toBe(40);
  expect(workMsOf(undefined)).toBe(limits.rpcDeadlineMsMax - limits.rpcAnswerReserveMs);
  expect(workMsOf(Number.MAX_SAFE_INTEGER)).toBe(limits.rpcDeadlineMsMax - limits.rpcAnswerReserveMs);
});

test("withinDeadline() refuses before the caller stops waiting, and tells the work", async () => {
  const clock = fakeClock();
  let signal: AbortSignal | undefined;
  const answer = withinDeadline(contextOf(1_000), clock, (context) => {
    signal = context.signal;
    return new Promise<never>(() => {});
  });
  clock.advance(979);
  expect(signal?.aborted).toBe(false);
  clock.advance(1);
  await expect(answer).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  expect(signal?.aborted).toBe(true);
});

for (const timeoutMs of [6, 1, 0, -5]) {
  test(`withinDeadline() does not begin what has ${timeoutMs} ms`, async () => {
    let begun = false;
    await expect(withinDeadline(contextOf(timeoutMs), fakeClock(), () => (begun = true))).rejects.toMatchObject({
      reason: "DEADLINE_EXCEEDED",
    });
    expect(begun).toBe(false);
  });
}

test("withinDeadline() does not begin what a caller asked for who has gone", async () => {
  let begun = false;
  const context = contextOf(1_000, { signal: AbortSignal.abort() });
  await expect(withinDeadline(context, fakeClock(), () => (begun = true))).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  expect(begun).toBe(false);
});

test("withinDeadline() deadlines shrink hop by hop, by the time that passed and the time to answer", async () => {
  const clock = fakeClock();
  const seen: (number | undefined)[] = [];
  async function hop(context: HandlerContext, left: number): Promise<void> {
    await withinDeadline(context, clock, () => {
      clock.advance(10);
      const { timeoutMs } = onward<CallOptions>({}, { method: reading });
      seen.push(timeoutMs);
      return left === 0 ? undefined : hop(contextOf(timeoutMs), left - 1);
    });
  }
  await hop(contextOf(1_000), 2);
  expect(seen).toEqual([970, 940, 910]);
});

test("withinDeadline() work that fails because it was told to stop is no fault", async () => {
  const clock = fakeClock();
  const answer = withinDeadline(contextOf(100), clock, ({ signal }) => {
    return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  });
  clock.advance(100);
  await expect(answer).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
});

test("withinDeadline() stops the work of a caller that hung up", async () => {
  const caller = new AbortController();
  let signal: AbortSignal | undefined;
  const answer = withinDeadline(contextOf(undefined, { signal: caller.signal }), fakeClock(), (context) => {
    signal = context.signal;
    return new Promise<never>(() => {});
  });
  caller.abort();
  await expect(answer).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  expect(signal?.aborted).toBe(true);
});

test("withinDeadline() gives what the work gives, and throws what it throws", async () => {
  const clock = fakeClock();
  const fault = new Error("x");
  await expect(withinDeadline(contextOf(100), clock, () => 7)).resolves.toBe(7);
  await expect(withinDeadline(contextOf(100), clock, () => Promise.reject(fault))).rejects.toBe(fault);
  await expect(withinDeadline(contextOf(100), clock, () => {
    throw fault;
  })).rejects.toBe(fault);
});

test("onward() carries request id and trace of the call that is answered, and its end to methods without side effects", () => {
  const { signal } = new AbortController();
  const headers = { "x-request-id": "r1", traceparent: "00-1", "heddle-caller": "gateway", authorization: "x" };
  const context = contextOf(100, { signal, headers });
  const inherited = answering(context, () => onward<CallOptions>({}, { method: reading, deadlineMs: 5_000 }));
  expect([inherited.timeoutMs, inherited.signal]).toEqual([100, signal]);
  expect([...new Headers(inherited.headers)]).toEqual([["traceparent", "00-1"], ["x-request-id", "r1"]]);
  const own = answering(context, () => onward({ timeoutMs: 50, headers: { traceparent: "00-2" } }, { method: writing }));
  expect(own).toMatchObject({ timeoutMs: 50 });
  expect(own).not.toHaveProperty("signal");
  expect(new Headers(own.headers).get("traceparent")).toBe("00-2");
});

test("onward() leaves a call alone that answers nobody", () => {
  const given = { timeoutMs: 7 };
  expect(onward(given, { method: reading, deadlineMs: 5 })).toBe(given);
});

test("onward() calls nobody when the time is as good as over", () => {
  expect(() => answering(contextOf(4), () => onward({}, { method: writing }))).toThrow(
    expect.objectContaining({ reason: "DEADLINE_EXCEEDED" }),
  );
});
