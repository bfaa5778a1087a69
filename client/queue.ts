/**
 * A queue of objects for /users/track: batched by the route's limits, sent one batch after the other so that the order stays, repeated
 * with the batch's own key until it is answered. The server takes each object that was added, or `onLoss` is called with it.
 */
import type { Client } from "./client.ts";
import { HeddleError, RefusedError } from "./errors.ts";
import { batchLimits, type ObjectError, type TrackBody } from "./gen/calls.ts";
import { type BatchLimits, bodyText, entriesOf, fitting, type Kind, type Queued, readObjects } from "./queue-batch.ts";
import { isLate, isPassing } from "./retry.ts";

export interface QueueOptions {
  /** Objects that wait, 10,000 unless given: what is beyond is lost, and reported. */
  readonly objectsMax?: number;
  /** Bytes of JSON that wait, 16 MiB unless given. */
  readonly bytesMax?: number;
  /** Objects in one request: the route's limit unless given. */
  readonly batchObjectsMax?: number;
  /** How long an object waits for others, 1 s unless given; a full batch goes at once. */
  readonly intervalMs?: number;
  /** How long a batch is tried before it is lost: an hour unless given. */
  readonly deadlineMs?: number;
  /** Objects that will not be sent (again). Unless given `console.error` says how many and why. */
  readonly onLoss?: (loss: Loss) => void;
}

export interface Loss {
  /**
   * `refused`: the server refused the object, or where each of its `entries` has a `field`, these fields, and took the rest. `full`: the queue
   * was. `closed`: after shutdown(). `unanswered`: no answer came in time, shutdown() did not wait for it, an answer was lost and
   * the repeat refused, or something else than Heddle answered, as a proxy does.
   */
  readonly reason: "refused" | "full" | "closed" | "unanswered";
  readonly objects: readonly LostObject[];
  readonly error?: unknown;
  /**
   * Where the objects were sent and no answer came: they may have been taken. Sent again as it is, within 7 days and with the same API key, the
   * request has one effect: `heddle.call("trackUsers", { body: {} }, request)`.
   */
  readonly request?: { readonly idempotencyKey: string; readonly bodyText: string };
}

export interface LostObject {
  readonly kind: Kind;
  /** A copy of what was added. */
  readonly object: unknown;
  /** What the server said of it. */
  readonly entries: readonly ObjectError[];
}

