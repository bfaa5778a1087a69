/** Deadlines of calls that were taken in: time is kept to answer, what cannot finish is not begun, and calls made on the way inherit. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import type { CallOptions, HandlerContext } from "@connectrpc/connect";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";

/**
 * Runs `work` within the time its caller waits, less what the answer needs to travel. The context that `work` gets
 * knows that shorter time, so calls made while it runs wait less than its own caller does, hop by hop.
 * Refuses DEADLINE_EXCEEDED at once where too little is left to begin, and when the time is over.
 */
export async function withinDeadline<T>(
  given: HandlerContext,
  clock: Clock,
  work: (context: HandlerContext) => Promise<T> | T,
): Promise<T> {
  const timeoutMs = workMsOf(given.timeoutMs());
  if (timeoutMs < limits.rpcWorkMsMin) throw new Refusal("DEADLINE_EXCEEDED");
  const deadline = startDeadline({ timeoutMs, signal: given.signal }, clock);
  try {
    const context = { ...given, signal: deadline.signal, timeoutMs: deadline.leftMs };
    return await Promise.race([answering(context, () => work(context)), deadline.passed]);
  } finally {
    deadline.end();
  }
}

export interface Deadline {
  /** Aborts when the time is over or the caller's signal aborts. */
  readonly signal: AbortSignal;
  /** Undefined: as long as it takes. */
  leftMs(): number | undefined;
  /** Rejects when `signal` aborts. */
  readonly passed: Promise<never>;
  end(): void;
}

/** Refuses DEADLINE_EXCEEDED where the caller has gone already. */
export function startDeadline({ timeoutMs, signal }: Pick<CallOptions, "timeoutMs" | "signal">, clock: Clock): Deadline {
  if (signal?.aborted) throw new Refusal("DEADLINE_EXCEEDED");
  const controller = new AbortController();
  const { promise: passed, reject } = Promise.withResolvers<never>();
  passed.catch(() => {});
  function pass(): void {
    // Made here and not for each call: an error has a stack, and most calls are answered in time
    const refusal = new Refusal("DEADLINE_EXCEEDED");
    // First of all, so that work which fails because it was aborted is no fault
    reject(refusal);
    controller.abort(refusal);
  }
  const cancel = timeoutMs === undefined ? undefined : clock.after(timeoutMs, pass);
  signal?.addEventListener("abort", pass);
  const endsAt = timeoutMs === undefined ? undefined : clock.monotonic() + timeoutMs;
  return {
    signal: controller.signal,
    leftMs: () => endsAt === undefined ? undefined : endsAt - clock.monotonic(),
    passed,
    end() {
      cancel?.();
      signal?.removeEventListener("abort", pass);
    },
  };
}

/** What is left to work of the time a caller waits; without a limit of its own, the longest a call may take. */
export function workMsOf(timeoutMs: number | undefined): number {
  const waits = Math.min(timeoutMs ?? limits.rpcDeadlineMsMax, limits.rpcDeadlineMsMax);
  return waits - Math.min(limits.rpcAnswerReserveMs, waits * answerShareMax);
}

/** Of a short deadline no more than this part is kept for the answer. */
const answerShareMax = 0.2;

/** Headers that go along from hop to hop. */
const carriedHeaders = ["x-request-id", "traceparent"] as const;

/** The call that is being answered, for those that are made meanwhile, however deep. */
const answered = new AsyncLocalStorage<HandlerContext>();

/** Runs `work`, the answer of the call: what it calls inherits (`onward`). */
export function answering<T>(context: HandlerContext, work: () => T): T {
  return answered.run(context, work);
}

/**
 * Options of a call with what it inherits from the one that is being answered, if any: never more time than that one has left,
 * its request id and trace, and for a method without side effects its end, when the client has gone. Whether a write is
 * done must not depend on who still listens. Refuses DEADLINE_EXCEEDED where too little is left for another call.
 */
export function onward<Given extends CallOptions>(
  given: Given,
  { method, deadlineMs }: { readonly method: Pick<DescMethod, "idempotency">; readonly deadlineMs?: number },
): Given {
  const context = answered.getStore();
  if (context === undefined) return given;
  const leftMs = context.timeoutMs();
  if (leftMs !== undefined && leftMs < limits.rpcWorkMsMin) throw new Refusal("DEADLINE_EXCEEDED");
  const timeoutMs = least(given.timeoutMs ?? deadlineMs, leftMs);
  const signal = method.idempotency === Idempotency.NO_SIDE_EFFECTS ? either(given.signal, context.signal) : given.signal;
  return {
    ...given,
    headers: carried(context, given.headers),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(signal !== undefined && { signal }),
  };
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? a ?? b : Math.min(a, b);
}

function either(own: AbortSignal | undefined, inherited: AbortSignal): AbortSignal {
  return own === undefined ? inherited : AbortSignal.any([own, inherited]);
}

/** What the call says itself goes before. */
function carried({ requestHeader }: HandlerContext, given: CallOptions["headers"]): Headers {
  const headers = new Headers(given);
  for (const name of carriedHeaders) {
    const value = requestHeader.get(name);
    if (value !== null && !headers.has(name)) headers.set(name, value);
  }
  return headers;
}
