/** When a failed attempt is worth another one, and how long to wait before it. */
import { RefusedError, UnreachableError } from "./errors.ts";
import type { Reason } from "./gen/calls.ts";

const firstWaitMs = 250;
const longestWaitMs = 10_000;
const longestRetryAfterMs = 600_000;
const doublingsMax = 10;
/** At most so much later than asked, as a part of it. */
const askedSpread = 0.1;
const secondMs = 1_000;
const requestTimeout = 408;
const tooManyRequests = 429;
const serverErrors = 500;
const notImplemented = 501;

/** True for what may pass: no answer, a spent limit, and errors of the server but for a part that it does not have. */
export function isPassing(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  if (!(error instanceof RefusedError)) return false;
  return error.status === tooManyRequests || (error.status >= serverErrors && error.status !== notImplemented);
}

/** True for a request that did not arrive in time: a slow link needs smaller ones, and another attempt may be faster. */
export function isLate(error: unknown): boolean {
  return error instanceof RefusedError && error.status === requestTimeout;
}

/** True where certainly nothing was done: a write that has no key may be sent again. */
export function isUntouched(error: unknown): boolean {
  if (error instanceof UnreachableError) return hasNotConnected(error.cause);
  return isLate(error) || (error instanceof RefusedError && (error.status === tooManyRequests || untouched.has(error.reason)));
}

const untouched: ReadonlySet<Reason | undefined> = new Set<Reason>(["OVERLOADED", "SHUTTING_DOWN", "SERVICE_UNAVAILABLE"]);

/** Whether fetch() failed before anything was sent: no such name, or no process listens there. Deno says it in words, some of its builds in the cause. */
export function hasNotConnected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = (error.cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return notConnected.has(String(code)) || `${error.message} ${String(message)}`.includes("client error (Connect)");
}

const notConnected: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/**
 * Milliseconds before the next attempt: what the answer asks for and up to a tenth more, else doubled each time from 250 ms to 10 s, of which a random
 * part up to half is left out, so that clients do not come back all at once. `attempt` counts from 0, `random` is 0 to 1.
 */
export function waitMs(error: unknown, attempt: number, random: number): number {
  const asked = error instanceof RefusedError ? error.retryAfterMs : undefined;
  // A time that is over already is no wait: a proxy that says so would be asked in a tight loop
  if (asked !== undefined && asked > 0) return Math.round(Math.min(asked, longestRetryAfterMs) * (1 + random * askedSpread));
  const backoff = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt, doublingsMax));
  return Math.round(backoff * (1 - random / 2));
}

/** Milliseconds from Retry-After, in seconds or as a date (RFC 9110 section 10.2.3), or from X-Ratelimit-Retry-After. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get("retry-after") ?? headers.get("x-ratelimit-retry-after");
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * secondMs : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
