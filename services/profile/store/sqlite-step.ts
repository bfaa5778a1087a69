/** How a step becomes rows, and how the rows are written inside one transaction. */
import type { StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { packLane, putLaneMessage } from "../../../platform/lane/sqlite.ts";
import { limits } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { IdentityKey, JobRow, RepeatRow } from "../domain/identity/identity.ts";
import { newestKey, userIdOf } from "../domain/identity/row-keys.ts";
import type { ConsentRecord } from "../domain/ports.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { Step, WorkspaceStep } from "../resolve/step-store.ts";
import { originsToRow } from "./origin-rows.ts";
import { deleteEmptyUser, emptyIdentity, placeOf, putUser } from "./sqlite-users.ts";
import { type BlockedRows, type FrozenRow, undoneIn, type WorkRows } from "./step-work.ts";
import { putNewestCounts, type WorkspaceNumbers } from "./sqlite-workspaces.ts";

/** Consent records in the form their readers decode, in order; injected because a store knows no messages. */
export type EncodeLane = (workspaceId: string, records: readonly ConsentRecord[]) => Iterable<{
  readonly service: string;
  readonly body: Uint8Array;
}>;

type SqlValue = string | number | bigint | Uint8Array | null;
type Row = readonly SqlValue[];

/** The rows of a step by statement, made before the transaction so that a repeat of it costs no second rendering. */
export interface StepRows {
  readonly batches: readonly { readonly sql: string; readonly rows: readonly Row[] }[];
}

/** The workspaces must have numbers. Others get their turn while the records of a fan-out are encoded. */
export async function planStepRows(
  step: Step,
  work: ReadonlyMap<string, WorkRows>,
  { encodeLane, numbers, someRejected }: {
    readonly encodeLane: EncodeLane;
    readonly numbers: WorkspaceNumbers;
    /** Whether there is a row of a rejected user: nearly always there is none to delete. */
    readonly someRejected: boolean;
  },
): Promise<StepRows> {
  const planned = new Map<string, Row[]>();
  // Statements run in the order of this table whatever the order of the calls below.
  for (const sql of Object.values(statements)) planned.set(sql, []);
  function add(sql: string, ...row: SqlValue[]): void {
    planned.get(sql)?.push(row);
  }
  for (const { workspaceId, identities } of step.workspaces) addIdentities(add, numbers.of(workspaceId) ?? 0, identities);
  for (const [workspaceId, rows] of work) addWork(add, { workspaceId, number: numbers.of(workspaceId) ?? 0, someRejected }, rows);
  const origins = step.workspaces.flatMap(({ workspaceId, origins = [] }) => origins.length === 0 ? [] : [[workspaceId, origins] as const]);
  if (origins.length > 0) add(statements.putOrigins, step.partition, step.through, step.now ?? 0, originsToRow(origins));
  for (const record of step.deadLetters) add(statements.putSetAside, record.partition, record.sequence, record.reason, record.body);
  add(statements.putCheckpoint, step.partition, step.through, step.now ?? 0);
  for (const workspace of step.workspaces) if (workspace.consent.length > 0) await addLanes(add, workspace, encodeLane);
  const batches = [...planned].flatMap(([sql, rows]) => (rows.length === 0 ? [] : [{ sql, rows }]));
  return { batches };
}

/** Runs inside a transaction of the database. */
export function commitStep(database: Database, { batches }: StepRows): void {
  for (const { sql, rows } of batches) {
    const statement = database.prepare(sql);
    const orElse = orElseOf.get(sql);
    for (const row of rows) {
      const { changes } = runRow(statement, row);
      if (changes === 0 && orElse !== undefined) database.prepare(orElse).run(...row);
    }
  }
}

/** Nearly all rows have three values or four, and spreading an array costs as much as a small statement. */
function runRow(statement: StatementSync, row: Row): { readonly changes: number | bigint } {
  if (row.length === 4) return statement.run(row[0] ?? null, row[1] ?? null, row[2] ?? null, row[3] ?? null);
  if (row.length === 3) return statement.run(row[0] ?? null, row[1] ?? null, row[2] ?? null);
  return statement.run(...row);
}

function addIdentities(add: Add, workspace: number, identities: WorkspaceStep["identities"]): void {
  for (const [key, value] of identities) {
    const id = userIdOf(key);
    if (id !== undefined) addUserIdentity(add, [workspace, id], value);
    else if (key === newestKey) add(statements.putNewestCounts, value === undefined ? null : JSON.stringify(value), workspace);
    else if (value === undefined) add(statements.deleteIdentity, workspace, key);
    else addIdentity(add, [workspace, key], value);
  }
}

function addUserIdentity(add: Add, [workspace, id]: readonly [number, string], value: unknown): void {
  if (value !== undefined) return add(putUser.identity.sql, placeOf(id), workspace, id, JSON.stringify(value));
  add(emptyIdentity, workspace, id);
  add(deleteEmptyUser, workspace, id);
}

function addIdentity(add: Add, [workspace, key]: readonly [number, IdentityKey], value: unknown): void {
  const body = JSON.stringify(value);
  const ends = key.startsWith("r:") || key.startsWith("j:");
  if (ends) add(statements.putEndingIdentity, workspace, key, body, (value as RepeatRow | JobRow).expiresAt);
  else add(statements.putIdentity, workspace, key, body);
}

interface WorkOf {
  readonly workspaceId: string;
  readonly number: number;
  readonly someRejected: boolean;
}

function addWork(add: Add, { workspaceId, number, someRejected }: WorkOf, rows: WorkRows): void {
  for (const [id, { text, mark, saysMark, rejected }] of rows.users) {
    if (saysMark) add(putUser.body.sql, placeOf(id), number, id, text);
    else add(putUser.marked.sql, placeOf(id), number, id, text, ...mark);
    if (rejected !== undefined) add(statements.putRejected, workspaceId, id, rejected);
    else if (someRejected) add(statements.deleteRejected, workspaceId, id);
  }
  for (const [mergeId, row] of rows.handoffs) {
    if (row === null) add(statements.deleteHandoff, workspaceId, mergeId);
    else add(statements.putHandoff, workspaceId, mergeId, row.source, row.undoUntil);
  }
  for (const [mergeId, row] of rows.frozen) addFrozen(add, [workspaceId, mergeId], row);
  for (const mergeId of undoneIn(rows)) add(statements.undoFrozen, workspaceId, mergeId);
  for (const [mergeId, records] of rows.journal) addRecords(add, statements.putJournal, { workspaceId, owner: mergeId, records });
  for (const [id, blocked] of rows.blocked) addBlocked(add, [workspaceId, id], blocked);
}

function addFrozen(add: Add, [workspaceId, mergeId]: readonly [string, string], row: FrozenRow | null): void {
  add(statements.deleteJournal, workspaceId, mergeId);
  if (row === null) return add(statements.deleteFrozen, workspaceId, mergeId);
  const { targetId, undoUntil, mark, source, targetBefore, journal } = row;
  add(statements.putFrozen, workspaceId, mergeId, targetId, undoUntil, ...mark, source, targetBefore);
  addRecords(add, statements.putJournal, { workspaceId, owner: mergeId, records: journal });
}

function addBlocked(add: Add, [workspaceId, id]: readonly [string, string], { reason, clear, records }: BlockedRows): void {
  if (clear === "all") add(statements.deleteHeldRecords, workspaceId, id);
  else if (clear !== undefined) add(statements.deleteHeldRecordsUpTo, workspaceId, id, ...clear);
  if (reason === null) add(statements.deleteHeld, workspaceId, id);
  else add(statements.putHeld, workspaceId, id, reason);
  addRecords(add, statements.putHeldRecord, { workspaceId, owner: id, records });
}

function addRecords(
  add: Add,
  sql: string,
  { workspaceId, owner, records }: { workspaceId: string; owner: string; records: readonly ProfileRecord[] },
): void {
  for (const record of records) add(sql, workspaceId, owner, record.mark[0], record.mark[1], JSON.stringify(record));
}

async function addLanes(add: Add, { workspaceId, consent }: WorkspaceStep, encodeLane: EncodeLane): Promise<void> {
  let added = 0;
  const byService = new Map<string, Uint8Array[]>();
  for (const { service, body } of encodeLane(workspaceId, consent)) {
    const bodies = byService.get(service);
    if (bodies === undefined) byService.set(service, [body]);
    else bodies.push(body);
    added += 1;
    if (added % limits.fanOutRecordsPerTurn === 0) await setImmediate();
  }
  for (const [service, bodies] of byService) for (const message of packLane(bodies)) add(putLaneMessage, service, message);
}

type Add = (sql: string, ...row: SqlValue[]) => void;

const upsert = "ON CONFLICT DO UPDATE SET body = excluded.body";

/** What follows a statement that changed nothing. */
const orElseOf = new Map(Object.values(putUser).map(({ sql, orElse }) => [sql, orElse]));

/** In the order in which a step runs them: what is emptied first is emptied before it is filled. */
const statements = {
  putIdentity: `INSERT INTO profile_identities (workspace, key, body) VALUES (?, ?, ?) ${upsert}`,
  putEndingIdentity: `INSERT INTO profile_identities (workspace, key, body, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET body = excluded.body, expires_at = excluded.expires_at`,
  deleteIdentity: "DELETE FROM profile_identities WHERE workspace = ? AND key = ?",
  putNewestCounts,
  putUserIdentity: putUser.identity.sql,
  emptyIdentity,
  putUserBody: putUser.body.sql,
  putUserMarked: putUser.marked.sql,
  deleteEmptyUser,
  putRejected: `INSERT INTO profile_rejected (workspace_id, user_id, body) VALUES (?, ?, ?) ${upsert}`,
  deleteRejected: "DELETE FROM profile_rejected WHERE workspace_id = ? AND user_id = ?",
  deleteHandoff: "DELETE FROM profile_handoffs WHERE workspace_id = ? AND merge_id = ?",
  putHandoff: `INSERT INTO profile_handoffs (workspace_id, merge_id, source, undo_until) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET source = excluded.source, undo_until = excluded.undo_until`,
  deleteJournal: "DELETE FROM profile_journal WHERE workspace_id = ? AND merge_id = ?",
  deleteFrozen: "DELETE FROM profile_frozen WHERE workspace_id = ? AND merge_id = ?",
  putFrozen: `INSERT INTO profile_frozen 
    (workspace_id, merge_id, target_id, undo_until, target_sequence, target_part, source, target_before)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET target_id = excluded.target_id, undo_until = excluded.undo_until,
      target_sequence = excluded.target_sequence, target_part = excluded.target_part, source = excluded.source,
      target_before = excluded.target_before, undone = 0`,
  undoFrozen: "UPDATE profile_frozen SET undone = 1 WHERE workspace_id = ? AND merge_id = ?",
  // A merge whose copies are gone takes no more: the applier that journals may not know of that yet.
  putJournal: `INSERT INTO profile_journal (workspace_id, merge_id, sequence, part, body)
    SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM profile_frozen WHERE workspace_id = ?1 AND merge_id = ?2) ${upsert}`,
  deleteHeldRecords: "DELETE FROM profile_held_records WHERE workspace_id = ? AND user_id = ?",
  deleteHeldRecordsUpTo: "DELETE FROM profile_held_records WHERE workspace_id = ? AND user_id = ? AND (sequence, part) <= (?, ?)",
  deleteHeld: "DELETE FROM profile_held WHERE workspace_id = ? AND user_id = ?",
  putHeld: `INSERT INTO profile_held (workspace_id, user_id, reason) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET reason = excluded.reason`,
  putHeldRecord: `INSERT INTO profile_held_records (workspace_id, user_id, sequence, part, body) VALUES (?, ?, ?, ?, ?) ${upsert}`,
  putLaneMessage,
  putSetAside: `INSERT INTO profile_set_aside (log_partition, sequence, reason, body) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET reason = excluded.reason, body = excluded.body`,
  putOrigins: `INSERT INTO profile_origins (log_partition, through, at, body) VALUES (?, ?, ?, ?) ${upsert}`,
  putCheckpoint: `INSERT INTO profile_checkpoints (log_partition, through, latest_now) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET through = excluded.through, latest_now = max(latest_now, excluded.latest_now)`,
};
