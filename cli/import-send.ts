/** Sends batches to /users/track: again while the server is busy or down, in halves where it refuses one as a whole. */
import { openClient, RefusedError, UnreachableError } from "../client/client.ts";
import { isPassing } from "../client/retry.ts";
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

/** The answer that settles the objects. Throws a CommandError where going on makes no sense. */
async function requestUntilSettled(body: string, request: Request): Promise<Answer> {
  const { url, apiKey, signal, deadlineMs, wait, now, onRetry } = request;
  const began = now();
  const client = openClient({
    url,
    key: apiKey,
    deadlineMs,
    world: { wait, now },
    onRetry: (error, waitMs) => onRetry(failureText(error), waitMs),
  });
  try {
    const { status, body: answer } = await client.call("trackUsers", { body: {} }, {
      bodyText: body,
      idempotencyKey: request.idempotencyKey,
      signal,
    });
    const settled = answerOf(answer);
    if (!settled || settled.message !== "success") throw notHeddle(url, status, settled?.message);
    return { ...settled, ok: true };
  } catch (error) {
    if (error instanceof RefusedError || error instanceof UnreachableError) return refusedAnswer(error, { url, waitedMs: now() - began });
    throw error;
  }
}

function refusedAnswer(error: RefusedError | UnreachableError, { url, waitedMs }: { url: string; waitedMs: number }): Answer {
  if (isPassing(error)) {
    throw new CommandError(`Gave up after ${Math.round(waitedMs / 1000)} s: ${failureText(error)}. Run the same command again to go on`);
  }
  const { status, body } = error as RefusedError;
  const answer = answerOf(body);
  if (answer && (status === 400 || status === 413)) return { ...answer, ok: false };
  const said = answer ? `: ${answer.message}` : "";
  if (status === 401) throw new CommandError(`The API key is not accepted (401${said}): give a valid one with --key or HEDDLE_API_KEY`);
  if (status === 403) throw new CommandError(`The API key may not import (403${said}): it needs the permission users.track`);
  if (status === 422) {
    throw new CommandError(
      `The server took another request for the same place of this file (422${said}): use the same --batch-size and --concurrency as before, or --run NAME to import it as something new`,
    );
  }
  throw notHeddle(url, status, answer?.message);
}

function notHeddle(url: string, status: number, message: string | undefined): CommandError {
  return new CommandError(`${url} does not answer like Heddle (status ${status}${message ? `: ${message}` : ""}): check --url`);
}

function failureText(error: RefusedError | UnreachableError): string {
  if (error instanceof UnreachableError) return error.message;
  if (error.status === 429) return "the server is asked too often (429)";
  const message = answerOf(error.body)?.message;
  return `the server answers ${error.status}${message ? `: ${message}` : ""}`;
}

/** The body as an answer of /users/track; undefined where it is none. */
function answerOf(body: unknown): Omit<Answer, "ok"> | undefined {
  const value = body as { message?: unknown; errors?: unknown } | null | undefined;
  if (typeof value?.message !== "string") return undefined;
  const errors = Array.isArray(value.errors) ? value.errors as { type?: unknown; input_array?: unknown; index?: unknown }[] : [];
  return {
    message: value.message,
    errors: errors.flatMap(({ type, input_array: inputArray, index }) =>
      typeof inputArray === "string" && typeof index === "number" ? [{ type: String(type), inputArray, index }] : []
    ),
  };
}
