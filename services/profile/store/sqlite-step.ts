/** How a step becomes rows, and how the rows are written inside one transaction. */
import type { StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { limits } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { IdentityKey, JobRow, RepeatRow } from "../domain/identity.ts";
import type { ConsentRecord, FrozenMerge, HeldUser, Step, WorkspaceStep } from "../domain/ports.ts";
import type { Profile } from "../domain/profile.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import { about } from "../../../platform/subject-fault.ts";
import { originsToRow } from "./origin-rows.ts";
import { rejectedToRow } from "./rejected-rows.ts";
import { profileToRow } from "./rows.ts";
import { deleteEmptyUser, emptyUser, placeOf, putUser, userIdOf } from "./sqlite-users.ts";
import type { WorkspaceNumbers } from "./sqlite-workspaces.ts";

/** Consent records in the form their readers decode, in order; injected because a store knows no messages. */
export type EncodeLane = (workspaceId: string, records: readonly ConsentRecord[]) => Iterable<{
  readonly service: string;
  readonly key: string;
  readonly sequence: number;
  readonly part: number;
  readonly users?: number;
  readonly body: Uint8Array;
}>;

type SqlValue = string | number | bigint | Uint8Array;
type Row = readonly SqlValue[];

/** The rows of a step by statement, made before the transaction so that a repeat of it costs no second rendering. */
export interface StepRows {
  readonly batches: readonly { readonly sql: string; readonly rows: readonly Row[] }[];
  readonly rowChars: ReadonlyMap<Profile, number>;
}

/** The workspaces of the step must have numbers. Others get their turn while the records of a fan-out are encoded. */
export async function planStepRows(
  step: Step,
  { encodeLane, numbers, someRejected }: {
    readonly encodeLane: EncodeLane;
    readonly numbers: WorkspaceNumbers;
    /** Whether there is a row of a rejected user: nearly always there is none to delete. */
    readonly someRejected: boolean;
  },
): Promise<StepRows> {
  const planned = new Map<string, Row[]>();
  const rowChars = new Map<Profile, number>();
  // Statements run in the order of this table whatever the order of the calls below.
  for (const sql of Object.values(statements)) planned.set(sql, []);
  function add(sql: string, ...row: SqlValue[]): void {
    planned.get(sql)?.push(row);
  }
  for (const workspace of step.workspaces) {
    const number = numbers.of(workspace.workspaceId) ?? 0;
    addIdentities(add, number, workspace.identities);
    addProfiles(add, number, { profiles: workspace.profiles, rowChars });
    addRejected(add, workspace, someRejected);
    addMerges(add, workspace);
    addHeld(add, workspace);
  }
  const origins = step.workspaces.flatMap(({ workspaceId, origins = [] }) => origins.length === 0 ? [] : [[workspaceId, origins] as const]);
  if (origins.length > 0) add(statements.putOrigins, step.partition, step.through, step.now ?? 0, originsToRow(origins));
  for (const record of step.setAside) add(statements.putSetAside, record.partition, record.sequence, record.reason, record.body);
  add(statements.putCheckpoint, step.partition, step.through, step.now ?? 0);
  for (const workspace of step.workspaces) await addLanes(add, workspace, encodeLane);
  const batches = [...planned].flatMap(([sql, rows]) => (rows.length === 0 ? [] : [{ sql, rows }]));
  return { batches, rowChars };
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
    if (id !== undefined) addUserColumn(add, [workspace, id], ["identity", value === undefined ? null : JSON.stringify(value)]);
    else if (value === undefined) add(statements.deleteIdentity, workspace, key);
    else addIdentity(add, [workspace, key], value);
  }
}

function addIdentity(add: Add, [workspace, key]: readonly [number, IdentityKey], value: unknown): void {
  const body = JSON.stringify(value);
  const ends = key.startsWith("r:") || key.startsWith("j:");
  if (ends) add(statements.putEndingIdentity, workspace, key, body, (value as RepeatRow | JobRow).expiresAt);
  else add(statements.putIdentity, workspace, key, body);
}

function addProfiles(
  add: Add,
  workspace: number,
  { profiles, rowChars }: { profiles: WorkspaceStep["profiles"]; rowChars: Map<Profile, number> },
): void {
  for (const [id, profile] of profiles) {
    const body = profile === null ? null : about(id, () => profileToRow(profile));
    if (profile !== null && body !== null) rowChars.set(profile, body.length);
    addUserColumn(add, [workspace, id], ["body", body]);
  }
}

function addRejected(add: Add, { workspaceId, profiles }: WorkspaceStep, someRejected: boolean): void {
  for (const [id, profile] of profiles) {
    const body = profile === null ? undefined : rejectedToRow(profile);
    if (body !== undefined) add(statements.putRejected, workspaceId, id, body);
    else if (someRejected) add(statements.deleteRejected, workspaceId, id);
  }
}

function addUserColumn(
  add: Add,
  [workspace, id]: readonly [workspace: number, id: string],
  [column, text]: readonly [column: "identity" | "body", text: string | null],
): void {
  if (text !== null) return add(putUser[column].sql, placeOf(id), workspace, id, text);
  add(emptyUser[column], workspace, id);
  add(deleteEmptyUser, workspace, id);
}

