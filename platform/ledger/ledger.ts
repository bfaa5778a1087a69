/** A ledger of changes: one chain of hashes for each subject, in which a changed or missing entry shows. */
import { hash } from "node:crypto";
import { hex } from "../user-number.ts";

/** One change of one thing of a subject. */
export interface LedgerChange {
  readonly subject: string;
  readonly what: string;
  readonly kind: string;
  /** null: no state. */
  readonly before: string | null;
  readonly after: string | null;
  /** Unix milliseconds. */
  readonly at: number;
  readonly actor: string;
  readonly requestId: string;
  /** Place of the cause in the intake log, and of the change within it. */
  readonly sequence: number;
  readonly part: number;
}

export interface LedgerEntry extends LedgerChange {
  /** Place in the chain, from 0. */
  readonly index: number;
  /** Hash of the entry before; empty for the first. */
  readonly previous: string;
  /** SHA-256, hex. */
  readonly hash: string;
}

/** The end of a chain, kept apart from it: entries cut off at the end show too. */
export interface ChainHead {
  readonly count: number;
  readonly hash: string;
}

export interface LedgerDamage {
  readonly subject: string;
  readonly index: number;
  readonly reason: string;
}

/** Where a change stands: a copy of a chain in another workspace is no chain. */
export interface Chain {
  readonly workspaceId: string;
  readonly head: ChainHead;
}

export const emptyChain: ChainHead = { count: 0, hash: "" };

export function chained({ workspaceId, head }: Chain, change: LedgerChange): { readonly entry: LedgerEntry; readonly head: ChainHead } {
  const unsigned = { ...change, index: head.count, previous: head.hash };
  const entry = { ...unsigned, hash: hashOf(workspaceId, unsigned) };
  return { entry, head: { count: head.count + 1, hash: entry.hash } };
}

/**
 * The id of the event that reports an entry: its place in the order of all, so that an index of ids grows at its end, and
 * the entry's hash.
 */
export function entryEventId({ sequence, part, hash }: Pick<LedgerEntry, "sequence" | "part" | "hash">): string {
  return `${hex(sequence, 12)}${hex(part, 6)}-${hash}`;
}

/** The first entry of a chain that is not what was written; `entries` in the order of their index. */
export function damageOf({ workspaceId, head }: Chain, entries: readonly LedgerEntry[], subject: string): LedgerDamage | undefined {
  let previous = "";
  for (const [index, entry] of entries.entries()) {
    const reason = entryDamage(workspaceId, entry, { index, previous, subject });
    if (reason !== undefined) return { subject, index, reason };
    previous = entry.hash;
  }
  if (entries.length === head.count && previous === head.hash) return undefined;
  return { subject, index: Math.min(entries.length, head.count), reason: "The chain does not end where it ended when it was written" };
}

function entryDamage(
  workspaceId: string,
  entry: LedgerEntry,
  expected: { readonly index: number; readonly previous: string; readonly subject: string },
): string | undefined {
  if (entry.index !== expected.index) return "An entry is missing before this one";
  if (entry.subject !== expected.subject) return "The entry belongs to another chain";
  if (entry.previous !== expected.previous) return "The entry does not follow the one before it";
  return entry.hash === hashOf(workspaceId, entry) ? undefined : "The entry was changed";
}

function hashOf(workspaceId: string, entry: Omit<LedgerEntry, "hash">): string {
  const { index, previous, subject, what, kind, before, after, at, actor, requestId, sequence, part } = entry;
  return hash(
    "sha256",
    JSON.stringify([workspaceId, index, previous, subject, what, kind, before, after, at, actor, requestId, sequence, part]),
    "hex",
  );
}