export interface Queue {
  /** False where not all was taken in; `onLoss` has the rest. Throws where an object is no JSON. */
  add(objects: TrackBody): boolean;
  /** Sends what waits, and resolves when all that was added before was answered, or reported as lost. */
  flush(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Takes nothing more, sends what waits; what is not answered in time is lost, and reported. Always resolves. */
  shutdown(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Objects that were added and are not settled. */
  size(): number;
}

const objectsMaxDefault = 10_000;
const bytesMaxDefault = 16 * 1024 * 1024;
const intervalMsDefault = 1_000;
const deadlineMsDefault = 3_600_000;
const shutdownMsDefault = 10_000;

export function openQueue(client: Client, newKey: () => string, options: QueueOptions = {}): Queue {
  return new TrackQueue(client, newKey, options);
}

interface Waiter {
  /** How many objects must be settled, counted from the first ever. */
  readonly settled: number;
  resolve(): void;
}

class TrackQueue implements Queue {
  readonly #client: Client;
  readonly #newKey: () => string;
  readonly #options: QueueOptions;
  readonly #stop = new AbortController();
  #limits: BatchLimits;
  #waiting: Queued[] = [];
  /** Of what waits and of the batch that is sent. */
  #bytes = 0;
  #added = 0;
  #settled = 0;
  #waiters: Waiter[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working = false;
  #closed = false;

  constructor(client: Client, newKey: () => string, options: QueueOptions) {
    this.#client = client;
    this.#newKey = newKey;
    this.#options = options;
    const { objectsPerArray, bytes } = batchLimits.trackUsers;
    this.#limits = { objectsPerArray, objects: Math.max(1, options.batchObjectsMax ?? Number.POSITIVE_INFINITY), bytes };
  }

  add(objects: TrackBody): boolean {
    const read = readObjects(objects);
    if (this.#closed) return this.#lose("closed", read);
    const { objectsMax = objectsMaxDefault, bytesMax = bytesMaxDefault } = this.#options;
    let room = 0;
    for (const object of read) {
      if (this.size() >= objectsMax || this.#bytes + object.bytes > bytesMax) break;
      this.#waiting.push(object);
      this.#bytes += object.bytes;
      this.#added += 1;
      room += 1;
    }
    this.#plan();
    return room === read.length ? true : this.#lose("full", read.slice(room));
  }

  size(): number {
    return this.#added - this.#settled;
  }

  flush({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.size() === 0) return Promise.resolve();
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    void this.#work();
    return new Promise((resolve, reject) => {
      const waiter = { settled: this.#added, resolve: done };
      const abort = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(signal?.reason as Error);
      };
      function done(): void {
        signal?.removeEventListener("abort", abort);
        resolve();
      }
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  async shutdown({ timeoutMs = shutdownMsDefault }: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#closed = true;
    const late = setTimeout(() => this.#stop.abort(new HeddleError("The queue was shut down before the server answered")), timeoutMs);
    await this.flush();
    clearTimeout(late);
  }

  /** A full batch goes at once, others when they have waited. */
  #plan(): void {
    if (this.#working || this.#waiting.length === 0) return;
    if (fitting(this.#waiting, this.#limits) < this.#waiting.length) return void this.#work();
    this.#timer ??= setTimeout(() => void this.#work(), this.#options.intervalMs ?? intervalMsDefault);
  }

  async #work(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#working) return;
    this.#working = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, fitting(this.#waiting, this.#limits));
      await this.#send(batch);
      for (const { bytes } of batch) this.#bytes -= bytes;
      this.#settled += batch.length;
      for (const waiter of this.#waiters.filter(({ settled }) => settled <= this.#settled)) waiter.resolve();
      this.#waiters = this.#waiters.filter(({ settled }) => settled > this.#settled);
    }
    this.#working = false;
  }

  /** Resolves when each object of the batch was taken or reported as lost. */
  async #send(batch: readonly Queued[]): Promise<void> {
    if (this.#stop.signal.aborted) return void this.#lose("unanswered", batch, { error: this.#stop.signal.reason });
    const request = { idempotencyKey: this.#newKey(), bodyText: bodyText(batch) };
    try {
      const { status, body } = await this.#client.call("trackUsers", { body: {} }, {
        ...request,
        deadlineMs: this.#options.deadlineMs ?? deadlineMsDefault,
        signal: this.#stop.signal,
        repeatsLate: batch.length === 1,
      });
      if (body?.message === "success") {
        const entries = entriesOf(batch, body.errors ?? []);
        if (entries.size > 0) this.#lose("refused", [...entries.keys()], { entries });
        return;
      }
      // A proxy, or a page instead of the API
      const error = new HeddleError(`Something else than Heddle answers (status ${status}): look at the address`);
      this.#lose("unanswered", batch, { error, request });
    } catch (error) {
      if (batch.length > 1 && isSplit(error)) return await this.#sendParts(batch, error);
      if (!(error instanceof RefusedError) || isUnanswered(error)) {
        return void this.#lose("unanswered", batch, { error, request });
      }
      this.#lose("refused", batch, { error, entries: entriesOf(batch, error.entries) });
    }
  }

  /**
   * The request had no effect: smaller ones, with keys of their own. Where it held too many objects no later batch is larger than what
   * some plans allow; one object that is nested too deep says nothing of others.
   */
  async #sendParts(batch: readonly Queued[], error: RefusedError): Promise<void> {
    const smaller = Math.min(batchLimits.trackUsers.objectsOfSmallPlans, this.#limits.objects);
    if (isTooLarge(error)) this.#limits = { ...this.#limits, objects: smaller };
    const { objects } = this.#limits;
    const size = batch.length > objects ? objects : Math.ceil(batch.length / 2);
    for (let at = 0; at < batch.length; at += size) await this.#send(batch.slice(at, at + size));
  }

  #lose(reason: Loss["reason"], objects: readonly Queued[], { entries, ...more }: More = {}): false {
    const lost = objects.map((object): LostObject => ({
      kind: object.kind,
      object: JSON.parse(object.json) as unknown,
      entries: entries?.get(object) ?? [],
    }));
    try {
      (this.#options.onLoss ?? complain)({ reason, objects: lost, ...more });
    } catch (error) {
      // oxlint-disable-next-line no-console -- a client has no log of its own
      console.error("onLoss of the Heddle client threw", error);
    }
    return false;
  }
}

interface More extends Pick<Loss, "error" | "request"> {
  readonly entries?: ReadonlyMap<Queued, readonly ObjectError[]>;
}

const contentTooLarge = 413;

/** Tried until the deadline was over, or refused after an attempt that may have been taken, or by something else than Heddle, which says why. */
function isUnanswered(error: RefusedError): boolean {
  if (error.reason === undefined) return true;
  if (error.mayBeDone && error.entries.length === 0) return true;
  return isLate(error) || isPassing(error);
}

/** Of the batch as a whole. */
function isTooLarge({ status, reason }: RefusedError): boolean {
  return status === contentTooLarge || reason === "BATCH_TOO_LARGE";
}

/** Nothing of the batch was taken, and a part of it may be. */
function isSplit(error: unknown): error is RefusedError {
  if (!(error instanceof RefusedError) || error.mayBeDone) return false;
  return isTooLarge(error) || isLate(error) || error.reason === "BODY_TOO_DEEP" || error.reason === "BODY_TOO_WIDE";
}

function complain({ reason, objects, error }: Loss): void {
  const why = error instanceof Error ? `: ${error.message}` : "";
  // oxlint-disable-next-line no-console -- a client has no log of its own
  console.error(`Heddle: ${objects.length} objects are lost (${reason}${why}); give onLoss to keep them`);
}
