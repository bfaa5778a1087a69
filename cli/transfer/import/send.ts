/** Sends batches to /users/track: again while the server is busy or down, in halves where it refuses one as a whole. */
import { hash } from "node:crypto";

import { openClient, RefusedError, UnreachableError } from "../../../client/client.ts";
import { hasNotConnected, isLate, isPassing, isUntouched } from "../../../client/retry.ts";
import { systemClock } from "../../../platform/clock.ts";
import { type Batch, bodyOf } from "./batches.ts";
import type { SentEntry } from "./entry.ts";
import { type BatchSeal, sentEntries } from "./ledger.ts";
import type { InPart } from "./part.ts";
import type { Refused } from "./report.ts";
import { CommandError } from "../../shell/output.ts";

export interface SendOptions {
  readonly url: string;
  readonly apiKey: string;
  /** How long one batch is tried again without an answer that settles it. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** An earlier run sent the same, and may have had it taken. */
  readonly isRepeat?: boolean;
  /** Called before each wait, for the person who watches. */
  onRetry(reason: string, waitMs: number): void;
}

/** What became of a batch. */
export interface Sent {
  readonly taken: readonly SentEntry[];
  /** Of those taken: of which some fields were not. */
  readonly inPart: readonly InPart[];
  readonly refused: readonly Refused[];
}

/**
 * Sends the objects of a batch and settles each of them: taken, or refused with a text. Fails with a CommandError where going
 * on makes no sense (wrong key, wrong address, deadline over).
 */
export async function sendBatch(batch: Batch, seal: BatchSeal, options: SendOptions): Promise<Sent> {
  const objects = sentEntries(batch.entries);
  const unread = batch.entries.flatMap((entry) => "error" in entry ? [{ entry, text: entry.error }] : []);
  const { refused, ...sent } = objects.length === 0 ? nothing : await sendObjects(objects, seal, options);
  return { ...sent, refused: [...unread, ...refused].sort((a, b) => a.entry.line - b.entry.line) };
}

const nothing: Sent = { taken: [], inPart: [], refused: [] };

async function sendObjects(objects: readonly SentEntry[], seal: BatchSeal, options: SendOptions): Promise<Sent> {
  const { text, sent } = bodyOf({ entries: objects });
  const answer = await requestUntilSettled(text, {
    ...options,
    idempotencyKey: keyOf(objects, seal),
    repeatsLate: objects.length === 1 || options.isRepeat === true,
  });
  if (answer.ok || answer.errors.length > 0) return settle(sent, answer.errors);
  const [only, ...more] = objects;
  if (only && more.length === 0) return { ...nothing, refused: [{ entry: only, text: answer.message }] };
  // Refused as a whole, by one object of it or by its size: the halves show which.
  const middle = Math.ceil(objects.length / 2);
  const first = await sendObjects(objects.slice(0, middle), seal, options);
  const second = await sendObjects(objects.slice(middle), seal, options).catch(afterAHalf);
  return {
    taken: [...first.taken, ...second.taken],
    inPart: [...first.inPart, ...second.inPart],
    refused: [...first.refused, ...second.refused],
  };
}

/** Of the batch a half may be taken. */
function afterAHalf(error: unknown): never {
  throw error instanceof UnsentError ? new CommandError(error.message) : error;
}

/** The server refused the request itself: nothing of the batch was taken. */
class UnsentError extends CommandError {}

export function isUnsent(error: unknown): boolean {
  return error instanceof UnsentError;
}

/** The same objects of the same file always have the same key, so a repeat is not a second purchase. */
function keyOf(objects: readonly SentEntry[], { identity, named }: BatchSeal): string {
  const [offset = 0, part = 0] = objects[0]?.place ?? [];
  const last = objects.at(-1);
  const rows = named ? `-${hash("sha256", objects.map(({ id, json }) => `${id} ${json}`).join("\n"), "hex").slice(0, 32)}` : "";
  return `heddle-import-${identity}-${offset}.${part}-${last?.end ?? 0}.${last?.place[1] ?? 0}${rows}`;
}

/** A row has one entry, whatever is wrong with it. An error that names a field is of an object that was taken without it. */
function settle(sent: ReadonlyMap<string, readonly SentEntry[]>, errors: readonly ObjectError[]): Sent {
  const faults = Map.groupBy(errors, ({ inputArray, index }) => sent.get(inputArray)?.[index]);
  const taken: SentEntry[] = [];
  const inPart: InPart[] = [];
  const refused: Refused[] = [];
  for (const entry of [...sent.values()].flat()) {
    const found = faults.get(entry) ?? [];
    const text = found.map(({ type }) => type).join("; ");
    const fields = found.flatMap(({ field }) => field ?? []);
    if (fields.length < found.length) refused.push({ entry, text });
    else taken.push(entry);
    if (found.length > 0 && fields.length === found.length) inPart.push({ entry, text, fields });
  }
  return { taken, inPart, refused };
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
  /** There where the object was taken without it. */
  readonly field?: string;
}

