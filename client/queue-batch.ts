/** Objects on their way to /users/track as JSON texts: read once when they are added, joined into the body of a batch. */
import type { ObjectError, TrackBody } from "./gen/calls.ts";

export type Kind = "attributes" | "events" | "purchases";

export interface Queued {
  readonly kind: Kind;
  readonly json: string;
  readonly bytes: number;
}

/** What a batch may hold. */
export interface BatchLimits {
  readonly objectsPerArray: number;
  readonly objects: number;
  readonly bytes: number;
}

const kinds: readonly Kind[] = ["attributes", "events", "purchases"];
const encoder = new TextEncoder();
/** Names of the arrays, braces and commas. */
const frameBytes = 64;

/** The objects as they are now: what the caller changes afterwards does not count. Throws where one is no JSON. */
export function readObjects(objects: TrackBody): readonly Queued[] {
  return kinds.flatMap((kind) =>
    (objects[kind] ?? []).map((object): Queued => {
      const json = JSON.stringify(object) as string | undefined;
      if (json === undefined) throw new TypeError(`An object of "${kind}" must be JSON, not ${typeof object}`);
      return { kind, json, bytes: encoder.encode(json).length + 1 };
    })
  );
}

/** How many from the first on go into one request; at least one, so that the server can say what is wrong with it. */
export function fitting(queue: readonly Queued[], limits: BatchLimits): number {
  const counts = { attributes: 0, events: 0, purchases: 0 };
  let bytes = frameBytes;
  let count = 0;
  for (const object of queue) {
    counts[object.kind] += 1;
    bytes += object.bytes;
    if (counts[object.kind] > limits.objectsPerArray || count >= limits.objects || bytes > limits.bytes) break;
    count += 1;
  }
  return Math.max(1, count);
}

export function bodyText(batch: readonly Queued[]): string {
  const arrays = kinds.flatMap((kind) => {
    const texts = batch.filter((object) => object.kind === kind).map(({ json }) => json);
    return texts.length === 0 ? [] : [`"${kind}":[${texts.join()}]`];
  });
  return `{${arrays.join()}}`;
}

/** What is said of each object that is named. */
export function entriesOf(batch: readonly Queued[], entries: readonly ObjectError[]): ReadonlyMap<Queued, readonly ObjectError[]> {
  const found = new Map<Queued, readonly ObjectError[]>();
  for (const entry of entries) {
    const object = batch.filter(({ kind }) => kind === entry.input_array)[entry.index];
    if (object !== undefined) found.set(object, [...found.get(object) ?? [], entry]);
  }
  return found;
}
