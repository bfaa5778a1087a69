/** Gathers entries into requests: bounded in size, and never so that the order of one user's objects changes. */
import { fnv1a } from "../../../platform/fnv1a.ts";
import { type Entry, type ObjectArray, objectArrays, type SentEntry } from "./entry.ts";

export interface Batch {
  /** In the order of the file; errors of lines travel with their neighbours, so that each is reported once. */
  readonly entries: readonly Entry[];
}

export interface BatchLimits {
  readonly objectsMax: number;
  readonly bytesMax: number;
}

export interface BatchGatherer {
  /** Takes an entry; answers with the batch that is finished by it, which the entry is not part of. */
  add(entry: Entry): Batch | undefined;
  /** What has been gathered since; undefined when that is nothing. */
  flush(): Batch | undefined;
}

const ranks: ReadonlyMap<ObjectArray, number> = new Map(objectArrays.map((array, rank) => [array, rank]));

/**
 * A request is processed attributes first, then events, then purchases. So a batch ends where a user's object would
 * overtake an earlier one of the same user, or one that names its user in another way and may mean the same.
 */
export function gatherBatches(limits: BatchLimits): BatchGatherer {
  let entries: Entry[] = [];
  let bytes = 0;
  let rankByUser = new Map<string, number>();
  let rankByKind = new Map<string, number>();

  function flush(): Batch | undefined {
    if (entries.length === 0) return undefined;
    const batch = { entries };
    entries = [];
    bytes = 0;
    rankByUser = new Map();
    rankByKind = new Map();
    return batch;
  }

  function overtakes(entry: Entry): boolean {
    if ("error" in entry) return false;
    const rank = ranks.get(entry.array) ?? 0;
    if ((rankByUser.get(entry.user.key) ?? 0) > rank) return true;
    return [...rankByKind].some(([kind, highest]) => kind !== entry.user.kind && highest > rank);
  }

  function note(entry: Entry): void {
    entries.push(entry);
    if ("error" in entry) return;
    const rank = ranks.get(entry.array) ?? 0;
    bytes += Buffer.byteLength(entry.json);
    rankByUser.set(entry.user.key, Math.max(rank, rankByUser.get(entry.user.key) ?? 0));
    rankByKind.set(entry.user.kind, Math.max(rank, rankByKind.get(entry.user.kind) ?? 0));
  }

  return {
    add(entry) {
      const more = "error" in entry ? 0 : Buffer.byteLength(entry.json);
      const full = entries.length >= limits.objectsMax || (entries.length > 0 && bytes + more > limits.bytesMax);
      const finished = full || overtakes(entry) ? flush() : undefined;
      note(entry);
      return finished;
    },
    flush,
  };
}

/** The request body of the batch and, for each array, the entries in the order they stand there. */
export function bodyOf(batch: Batch): { readonly text: string; readonly sent: ReadonlyMap<string, readonly SentEntry[]> } {
  const parts: string[] = [];
  const sent = new Map<string, readonly SentEntry[]>();
  for (const array of objectArrays) {
    const own = batch.entries.filter((entry): entry is SentEntry => "json" in entry && entry.array === array);
    if (own.length === 0) continue;
    sent.set(array, own);
    parts.push(`"${array}":[${own.map(({ json }) => json).join(",")}]`);
  }
  return { text: `{${parts.join(",")}}`, sent };
}

/** Which of `shards` an entry belongs to: the same user always to the same one. */
export function shardOf(entry: Entry, shards: number): number {
  if (shards === 1 || "error" in entry) return 0;
  return fnv1a(entry.user.key) % shards;
}
