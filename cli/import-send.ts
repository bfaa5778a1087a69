/** Sends batches to /users/track: again while the server is busy or down, in halves where it refuses one as a whole. */
import { type Batch, bodyOf } from "./import-batches.ts";
import { type Entry, type ObjectArray, objectArrays } from "./import-entry.ts";
import { CommandError } from "./output.ts";

export interface SendOptions {
  readonly url: string;
  readonly apiKey: string;
  /** What the idempotency keys of this import begin with. */
  readonly identity: string;
  /** How long one batch is tried again without an answer that settles it. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Waits; rejects when the signal is aborted. */
  wait(ms: number): Promise<void>;
  now(): number;
  /** Told before each wait, for the person who watches. */
  onRetry(reason: string, waitMs: number): void;
}

/** What became of a batch. */
export interface Sent {
  /** Objects taken, by array. */
  readonly taken: Readonly<Record<ObjectArray, number>>;
  readonly errors: readonly LineError[];
}

export interface LineError {
  readonly line: number;
  /** attributes, events, purchases, or line where the line itself cannot be read. */
  readonly type: string;
  readonly text: string;
}

const requestTimeoutMs = 60_000;
const firstWaitMs = 250;
const longestWaitMs = 10_000;
const longestRetryAfterMs = 600_000;

/**
 * Sends the objects of a batch and settles each of them: taken, or refused with a text. Fails with a CommandError where going
 * on makes no sense (wrong key, wrong address, deadline over).
 */
export async function sendBatch(batch: Batch, options: SendOptions): Promise<Sent> {
  const objects = batch.entries.filter((entry) => "json" in entry);
  const unread = batch.entries.flatMap((entry) => "error" in entry ? [{ line: entry.line, type: "line", text: entry.error }] : []);
  const sent = objects.length === 0 ? nothing : await sendObjects(objects, options);
  return { taken: sent.taken, errors: [...unread, ...sent.errors].sort((a, b) => a.line - b.line) };
}

const nothing: Sent = { taken: { attributes: 0, events: 0, purchases: 0 }, errors: [] };

async function sendObjects(objects: readonly Entry[], options: SendOptions): Promise<Sent> {
  const { text, sent } = bodyOf({ entries: objects });
  const answer = await requestUntilSettled(text, { ...options, idempotencyKey: keyOf(objects, options.identity) });
  if (answer.ok || answer.errors.length > 0) return settle(sent, answer.errors);
  const [only, ...more] = objects;
  if (only && more.length === 0) {
    return { ...nothing, errors: [{ line: only.line, type: "array" in only ? only.array : "line", text: answer.message }] };
  }
  // Refused as a whole, by one object of it or by its size: the halves tell.
  const middle = Math.ceil(objects.length / 2);
  const first = await sendObjects(objects.slice(0, middle), options);
  const second = await sendObjects(objects.slice(middle), options);
  const taken = objectArrays.map((array) => [array, first.taken[array] + second.taken[array]]);
  return { taken: Object.fromEntries(taken) as Sent["taken"], errors: [...first.errors, ...second.errors] };
}

/** The same objects of the same file always have the same key, so a repeat is not a second purchase. */
function keyOf(objects: readonly Entry[], identity: string): string {
  const [offset = 0, part = 0] = objects[0]?.place ?? [];
  const last = objects.at(-1);
  return `heddle-import-${identity}-${offset}.${part}-${last?.end ?? 0}.${last?.place[1] ?? 0}`;
}

function settle(sent: ReadonlyMap<string, readonly Entry[]>, errors: readonly ObjectError[]): Sent {
  const taken: Record<ObjectArray, number> = { attributes: 0, events: 0, purchases: 0 };
  for (const array of objectArrays) taken[array] = sent.get(array)?.length ?? 0;
  const lines: LineError[] = [];
  for (const { inputArray, index, type } of errors) {
    const entry = sent.get(inputArray)?.[index];
    if (!entry) continue;
    lines.push({ line: entry.line, type: inputArray, text: type });
    taken[inputArray as ObjectArray] -= 1;
  }
  return { taken, errors: lines };
}

