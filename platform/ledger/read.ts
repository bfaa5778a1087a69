/** The reading half of a ledger, whatever keeps it: histories, all chains, and whether they are as they were written. */
import { limits } from "../limits.ts";
import { type ChainHead, damageOf, type LedgerDamage, type LedgerEntry } from "./ledger.ts";

/** What a store says of its chains. */
export interface LedgerRows {
  /** Where the chains end, also of subjects that have none. */
  heads(workspaceId: string, subjects: readonly string[]): Promise<Map<string, ChainHead>>;
  /** A chain in order with its end, both as of one moment. Throws SyntaxError where an entry cannot be read. */
  chain(workspaceId: string, subject: string): Promise<{ readonly head: ChainHead; readonly entries: LedgerEntry[] }>;
  /** Subjects of a workspace, each once, at most `max`; `from`: the `next` of the page before. */
  subjects(workspaceId: string, page: SubjectPage): Promise<{ readonly subjects: readonly string[]; readonly next: string | undefined }>;
}

interface SubjectPage {
  readonly from: string | undefined;
  readonly max: number;
}

export interface Ledger {
  heads: LedgerRows["heads"];
  subjects: LedgerRows["subjects"];
  /** The entries of a subject's chain, in order. */
  history(workspaceId: string, subject: string): Promise<LedgerEntry[]>;
  /** The same, and whether it is as it was written; no entries where one of them cannot be read. */
  checked(workspaceId: string, subject: string): Promise<CheckedChain>;
  /** Every chain of a workspace. */
  chains(workspaceId: string): AsyncGenerator<LedgerEntry[]>;
  /** Checks every chain of a workspace; stops at the first that is damaged, and rejects before the next chain once `signal` is aborted. */
  verify(workspaceId: string, signal?: AbortSignal): Promise<Verified>;
  /** The same of a page of subjects; `next`: where the next begins. */
  verifyPage(workspaceId: string, page: SubjectPage, signal?: AbortSignal): Promise<Verified & { readonly next: string | undefined }>;
}

export interface Verified {
  /** That are as they were written, of whole chains. */
  readonly entries: number;
  readonly damage: LedgerDamage | undefined;
}

interface CheckedChain {
  readonly entries: readonly LedgerEntry[];
  readonly damage: LedgerDamage | undefined;
}

/** Pages hold `ledgerSubjectsPerPage` subjects. */
export function readLedger(rows: LedgerRows): Ledger {
  return {
    heads: (workspaceId, subjects) => rows.heads(workspaceId, subjects),
    subjects: (workspaceId, page) => rows.subjects(workspaceId, page),
    history: async (workspaceId, subject) => (await rows.chain(workspaceId, subject)).entries,
    checked: (workspaceId, subject) => checked(rows, workspaceId, subject),
    async *chains(workspaceId) {
      for await (const subject of allSubjects(rows, workspaceId)) yield (await rows.chain(workspaceId, subject)).entries;
    },
    verify: (workspaceId, signal) => verified(rows, { workspaceId, subjects: allSubjects(rows, workspaceId) }, signal),
    async verifyPage(workspaceId, page, signal) {
      const { subjects, next } = await rows.subjects(workspaceId, page);
      return { ...await verified(rows, { workspaceId, subjects }, signal), next };
    },
  };
}

async function verified(
  rows: LedgerRows,
  { workspaceId, subjects }: { readonly workspaceId: string; readonly subjects: Iterable<string> | AsyncIterable<string> },
  signal: AbortSignal | undefined,
): Promise<Verified> {
  let entries = 0;
  for await (const subject of subjects) {
    signal?.throwIfAborted();
    const chain = await checked(rows, workspaceId, subject);
    if (chain.damage !== undefined) return { entries, damage: chain.damage };
    entries += chain.entries.length;
  }
  return { entries, damage: undefined };
}

async function* allSubjects(rows: LedgerRows, workspaceId: string): AsyncGenerator<string> {
  for (let from: string | undefined;;) {
    const page = await rows.subjects(workspaceId, { from, max: limits.ledgerSubjectsPerPage });
    yield* page.subjects;
    if (page.next === undefined) return;
    from = page.next;
  }
}

/** Entries and end are two reads; where a write came in between, both are read again. */
export async function asOfOneMoment(read: {
  readonly head: () => Promise<ChainHead>;
  readonly entries: () => Promise<LedgerEntry[]>;
}): Promise<{ readonly head: ChainHead; readonly entries: LedgerEntry[] }> {
  for (let attempt = 1;; attempt += 1) {
    const before = await read.head();
    const entries = await read.entries();
    const head = await read.head();
    if (head.hash === before.hash || attempt >= attemptsMax) return { head, entries };
  }
}

const attemptsMax = 5;

async function checked(rows: LedgerRows, workspaceId: string, subject: string): Promise<CheckedChain> {
  try {
    const { head, entries } = await rows.chain(workspaceId, subject);
    return { entries, damage: damageOf({ workspaceId, head }, entries, subject) };
  } catch (error) {
    if (error instanceof SyntaxError) return { entries: [], damage: { subject, index: 0, reason: "An entry cannot be read" } };
    throw error;
  }
}