interface Request extends SendOptions {
  readonly idempotencyKey: string;
  /** Where it does not arrive in time, as over a slow link, nothing smaller can be sent. */
  readonly repeatsLate: boolean;
}

/** The answer that settles the objects. Throws a CommandError where going on makes no sense. */
async function requestUntilSettled(body: string, request: Request): Promise<Answer> {
  const contact = openContact();
  try {
    const answer = await answerTo(body, request, contact);
    if (answer.ok || answer.errors.length > 0 || !contact.mayBeTaken()) return answer;
    throw new CommandError(
      `The server refuses a request that it may have taken before (${answer.message}). Run the same command again to go on`,
    );
  } catch (error) {
    // Only the answer to the same request tells what became of the earlier attempt
    if (error instanceof UnsentError && contact.mayBeTaken()) throw new CommandError(error.message);
    // A wrong address, perhaps: what nobody can have taken is bound to no server
    if (error instanceof CommandError && !contact.isMade()) throw new UnsentError(error.message);
    throw error;
  }
}

async function answerTo(body: string, request: Request, contact: Contact): Promise<Answer> {
  const { url, apiKey, signal, deadlineMs, repeatsLate, onRetry } = request;
  const began = systemClock.monotonic();
  const client = openClient({
    url,
    key: apiKey,
    deadlineMs,
    fetch: contact.fetch,
    onRetry(error, waitMs) {
      contact.failed(error);
      onRetry(failureText(error), waitMs);
    },
  });
  try {
    const { status, body: answer } = await client.call("trackUsers", { body: {} }, {
      bodyText: body,
      idempotencyKey: request.idempotencyKey,
      repeatsLate,
      signal,
    });
    const settled = answerOf(answer);
    if (!settled || settled.message !== "success") throw new CommandError(notHeddle(url, status, settled?.message).message);
    return { ...settled, ok: true };
  } catch (error) {
    if (error instanceof RefusedError || error instanceof UnreachableError) {
      return refusedAnswer(error, { url, repeatsLate, waitedMs: systemClock.monotonic() - began });
    }
    throw error;
  }
}

interface Contact {
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  /** Whether somebody may have got one of the attempts, also one that is under way. */
  isMade(): boolean;
  /** An attempt ended like this, and another one follows. */
  failed(error: unknown): void;
  /** Whether an attempt ended without an answer that tells what became of it. */
  mayBeTaken(): boolean;
}

function openContact(): Contact {
  let made = false;
  let unsettled = false;
  return {
    async fetch(url, init) {
      const before = made;
      made = true;
      try {
        return await fetch(url, init);
      } catch (error) {
        if (hasNotConnected(error)) made = before;
        throw error;
      }
    },
    isMade: () => made,
    failed(error) {
      unsettled ||= !isUntouched(error);
    },
    mayBeTaken: () => unsettled,
  };
}

function refusedAnswer(
  error: RefusedError | UnreachableError,
  { url, repeatsLate, waitedMs }: Pick<Request, "url" | "repeatsLate"> & { readonly waitedMs: number },
): Answer {
  if (isLate(error) && !repeatsLate) {
    // Halves would be sent as a whole by the next run, whose link may be faster
    throw new UnsentError("A request did not arrive in time (408): over a slow link send fewer rows in each, with --batch-size");
  }
  if (isPassing(error) || isLate(error)) {
    throw new CommandError(`Gave up after ${Math.round(waitedMs / 1000)} s: ${failureText(error)}. Run the same command again to go on`);
  }
  const { status, body } = error as RefusedError;
  const answer = answerOf(body);
  if (answer && (status === 400 || status === 413)) return { ...answer, ok: false };
  const said = answer ? `: ${answer.message}` : "";
  if (status === 401) throw new UnsentError(`The API key is not accepted (401${said}): give a valid one with --key-file or in HEDDLE_KEY`);
  if (status === 403) throw new UnsentError(`The API key may not import (403${said}): it needs the permission users.track`);
  if (status === 422) {
    throw new UnsentError(
      `The server took other rows from this place of the file before (422${said}), and the file's .heddle-progress, which knows which rows were taken, is not beside it. Put it back; or import the rows that are new as a file of their own; or, after --batch-size or --concurrency alone changed, use those of before. --run NAME imports the whole file as something new, and what was taken before counts twice`,
    );
  }
  throw notHeddle(url, status, answer?.message);
}

function notHeddle(url: string, status: number, message: string | undefined): CommandError {
  return new UnsentError(`${url} does not answer like Heddle (status ${status}${message ? `: ${message}` : ""}): check --url`);
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
  const errors = Array.isArray(value.errors)
    ? value.errors as { type?: unknown; input_array?: unknown; index?: unknown; field?: unknown }[]
    : [];
  return {
    message: value.message,
    errors: errors.flatMap(({ type, input_array: inputArray, index, field }) =>
      typeof inputArray === "string" && typeof index === "number"
        ? [{ type: String(type), inputArray, index, ...(typeof field === "string" && { field }) }]
        : []
    ),
  };
}
