/** Attempts at a call: at which address, how often, and when another one can do no harm. */
import type { DescMethod, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@connectrpc/connect";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import type { Addresses } from "./addresses.ts";
import { noteDefect } from "./call-defect.ts";
import { callerHeader } from "./callers.ts";
import type { Connection } from "./connection.ts";
import { isLost, isNotSent, isSilence, thrownFromError } from "./refusal-wire.ts";

/** Filled in while a call goes on, for a caller that wants to know how it went. */
export interface Attempted {
  attempts: number;
  /** Of the last attempt, as in `http://host:port`; empty while there was none. */
  url: string;
}

export type GivenOptions = CallOptions & { readonly attempted?: Attempted };

export type UnaryCall = (method: DescMethodUnary, message: Message, options: GivenOptions) => Promise<Message>;

export function noteAttempt({ attempted }: GivenOptions, { url }: Connection): void {
  if (attempted === undefined) return;
  attempted.attempts += 1;
  attempted.url = url;
}

export interface CallDeps {
  readonly addresses: Addresses<Connection>;
  readonly clock: Clock;
  readonly caller: string;
  readonly deadlineMs: number;
  readonly logger: Logger;
}

/** Calls until there is an answer, or until another attempt might do harm or comes too late. */
export async function callWithRepeats(
  { addresses, clock, caller, deadlineMs, logger }: CallDeps,
  method: DescMethodUnary,
  { message, given }: { message: Message; given: GivenOptions },
): Promise<Message> {
  const endsAt = clock.monotonic() + (given.timeoutMs ?? deadlineMs);
  const headers = callHeaders(caller, given);
  const tried = new Set<Connection>();
  for (let attempt = 1;; attempt += 1) {
    const leftMs = endsAt - clock.monotonic();
    if (given.signal?.aborted || leftMs < limits.rpcWorkMsMin) throw new Refusal("DEADLINE_EXCEEDED");
    const connection = pickUntried(addresses, tried);
    tried.add(connection);
    noteAttempt(given, connection);
    try {
      const answer = await connection.transport.unary(method, given.signal, Math.floor(leftMs), headers, message);
      addresses.worked(connection);
      return answer.message;
    } catch (error) {
      if (given.signal?.aborted) throw new Refusal("DEADLINE_EXCEEDED");
      noteFailure(addresses, connection, error);
      noteDefect(logger, error, method);
      if (attempt >= limits.rpcAttemptsMax || !mayRepeat(error, method)) {
        throw thrownFromError(error, { sideEffects: hasSideEffects(method) });
      }
    }
    if (tried.size >= addresses.size) {
      tried.clear();
      await new Promise<void>((resolve) => clock.after(retryMs(attempt), resolve));
    }
  }
}

/** One that was not tried, or one that was where all others rest and it no longer does. */
function pickUntried(addresses: Addresses<Connection>, tried: ReadonlySet<Connection>): Connection {
  return addresses.pick(tried) ?? addresses.pick(noConnections) as Connection;
}

const noConnections: ReadonlySet<Connection> = new Set();

export function hasSideEffects(method: DescMethod): boolean {
  return method.idempotency !== Idempotency.NO_SIDE_EFFECTS;
}

/** True where another attempt can do no harm. */
export function mayRepeat(error: unknown, method: DescMethod): boolean {
  return isNotSent(error) || (!hasSideEffects(method) && isLost(error));
}

/**
 * Reports to the addresses how the connection of a failed call does: a refusal is an answer, and a good one. A living server
 * answers before the deadline, so one that was passed in silence speaks against it too.
 */
export function noteFailure(addresses: Addresses<Connection>, connection: Connection, error: unknown): void {
  if (isNotSent(error) || isLost(error) || isSilence(error)) addresses.failed(connection);
  else addresses.worked(connection);
}

export function callHeaders(caller: string, options: CallOptions): Headers {
  const headers = new Headers(options.headers);
  headers.set(callerHeader, caller);
  return headers;
}

/** Longer after each attempt, and different for each caller, so that they do not come back all at once. */
export function retryMs(attempt: number): number {
  return limits.rpcRetryMs * attempt * (0.5 + Math.random());
}
