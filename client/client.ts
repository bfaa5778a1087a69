/**
 * The typed client of the API: one function for all calls. It repeats what may pass, honours Retry-After, gives every write an
 * Idempotency-Key so that a repeat has one effect, and lets reads see the writes it made. Runs on Node and Deno, imports nothing.
 */
import { RefusedError, refusedError, TimeoutError, UnreachableError } from "./errors.ts";
import { type Calls, routes, unkeptWrites, writes } from "./gen/calls.ts";
import { openNewestPosition } from "./newest-position.ts";
import { isLate, isPassing, isUntouched, retryAfterMs, waitMs } from "./retry.ts";

export { RefusedError, UnreachableError } from "./errors.ts";

export type CallName = keyof Calls;

/** What a call takes: its body, query, path and headers. */
export type Input<N extends CallName> = Omit<Calls[N], "answer" | "reason">;

export interface Answer<N extends CallName> {
  readonly status: number;
  readonly body: Calls[N]["answer"];
  readonly headers: Headers;
  /** An earlier request with the same key was answered; nothing was done again. */
  readonly replayed: boolean;
  /** A read that waited for earlier writes, and answered although it has not seen all of them. */
  readonly behind: boolean;
}

export interface Client {
  /** Throws RefusedError or UnreachableError once that is certain or the deadline is over; the signal's reason when aborted. */
  call<N extends CallName>(name: N, input: Input<N>, options?: CallOptions): Promise<Answer<N>>;
}

export interface ClientOptions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** An API key, or a SCIM token for the calls of dashboard users. */
  readonly key?: string;
  /** With every request, such as X-Request-Origin. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of one attempt; 60 s unless given. */
  readonly attemptMs?: number;
  /** No attempt begins after it; 120 s unless given, 0 for a single attempt. */
  readonly deadlineMs?: number;
  /** Instead of the runtime's own. */
  readonly fetch?: World["fetch"];
  /** Called before each wait. */
  readonly onRetry?: (error: RefusedError | UnreachableError, waitMs: number) => void;
  /** What the client takes from the world; each has a default. */
  readonly world?: Partial<World>;
}

export interface World {
  fetch(url: URL, init: RequestInit): Promise<Response>;
  /** Resolves after the time; rejects with the signal's reason when it is aborted. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds since any time; setting the machine's clock does not change them. */
  monotonic(): number;
  newKey(): string;
  /** From 0 up to 1. */
  random(): number;
}

export interface CallOptions {
  /** Of a write; made unless given. Give the same one to repeat a call of another process. */
  readonly idempotencyKey?: string;
  /** A write that a read must see; the client's own last write unless given. */
  readonly position?: string;
  /** The body as JSON text, sent as it is instead of `body`. */
  readonly bodyText?: string;
  readonly deadlineMs?: number;
  /** Tries again, as it is, also what did not arrive in time (408). */
  readonly repeatsLate?: boolean;
  /** Of one attempt. */
  readonly attemptMs?: number;
  readonly signal?: AbortSignal;
}

export function openClient(options: ClientOptions): Client {
  const world: World = { ...defaultWorld, ...(options.fetch === undefined ? {} : { fetch: options.fetch }), ...options.world };
  const newest = openNewestPosition();
  return {
    async call<N extends CallName>(name: N, input: Input<N>, callOptions: CallOptions = {}) {
      const request = requestOf(name, input, { options, callOptions, lastPosition: newest.token(), world });
      const answered = newest.sent();
      const response = await untilSettled<N>(request, { options, callOptions, world }).catch((error: unknown) => {
        // The log is another one: the caller is told that writes may be lost, and the next read would fail for nothing
        const isLost = error instanceof RefusedError && error.reason === "POSITION_INVALID";
        if (isLost) newest.forget(request.init.headers.get("x-heddle-position") ?? "");
        throw error;
      });
      const position = response.headers.get("x-heddle-position") ?? "";
      if (position !== "") answered(position, response.replayed);
      return response;
    },
  };
}

/** A body that is a text is that of a form, as the types have it. */
const form = "application/x-www-form-urlencoded";
const attemptMsDefault = 60_000;
const deadlineMsDefault = 120_000;
const notModified = 304;

const defaultWorld: World = {
  fetch: (url, init) => fetch(url, init),
  wait,
  now: () => Date.now(),
  monotonic: () => performance.now(),
  newKey: () => crypto.randomUUID(),
  random: () => Math.random(),
};

interface Given {
  readonly options: ClientOptions;
  readonly callOptions: CallOptions;
  readonly world: World;
}

interface Request {
  readonly name: CallName;
  readonly url: URL;
  readonly init: RequestInit & { readonly headers: Headers };
}