interface Answer {
  readonly ok: boolean;
  readonly message: string;
  readonly errors: readonly ObjectError[];
}

interface ObjectError {
  readonly type: string;
  readonly inputArray: string;
  readonly index: number;
}

type Request = SendOptions & { readonly idempotencyKey: string };

async function requestUntilSettled(body: string, request: Request): Promise<Answer> {
  const began = request.now();
  for (let attempt = 0;; attempt += 1) {
    const outcome = await requestOnce(body, request);
    if ("ok" in outcome) return outcome;
    const backoffMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt, 10));
    const waitMs = Math.min(outcome.waitMs ?? backoffMs, longestRetryAfterMs);
    if (request.now() - began + waitMs > request.deadlineMs) {
      throw new CommandError(
        `Gave up after ${Math.round((request.now() - began) / 1000)} s: ${outcome.again}. Run the same command again to go on`,
      );
    }
    request.onRetry(outcome.again, waitMs);
    await request.wait(waitMs);
  }
}

/** A settled answer, or why to try again and when. */
async function requestOnce(body: string, request: Request): Promise<Answer | { readonly again: string; readonly waitMs?: number }> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(new URL("/users/track", request.url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${request.apiKey}`,
        "idempotency-key": request.idempotencyKey,
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(requestTimeoutMs)]),
    });
    text = await response.text();
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    return { again: `${request.url} does not answer (${failureText(error)})` };
  }
  const wait = retryAfterMs(response.headers, request.now());
  if (response.status === 429) return { again: "the server is asked too often (429)", ...wait };
  if (response.status >= 500) return { again: `the server answers ${response.status}${messageOf(text, ": ")}`, ...wait };
  return settledAnswer(response.status, text, request);
}

function settledAnswer(status: number, text: string, request: Request): Answer {
  const answer = parseAnswer(text);
  if (answer && (status === 200 || status === 201) && answer.message === "success") return { ...answer, ok: true };
  if (answer && (status === 400 || status === 413)) return { ...answer, ok: false };
  const said = messageOf(text, ": ");
  if (status === 401) throw new CommandError(`The API key is not accepted (401${said}): give a valid one with --key or HEDDLE_API_KEY`);
  if (status === 403) throw new CommandError(`The API key may not import (403${said}): it needs the permission users.track`);
  if (status === 422) {
    throw new CommandError(
      `The server took another request for the same place of this file (422${said}): use the same --batch-size and --concurrency as before, or --run NAME to import it as something new`,
    );
  }
  throw new CommandError(`${request.url} does not answer like Heddle (status ${status}${said}): check --url`);
}

function parseAnswer(text: string): Omit<Answer, "ok"> | undefined {
  try {
    const value = JSON.parse(text) as { message?: unknown; errors?: unknown } | null;
    if (typeof value?.message !== "string") return undefined;
    const errors = Array.isArray(value.errors) ? value.errors as { type?: unknown; input_array?: unknown; index?: unknown }[] : [];
    return {
      message: value.message,
      errors: errors.flatMap(({ type, input_array: inputArray, index }) =>
        typeof inputArray === "string" && typeof index === "number" ? [{ type: String(type), inputArray, index }] : []
      ),
    };
  } catch {
    return undefined;
  }
}

function messageOf(text: string, before: string): string {
  const message = parseAnswer(text)?.message;
  return message ? `${before}${message}` : "";
}

function failureText(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error) return ("code" in cause && typeof cause.code === "string" ? cause.code : "") || cause.message;
  return String(cause);
}

/** Retry-After in seconds or as a date (RFC 9110 section 10.2.3). */
function retryAfterMs(headers: Headers, now: number): { waitMs?: number } {
  const value = headers.get("retry-after") ?? headers.get("x-ratelimit-retry-after");
  if (value === null) return {};
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? { waitMs: Math.max(0, ms) } : {};
}
