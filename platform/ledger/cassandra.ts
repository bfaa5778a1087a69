/**
 * Ledgers in the mesh: entries lie in the partition of the subject whose state they record, so that both are one write.
 * Where a chain ends is kept in the subject's row, which the service owns.
 */
import { inFlight } from "../cassandra/in-flight.ts";
import { bucketOf } from "../cassandra/buckets.ts";
import { readAll, type Session, type Statement } from "../cassandra/session.ts";
import { limits } from "../limits.ts";
import { type ChainHead, emptyChain, type LedgerEntry } from "./ledger.ts";
import { type Ledger, type LedgerRows, readLedger } from "./read.ts";

/** An entry as a statement of the subject's partition; `stamp`: the age of its cause. */
export function putEntryOf(workspaceId: string, entry: LedgerEntry, stamp: bigint): Statement {
  const values = { workspace_id: workspaceId, subject: entry.subject, place: entry.index, body: JSON.stringify(entry), stamp };
  return { cql: ledgerStatements.putEntry, values, idempotent: true };
}

/** Forgets the subject's entries. */
export function eraseEntriesOf(workspaceId: string, subject: string, stamp: bigint): Statement {
  return { cql: ledgerStatements.eraseEntries, values: { workspace_id: workspaceId, subject, stamp }, idempotent: true };
}

/** Lists a subject among those that have a chain, or takes it off the list. A partition of its own. */
export function listSubjectOf(workspaceId: string, subject: string, { stamp, gone }: { stamp: bigint; gone: boolean }): Statement {
  const values = { workspace_id: workspaceId, bucket: bucketOf(subject), subject, stamp };
  return { cql: gone ? ledgerStatements.deleteSubject : ledgerStatements.putSubject, values, idempotent: true };
}

/** `heads`: where the service says that chains end. */
export function cassandraLedger({ session, heads }: { readonly session: Session; readonly heads: LedgerRows["heads"] }): Ledger {
  return readLedger({ heads, chain: (workspaceId, subject) => readChain({ session, heads }, workspaceId, subject), subjects });

  async function subjects(workspaceId: string, { from, max }: { readonly from: string | undefined; readonly max: number }) {
    const found: string[] = [];
    const [start, after] = placeOf(from);
    for (let bucket = start; bucket < limits.cassandraBuckets; bucket += 1) {
      const values = { workspace_id: workspaceId, bucket, after: bucket === start ? after : "", max: max - found.length };
      const rows = await session.execute({ cql: ledgerStatements.selectSubjects, values, idempotent: true });
      for (const row of rows) found.push(String(row["subject"]));
      if (found.length >= max) return { subjects: found, next: `${bucket}:${found.at(-1) ?? ""}` };
    }
    return { subjects: found, next: undefined };
  }
}

function placeOf(from: string | undefined): [bucket: number, after: string] {
  if (from === undefined) return [0, ""];
  const cut = from.indexOf(":");
  return [Number(from.slice(0, cut)), from.slice(cut + 1)];
}

/** Entries and end are two reads; where a write came in between, both are read again. */
async function readChain(
  { session, heads }: { readonly session: Session; readonly heads: LedgerRows["heads"] },
  workspaceId: string,
  subject: string,
): Promise<{ head: ChainHead; entries: LedgerEntry[] }> {
  async function end(): Promise<ChainHead> {
    return (await heads(workspaceId, [subject])).get(subject) ?? emptyChain;
  }
  for (let attempt = 1;; attempt += 1) {
    const before = await end();
    const values = { workspace_id: workspaceId, subject };
    const rows = await readAll(session, { cql: ledgerStatements.selectEntries, values, idempotent: true }, limits.cassandraPageRows);
    const head = await end();
    if (head.hash !== before.hash && attempt < attemptsMax) continue;
    return { head, entries: rows.map((row) => JSON.parse(String(row["body"])) as LedgerEntry) };
  }
}

const attemptsMax = 5;

/** The last entries of chains whose cause lies at `sequence` or later: those that a repeat may find written already. */
export async function entriesSince(
  session: Session,
  workspaceId: string,
  { heads, sequence }: { readonly heads: ReadonlyMap<string, ChainHead>; readonly sequence: number },
): Promise<LedgerEntry[]> {
  const chains = await inFlight([...heads], limits.cassandraInFlightMax, async ([subject, { count }]) => {
    const found: LedgerEntry[] = [];
    for (let end = count; end > 0;) {
      const from = Math.max(0, end - entriesPerLook);
      const values = { workspace_id: workspaceId, subject, low: from, high: end };
      const rows = await session.execute({ cql: ledgerStatements.selectLast, values, idempotent: true });
      const entries = rows.map((row) => JSON.parse(String(row["body"])) as LedgerEntry);
      found.unshift(...entries.filter((entry) => entry.sequence >= sequence));
      if (entries.length === 0 || (entries[0]?.sequence ?? 0) < sequence) break;
      end = from;
    }
    return found;
  });
  return chains.flat();
}

const entriesPerLook = 20;

const ofSubject = "workspace_id = :workspace_id AND subject = :subject";

/** Every statement about a ledger; the tables are those of each service's own schema. */
export const ledgerStatements = {
  putEntry:
    "INSERT INTO ledger_by_subject (workspace_id, subject, place, body) VALUES (:workspace_id, :subject, :place, :body) USING TIMESTAMP :stamp",
  eraseEntries: `DELETE FROM ledger_by_subject USING TIMESTAMP :stamp WHERE ${ofSubject}`,
  selectEntries: `SELECT body FROM ledger_by_subject WHERE ${ofSubject}`,
  selectLast: `SELECT body FROM ledger_by_subject WHERE ${ofSubject} AND place >= :low AND place < :high`,
  putSubject:
    "INSERT INTO subjects_by_workspace (workspace_id, bucket, subject) VALUES (:workspace_id, :bucket, :subject) USING TIMESTAMP :stamp",
  deleteSubject:
    "DELETE FROM subjects_by_workspace USING TIMESTAMP :stamp WHERE workspace_id = :workspace_id AND bucket = :bucket AND subject = :subject",
  selectSubjects:
    "SELECT subject FROM subjects_by_workspace WHERE workspace_id = :workspace_id AND bucket = :bucket AND subject > :after LIMIT :max",
} as const;