function addMerges(add: Add, { workspaceId, frozen, journal }: WorkspaceStep): void {
  for (const [mergeId, merge] of frozen) {
    add(statements.deleteJournal, workspaceId, mergeId);
    if (merge === null) add(statements.deleteFrozen, workspaceId, mergeId);
    else addFrozen(add, [workspaceId, mergeId], merge);
  }
  for (const [mergeId, records] of journal) addRecords(add, statements.putJournal, { workspaceId, owner: mergeId, records });
}

function addFrozen(add: Add, [workspaceId, mergeId]: readonly [string, string], merge: FrozenMerge): void {
  const { source, targetBefore, undoUntil } = merge;
  const rows = about(targetBefore.id, () => [profileToRow(source), profileToRow(targetBefore)] as const);
  add(statements.putFrozen, workspaceId, mergeId, targetBefore.id, undoUntil, ...targetBefore.mark, ...rows);
  addRecords(add, statements.putJournal, { workspaceId, owner: mergeId, records: merge.journal });
}

function addHeld(add: Add, { workspaceId, held, heldMore }: WorkspaceStep): void {
  for (const [id, user] of held) {
    add(statements.deleteHeldRecords, workspaceId, id);
    if (user === null) add(statements.deleteHeld, workspaceId, id);
    else addHeldUser(add, [workspaceId, id], user);
  }
  for (const [id, records] of heldMore) addRecords(add, statements.putHeldRecord, { workspaceId, owner: id, records });
}

function addHeldUser(add: Add, [workspaceId, id]: readonly [string, string], user: HeldUser): void {
  add(statements.putHeld, workspaceId, id, user.reason);
  addRecords(add, statements.putHeldRecord, { workspaceId, owner: id, records: user.records });
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
  for (const { service, key, sequence, part, users = 1, body } of encodeLane(workspaceId, consent)) {
    add(statements.putLane, service, workspaceId, sequence, part, key, users, body);
    added += 1;
    if (added % limits.fanOutRecordsPerTurn === 0) await setImmediate();
  }
}

type Add = (sql: string, ...row: SqlValue[]) => void;

const upsert = "ON CONFLICT DO UPDATE SET body = excluded.body";

/** What follows a statement that changed nothing. */
const orElseOf = new Map([putUser.identity, putUser.body].map(({ sql, orElse }) => [sql, orElse]));

/** In the order in which a step runs them: what is emptied first is emptied before it is filled. */
const statements = {
  putIdentity: `INSERT INTO profile_identities (workspace, key, body) VALUES (?, ?, ?) ${upsert}`,
  putEndingIdentity: `INSERT INTO profile_identities (workspace, key, body, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET body = excluded.body, expires_at = excluded.expires_at`,
  deleteIdentity: "DELETE FROM profile_identities WHERE workspace = ? AND key = ?",
  putUserIdentity: putUser.identity.sql,
  emptyUserIdentity: emptyUser.identity,
  putUserBody: putUser.body.sql,
  emptyUserBody: emptyUser.body,
  deleteEmptyUser,
  putRejected: `INSERT INTO profile_rejected (workspace_id, user_id, body) VALUES (?, ?, ?) ${upsert}`,
  deleteRejected: "DELETE FROM profile_rejected WHERE workspace_id = ? AND user_id = ?",
  deleteJournal: "DELETE FROM profile_journal WHERE workspace_id = ? AND merge_id = ?",
  deleteFrozen: "DELETE FROM profile_frozen WHERE workspace_id = ? AND merge_id = ?",
  putFrozen: `INSERT INTO profile_frozen 
    (workspace_id, merge_id, target_id, undo_until, target_sequence, target_part, source, target_before)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET target_id = excluded.target_id, undo_until = excluded.undo_until,
      target_sequence = excluded.target_sequence, target_part = excluded.target_part, source = excluded.source, target_before = excluded.target_before`,
  // A merge whose copies are gone takes no more: whoever journals may not have heard of it yet.
  putJournal: `INSERT INTO profile_journal (workspace_id, merge_id, sequence, part, body)
    SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM profile_frozen WHERE workspace_id = ?1 AND merge_id = ?2) ${upsert}`,
  deleteHeldRecords: "DELETE FROM profile_held_records WHERE workspace_id = ? AND user_id = ?",
  deleteHeld: "DELETE FROM profile_held WHERE workspace_id = ? AND user_id = ?",
  putHeld: `INSERT INTO profile_held (workspace_id, user_id, reason) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET reason = excluded.reason`,
  putHeldRecord: `INSERT INTO profile_held_records (workspace_id, user_id, sequence, part, body) VALUES (?, ?, ?, ?, ?) ${upsert}`,
  putLane: `INSERT INTO lane_records (service, workspace_id, sequence, part, lane_key, users, body)
    VALUES (?, ?, ?, ?, ?, ?, ?) ${upsert}`,
  putSetAside: `INSERT INTO profile_set_aside (log_partition, sequence, reason, body) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET reason = excluded.reason, body = excluded.body`,
  putOrigins: `INSERT INTO profile_origins (log_partition, through, at, body) VALUES (?, ?, ?, ?) ${upsert}`,
  putCheckpoint: `INSERT INTO profile_checkpoints (log_partition, through, latest_now) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET through = excluded.through, latest_now = max(latest_now, excluded.latest_now)`,
};
