/**
 * Ledgers in the mesh: entries lie in the partition of the subject whose state they record, so that both are one write.
 * Where a chain ends is kept in the subject's row, which the service owns.
 */
import { inFlight } from "../in-flight.ts";
import { readAll, type Session, type Statement, type Value } from "../cassandra/session.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { type ChainHead, emptyChain, type LedgerEntry } from "./ledger.ts";
import { asOfOneMoment, type Ledger, type LedgerRows, readLedger } from "./read.ts";

/** Where the entries of a subject lie: in a partition of their own, or with those of others. */
export interface LedgerPlace {
  readonly ledger: LedgerTable;
  /** What the subject stands behind. */
  readonly key: Readonly<Record<string, Value>>;
}

export interface LedgerTable {
  readonly putEntry: string;
  readonly eraseEntries: string;
  readonly selectEntries: string;
  readonly selectLast: string;
}

/** `key`: the columns before the subject. */
export function ledgerTable(table: string, key: readonly string[]): LedgerTable {
  const columns = [...key, "subject"];
  const where = columns.map((column) => `${column} = :${column}`).join(" AND ");
  return {
    putEntry: `INSERT INTO ${table} (${columns.join(", ")}, place, body) VALUES (:${
      columns.join(", :")
    }, :place, :body) USING TIMESTAMP :stamp`,
    eraseEntries: `DELETE FROM ${table} USING TIMESTAMP :stamp WHERE ${where}`,
    selectEntries: `SELECT body FROM ${table} WHERE ${where}`,
    selectLast: `SELECT body FROM ${table} WHERE ${where} AND place >= :low AND place < :high`,
  };
}

/** An entry as a statement of the subject's partition; `stamp`: the age of its cause. */
export function putEntryOf(place: LedgerPlace, entry: LedgerEntry, stamp: bigint): Statement {
  return ofPlace(place.ledger.putEntry, place, { subject: entry.subject, place: entry.index, body: JSON.stringify(entry), stamp });
}

/** Forgets the subject's entries. */
export function eraseEntriesOf(place: LedgerPlace, subject: string, stamp: bigint): Statement {
  return ofPlace(place.ledger.eraseEntries, place, { subject, stamp });
}

/** Lists a subject among those that have a chain, or takes it off the list; subjects of one bucket are in one partition of the list. */
export function listSubjectOf(workspaceId: string, subject: string, listing: Listing): Statement {
  const values = { workspace_id: workspaceId, bucket: listing.bucket, subject, stamp: listing.stamp };
  return { cql: listing.gone ? subjectStatements.deleteSubject : subjectStatements.putSubject, values };
}

interface Listing {
  readonly bucket: number;
  readonly stamp: bigint;
  readonly gone: boolean;
}

function ofPlace(cql: string, { key }: LedgerPlace, values: Readonly<Record<string, Value>>): Statement {
  return { cql, values: { ...key, ...values } };
}

export interface LedgerReads {
  readonly session: Session;
  readonly placeOf: (workspaceId: string, subject: string) => LedgerPlace;
  /** Where the service says that chains end. */
  readonly heads: LedgerRows["heads"];
}

export function cassandraLedger(reads: LedgerReads): Ledger {
  const { session, heads } = reads;
  return readLedger({ heads, chain: (workspaceId, subject) => readChain(reads, workspaceId, subject), subjects });

  async function subjects(workspaceId: string, { from, max }: { readonly from: string | undefined; readonly max: number }) {
    const found: string[] = [];
    const [start, after] = cursorOf(from);
    for (let bucket = start; bucket < limits.cassandraBuckets; bucket += 1) {
      const values = { workspace_id: workspaceId, bucket, after: bucket === start ? after : "", max: max - found.length };
      const rows = await session.execute({ cql: subjectStatements.selectSubjects, values });
      for (const row of rows) found.push(String(row["subject"]));
      if (found.length >= max) return { subjects: found, next: `${bucket}:${found.at(-1) ?? ""}` };
    }
    return { subjects: found, next: undefined };
  }
}

/** Refuses INPUT_INVALID for what no page gave: it would seem to be the end. */
function cursorOf(from: string | undefined): [bucket: number, after: string] {
  if (from === undefined) return [0, ""];
  const [, bucket, after = ""] = /^(\d+):(.*)$/s.exec(from) ?? [];
  if (bucket === undefined || Number(bucket) >= limits.cassandraBuckets) {
    throw new Refusal("INPUT_INVALID", "Expected the `next` of an earlier page, got something else");
  }
  return [Number(bucket), after];
}

async function readChain(
  { session, placeOf, heads }: LedgerReads,
  workspaceId: string,
  subject: string,
): Promise<{ head: ChainHead; entries: LedgerEntry[] }> {
  const place = placeOf(workspaceId, subject);
  return await asOfOneMoment({
    head: async () => (await heads(workspaceId, [subject])).get(subject) ?? emptyChain,
    async entries() {
      const rows = await readAll(session, ofPlace(place.ledger.selectEntries, place, { subject }), limits.cassandraPageRows);
      return rows.map((row) => JSON.parse(String(row["body"])) as LedgerEntry);
    },
  });
}

/** The last entries of chains whose cause lies at `sequence` or later: those that a repeat may find written already. */
export async function entriesSince(
  { session, placeOf }: Pick<LedgerReads, "session" | "placeOf">,
  workspaceId: string,
  { heads, sequence }: { readonly heads: ReadonlyMap<string, ChainHead>; readonly sequence: number },
): Promise<LedgerEntry[]> {
  const chains = await inFlight([...heads], limits.cassandraInFlightMax, async ([subject, { count }]) => {
    const found: LedgerEntry[] = [];
    const place = placeOf(workspaceId, subject);
    for (let end = count; end > 0;) {
      const from = Math.max(0, end - entriesPerLook);
      const rows = await session.execute(ofPlace(place.ledger.selectLast, place, { subject, low: from, high: end }));
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

/** Every statement about the list of subjects; the table is that of each service's own schema. */
export const subjectStatements = {
  putSubject:
    "INSERT INTO subjects_by_workspace (workspace_id, bucket, subject) VALUES (:workspace_id, :bucket, :subject) USING TIMESTAMP :stamp",
  deleteSubject:
    "DELETE FROM subjects_by_workspace USING TIMESTAMP :stamp WHERE workspace_id = :workspace_id AND bucket = :bucket AND subject = :subject",
  selectSubjects:
    "SELECT subject FROM subjects_by_workspace WHERE workspace_id = :workspace_id AND bucket = :bucket AND subject > :after LIMIT :max",
} as const;
