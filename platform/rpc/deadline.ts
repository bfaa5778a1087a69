/** Deadlines of calls that were taken in: time is kept to answer, and what cannot finish is not begun. */
import type { CallOptions, HandlerContext } from "@connectrpc/connect";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";

/**
 * Runs `work` within the time its caller waits, less what the answer needs to travel. The context that `work` gets
 * knows that shorter time, so calls it makes with `onward` wait less than its own caller does, hop by hop.
 * Refuses DEADLINE_EXCEEDED at once where too little is left to begin, and when the time is over.
 */
export async function withinDeadline<T>(
  given: HandlerContext,
  clock: Clock,
  work: (context: HandlerContext) => Promise<T> | T,
): Promise<T> {
  const workMs = workMsOf(given.timeoutMs());
  if (workMs < limits.rpcWorkMsMin) throw new Refusal("DEADLINE_EXCEEDED");
  const controller = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => {});
  function end(): void {
    const refusal = new Refusal("DEADLINE_EXCEEDED");
    // First of all, so that work which fails because it was told to stop is no fault
    reject(refusal);
    controller.abort(refusal);
  }
  const endsAt = clock.monotonic() + workMs;
  const cancel = clock.after(workMs, end);
  // The caller hung up: nobody is left to answer, but the work may stop
  given.signal.addEventListener("abort", end);
  try {
    const context = { ...given, signal: controller.signal, timeoutMs: () => endsAt - clock.monotonic() };
    return await Promise.race([work(context), over]);
  } finally {
    cancel();
    given.signal.removeEventListener("abort", end);
  }
}

/** What is left to work of the time a caller waits; without a limit of its own, the longest a call may take. */
export function workMsOf(timeoutMs: number | undefined): number {
  const waits = Math.min(timeoutMs ?? limits.rpcDeadlineMsMax, limits.rpcDeadlineMsMax);
  return waits - Math.min(limits.rpcAnswerReserveMs, waits * answerShareMax);
}

/** Of a short deadline no more than this part is kept for the answer. */
const answerShareMax = 0.2;

/** Headers that go along from hop to hop. */
export const carriedHeaders = ["x-request-id", "traceparent"] as const;

/**
 * Options of a call made while answering another: its remaining time, its signal, its request id and trace.
 * Refuses DEADLINE_EXCEEDED where too little is left to call anybody.
 */
export function onward(context: HandlerContext): CallOptions {
  const timeoutMs = context.timeoutMs();
  if (timeoutMs !== undefined && timeoutMs < limits.rpcWorkMsMin) throw new Refusal("DEADLINE_EXCEEDED");
  const headers: [string, string][] = carriedHeaders.flatMap((name) => {
    const value = context.requestHeader.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
  return { signal: context.signal, headers, ...(timeoutMs !== undefined && { timeoutMs }) };
}