/** Parts of any call's input, whatever its name. */
interface AnyInput {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** Not by a pattern: one for the end of a text starts anew at every place. */
function withoutSlash(url: string): string {
  let end = url.length;
  while (url.charAt(end - 1) === "/") end -= 1;
  return url.slice(0, end);
}

function requestOf(name: CallName, input: AnyInput, given: Given & { readonly lastPosition: string }): Request {
  const [method = "", pattern = ""] = routes[name].split(" ");
  const path = pattern.replaceAll(/:(\w+)/g, (_, parameter: string) => segmentOf(name, parameter, input.path?.[parameter]));
  const url = new URL(withoutSlash(given.options.url) + path);
  for (const [parameter, value] of Object.entries(input.query ?? {})) {
    for (const each of [value].flat()) if (each !== undefined) url.searchParams.append(parameter, String(each));
  }
  const body = given.callOptions.bodyText ??
    (typeof input.body === "object" ? JSON.stringify(input.body) : input.body as string | undefined);
  return {
    name,
    url,
    init: { method, redirect: "manual", headers: headersOf(name, input, { ...given, body }), ...(body === undefined ? {} : { body }) },
  };
}

/** URL takes these out, also where they are encoded: another route would be called. */
function segmentOf(name: CallName, parameter: string, value: unknown): string {
  const text = String(value ?? "");
  if (text === "" || text === "." || text === "..") throw new TypeError(`${name} cannot be called with the ${parameter} "${text}"`);
  return encodeURIComponent(text);
}

function headersOf(name: CallName, input: AnyInput, given: Given & { readonly lastPosition: string; readonly body: unknown }): Headers {
  const { options, callOptions, lastPosition, world, body } = given;
  const headers = new Headers(options.headers);
  if (options.key !== undefined) headers.set("authorization", `Bearer ${options.key}`);
  if (body !== undefined) headers.set("content-type", typeof input.body === "string" ? form : "application/json");
  if (writes.has(name)) headers.set("idempotency-key", callOptions.idempotencyKey ?? world.newKey());
  const position = callOptions.position ?? lastPosition;
  if (!writes.has(name) && !unkeptWrites.has(name) && position !== "") headers.set("x-heddle-position", position);
  for (const [header, value] of Object.entries(input.headers ?? {})) if (value !== undefined) headers.set(header, value);
  return headers;
}

async function untilSettled<N extends CallName>(request: Request, given: Given): Promise<Answer<N>> {
  const { options, callOptions, world } = given;
  const deadline = world.monotonic() + (callOptions.deadlineMs ?? options.deadlineMs ?? deadlineMsDefault);
  /** Of an attempt that may have been done. */
  let unsettled: RefusedError | UnreachableError | undefined;
  for (let attempt = 0;; attempt += 1) {
    try {
      return await once<N>(request, { ...given, mayBeDone: unsettled !== undefined });
    } catch (error) {
      if (!(error instanceof RefusedError || error instanceof UnreachableError)) throw error;
      if (isPassing(error) && !isUntouched(error)) unsettled = error;
      if (error instanceof RefusedError) error.mayBeDone = unsettled !== undefined;
      if (!isRepeated(error, request.name, callOptions.repeatsLate === true || unsettled !== undefined)) throw error;
      const ms = waitMs(error, attempt, world.random());
      if (world.monotonic() + ms > deadline) throw isLate(error) ? unsettled ?? error : error;
      tellRetry(options, error, ms);
      await world.wait(ms, callOptions.signal);
    }
  }
}

function tellRetry({ onRetry }: ClientOptions, error: RefusedError | UnreachableError, ms: number): void {
  try {
    onRetry?.(error, ms);
  } catch (thrown) {
    // oxlint-disable-next-line no-console -- a client has no log of its own
    console.error("onRetry of the Heddle client threw", thrown);
  }
}

/** What arrived too late did nothing; where an earlier attempt may have, only the answer to the same request tells. */
function isRepeated(error: RefusedError | UnreachableError, name: CallName, repeatsLate: boolean): boolean {
  if (isLate(error)) return repeatsLate;
  return unkeptWrites.has(name) ? isUntouched(error) : isPassing(error);
}

async function once<N extends CallName>({ url, init }: Request, given: Given & { readonly mayBeDone: boolean }): Promise<Answer<N>> {
  const { options, callOptions, world, mayBeDone } = given;
  // Workers and browsers refuse to call theirs as a method of something else
  const { fetch } = world;
  const timeout = AbortSignal.timeout(callOptions.attemptMs ?? options.attemptMs ?? attemptMsDefault);
  const signal = callOptions.signal === undefined ? timeout : AbortSignal.any([callOptions.signal, timeout]);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, signal });
    text = await response.text();
  } catch (error) {
    callOptions.signal?.throwIfAborted();
    throw timeout.aborted ? new TimeoutError(options.url, error) : new UnreachableError(options.url, error);
  }
  const { status, headers } = response;
  // An earlier attempt has deleted it, as far as anybody can know
  const isGone = mayBeDone && init.method === "DELETE" && headers.get("x-heddle-reason") === "NOT_FOUND";
  const body = isGone ? undefined : bodyOf(headers, text);
  if (!response.ok && !isGone && status !== notModified) throw refused(response, body, world.now());
  return {
    status,
    headers,
    body: body as Calls[N]["answer"],
    replayed: headers.get("idempotency-replayed") === "true",
    behind: headers.get("x-heddle-read") === "behind",
  };
}

function bodyOf(headers: Headers, text: string): unknown {
  if (text === "") return undefined;
  if (!headers.get("content-type")?.includes("json")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function refused({ status, headers }: Response, body: unknown, now: number): RefusedError {
  const fields: { message?: unknown; detail?: unknown; errors?: unknown } = typeof body === "object" && body !== null ? body : {};
  const message = fields.message ?? fields.detail;
  return refusedError({
    status,
    message: typeof message === "string" ? message : `Status ${status}`,
    reason: headers.get("x-heddle-reason") ?? undefined,
    errors: Array.isArray(fields.errors) ? fields.errors : [],
    requestId: headers.get("x-request-id") ?? undefined,
    body,
    retryAfterMs: retryAfterMs(headers, now),
  });
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const timer = setTimeout(finish, ms);
    signal?.addEventListener("abort", finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    }
  });
}
