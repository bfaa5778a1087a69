/** Documents: JSON values by kind and id in partitions, each change of a partition whole and on the condition of what it was planned on. */

/** Values that are read may be shared with other readers: they are never changed. */
export interface Documents {
  /** Undefined where there is none. */
  get(partition: string, key: Key): Promise<unknown>;
  /** All of a kind in the order of their ids, by bytes. For partitions that are known to stay small. */
  list(partition: string, kind: string): Promise<readonly Document[]>;
  /** In the order of their ids, or against it. */
  between(
    partition: string,
    kind: string,
    range: Range & { readonly limit: number; readonly descending?: boolean },
  ): Promise<readonly Document[]>;
  /** As list(), of large values too. */
  ids(partition: string, kind: string): Promise<readonly string[]>;
  /**
   * Reads, plans on that and writes what the plan gives: all or nothing, durably, and only while what was read is as it was. Whatever is
   * read is written too, unless the head is. A plan that gives a text writes nothing, and the text is the outcome.
   * What reads nothing and has nothing large is put as it is: for documents that never change, which it is harmless to put again, and for
   * those that one process alone puts, one time after the other and each time with all that it put before.
   * Refuses STORE_UNAVAILABLE and OUTCOME_UNKNOWN; after the latter the same change may be tried again.
   */
  changeIf<Outcome extends string>(partition: string, change: ChangeIf<Outcome>): Promise<Outcome | "committed">;
}

export interface Key {
  readonly kind: string;
  readonly id: string;
}

export interface Document {
  readonly id: string;
  readonly value: unknown;
}

/** Ids between these two, neither of them among it. */
interface Range {
  readonly above?: string;
  readonly below?: string;
}

export interface ChangeIf<Outcome extends string> {
  /** What the plan rests on; never a large value. */
  readonly reads: readonly Key[];
  /** Values of megabytes that the plan may give, the same objects: they are written before it is this change's turn, and count with it. */
  readonly large?: readonly Write[];
  /** Pure, as it may run again: on what was read, in the order of `reads`. No two writes have one key. */
  plan(found: readonly unknown[]): readonly Write[] | Outcome;
}

/** Without a value the document goes. A value with `expiresAt` (Unix milliseconds) goes by itself some time after that. */
export interface Write {
  readonly key: Key;
  readonly value: unknown;
}

/** What a partition as a whole has: one document, beside all others. */
export const head: Key = { kind: "head", id: "" };

/** The head one change later: `revision` counts the changes that were made on the condition of the head. */
export function nextHead(found: unknown): Write & { readonly value: { readonly revision: number } } {
  return { key: head, value: { ...(found as object | undefined), revision: revisionOf(found) + 1 } };
}

export function revisionOf(found: unknown): number {
  return (found as { readonly revision: number } | undefined)?.revision ?? 0;
}

/** Ids are compared by their bytes: none is empty, none has a zero byte, and none begins with so many of the last character. */
export const idsBelowAll = "";
export const idsAboveAll = "\u{10ffff}".repeat(256);

export function keyText({ kind, id }: Key): string {
  return `${kind} ${id}`;
}
