/** Every CQL statement of the profile store, named for its call; all go to one partition, or to a few named ones, but the scans of a backup. */
import type { IdentityKind } from "../domain/identity/identity.ts";

/** How the rows of a kind of identity are found, by the first letter of its key. */
export const identityTables = {
  x: identityTable("users_by_external_id", ["external_id"], "user_id"),
  a: identityTable("users_by_alias", ["label", "name"], "user_id"),
  u: identityTable("users_by_id", ["user_id"], "body"),
  e: identityTable("users_by_email", ["email"], "body"),
  p: identityTable("users_by_phone", ["phone"], "body"),
  r: identityTable("answers_by_key", ["key_hash"], "body"),
  j: identityTable("jobs_by_id", ["job_id"], "body"),
  m: identityTable("merges_by_id", ["merge_id"], "body"),
  d: identityTable("users_by_device", ["device_id"], "user_id"),
  t: identityTable("takers_by_user", ["user_id"], "body"),
  w: identityTable("pending_by_name", ["name"], "body"),
  n: identityTable("counts_by_name", ["name"], "body"),
} as const satisfies Record<IdentityKind, unknown>;

export const putExpiringAnswer =
  "INSERT INTO answers_by_key (workspace_id, key_hash, body) VALUES (:workspace_id, :key_hash, :value) USING TIMESTAMP :stamp AND TTL :ttl";
export const putDeadLetter =
  "INSERT INTO set_aside_by_partition (log_partition, sequence, reason, body) VALUES (:log_partition, :sequence, :reason, :body) USING TIMESTAMP :stamp";
export const deleteDeadLetter =
  "DELETE FROM set_aside_by_partition USING TIMESTAMP :stamp WHERE log_partition = :log_partition AND sequence = :sequence";
export const selectDeadLetters =
  "SELECT sequence, reason FROM set_aside_by_partition WHERE log_partition = :log_partition AND sequence > :after LIMIT :max";
export const selectDeadLetter =
  "SELECT reason, body FROM set_aside_by_partition WHERE log_partition = :log_partition AND sequence = :sequence";

export const putOrigins =
  "INSERT INTO origins_by_partition (log_partition, bucket, through, body) VALUES (:log_partition, :bucket, :through, :body) USING TIMESTAMP :stamp AND TTL :ttl";
export const selectOrigins =
  "SELECT body FROM origins_by_partition WHERE log_partition = :log_partition AND bucket = :bucket AND through > :after LIMIT :max";

const state = "user_id, body, mark_sequence, mark_part, open_merges, held_reason";
const ofBucket = "workspace_id = :workspace_id AND bucket = :bucket";
/** Users whose rows have a partition each: those without a number. */
export const usersAlone = userTables({ users: "profiles_by_user", records: "held_records_by_user" }, ["workspace_id"]);
/** Users whose rows live together (docs/decisions/0052-rows-that-live-together.md). */
export const usersTogether = userTables({ users: "profiles_by_bucket", records: "held_records_by_bucket" }, ["workspace_id", "bucket"]);
/** Several users of a bucket, and the next of it. */
export const selectSomeUsers = `SELECT ${state} FROM profiles_by_bucket WHERE ${ofBucket} AND user_id IN :some`;
export const selectUsersAfter = `SELECT user_id, body FROM profiles_by_bucket WHERE ${ofBucket} AND user_id > :start LIMIT :max`;
export const selectUsersBefore =
  `SELECT user_id, body FROM profiles_by_bucket WHERE ${ofBucket} AND user_id < :start ORDER BY user_id DESC LIMIT :max`;
/** The buckets behind one, upwards and downwards. */
export const selectBucketsUp = "SELECT bucket FROM buckets_by_workspace WHERE workspace_id = :workspace_id AND bucket > :start LIMIT :max";
export const selectBucketsDown =
  "SELECT bucket FROM buckets_by_workspace WHERE workspace_id = :workspace_id AND bucket < :start ORDER BY bucket DESC LIMIT :max";
export const putBucket = "INSERT INTO buckets_by_workspace (workspace_id, bucket) VALUES (:workspace_id, :bucket) USING TIMESTAMP :stamp";

export const selectAllBlocked = "SELECT workspace_id, user_id FROM held_users_by_bucket WHERE bucket = :bucket LIMIT :max";
export const selectBlockedUsers =
  "SELECT workspace_id, user_id FROM held_users_by_bucket WHERE bucket = :bucket AND workspace_id = :workspace_id AND user_id > :after LIMIT :max";
export const putBlockedUser =
  "INSERT INTO held_users_by_bucket (bucket, workspace_id, user_id) VALUES (:bucket, :workspace_id, :user_id) USING TIMESTAMP :stamp";
export const deleteBlockedUser =
  "DELETE FROM held_users_by_bucket USING TIMESTAMP :stamp WHERE bucket = :bucket AND workspace_id = :workspace_id AND user_id = :user_id";

const ofUser = "workspace_id = :workspace_id AND user_id = :user_id";
export const selectRejectedUsers =
  "SELECT workspace_id, user_id, mark_sequence, mark_part, body FROM rejected_users_by_bucket WHERE bucket = :bucket LIMIT :max";
export const selectRejectedUser =
  `SELECT workspace_id, user_id, mark_sequence, mark_part, body FROM rejected_users_by_bucket WHERE bucket = :bucket AND ${ofUser}`;
export const putRejectedUser = `INSERT INTO rejected_users_by_bucket (bucket, workspace_id, user_id, mark_sequence, mark_part, body)
   VALUES (:bucket, :workspace_id, :user_id, :mark_sequence, :mark_part, :body) USING TIMESTAMP :stamp`;
export const deleteRejectedUser = `DELETE FROM rejected_users_by_bucket USING TIMESTAMP :stamp WHERE bucket = :bucket AND ${ofUser}`;

export const selectUserIds =
  "SELECT user_id FROM users_by_workspace WHERE workspace_id = :workspace_id AND bucket = :bucket AND user_id > :start LIMIT :max";
export const selectUserIdsBefore =
  "SELECT user_id FROM users_by_workspace WHERE workspace_id = :workspace_id AND bucket = :bucket AND user_id < :start ORDER BY user_id DESC LIMIT :max";
export const putUserId =
  "INSERT INTO users_by_workspace (workspace_id, bucket, user_id) VALUES (:workspace_id, :bucket, :user_id) USING TIMESTAMP :stamp";

const ofShard = "workspace_id = :workspace_id AND shard = :shard AND kind = :kind";
export const selectNames = `SELECT name FROM names_by_shard WHERE ${ofShard} AND name >= :least AND name < :end LIMIT :max`;
export const putName =
  "INSERT INTO names_by_shard (workspace_id, shard, kind, name) VALUES (:workspace_id, :shard, :kind, :name) USING TIMESTAMP :stamp";
export const deleteName = `DELETE FROM names_by_shard USING TIMESTAMP :stamp WHERE ${ofShard} AND name = :name`;

const ofMerge = "workspace_id = :workspace_id AND merge_id = :merge_id";
export const selectHandoff = `SELECT source, undo_until FROM handoffs_by_merge WHERE ${ofMerge}`;
export const putHandoff =
  "INSERT INTO handoffs_by_merge (workspace_id, merge_id, source, undo_until) VALUES (:workspace_id, :merge_id, :source, :undo_until) USING TIMESTAMP :stamp";
export const deleteHandoff = `DELETE FROM handoffs_by_merge USING TIMESTAMP :stamp WHERE ${ofMerge}`;
export const selectFrozen = `SELECT source, target_before, undo_until FROM frozen_by_merge WHERE ${ofMerge}`;
export const selectUndoUntil = `SELECT undo_until FROM frozen_by_merge WHERE ${ofMerge}`;
export const putFrozen = `INSERT INTO frozen_by_merge (workspace_id, merge_id, source, target_before, undo_until)
   VALUES (:workspace_id, :merge_id, :source, :target_before, :undo_until) USING TIMESTAMP :stamp AND TTL :ttl`;
export const deleteFrozen = `DELETE FROM frozen_by_merge USING TIMESTAMP :stamp WHERE ${ofMerge}`;
export const selectJournal = `SELECT body FROM journal_by_merge WHERE ${ofMerge}`;
export const putJournal = `INSERT INTO journal_by_merge (workspace_id, merge_id, sequence, part, body)
   VALUES (:workspace_id, :merge_id, :sequence, :part, :body) USING TIMESTAMP :stamp AND TTL :ttl`;
export const deleteJournal = `DELETE FROM journal_by_merge USING TIMESTAMP :stamp WHERE ${ofMerge}`;

/** `names`: columns that the name stands in, after the workspace. `value`: `user_id` is plain text, `body` JSON. Values are bound as `:value`, names as their columns. */
function identityTable(table: string, names: readonly string[], value: "user_id" | "body") {
  const columns = ["workspace_id", ...names];
  const where = columns.map((column) => `${column} = :${column}`).join(" AND ");
  const last = names.at(-1);
  const read = `SELECT ${last}, ${value} FROM ${table} WHERE`;
  return {
    names,
    value,
    /** One row. Gives the last name and the value. */
    select: `${read} ${where}`,
    /** The rows of several last names, bound as `:some`. */
    selectSome: `${read} ${where.replace(`${last} = :${last}`, `${last} IN :some`)}`,
    put: `INSERT INTO ${table} (${columns.join(", ")}, ${value}) VALUES (:${columns.join(", :")}, :value) USING TIMESTAMP :stamp`,
    delete: `DELETE FROM ${table} USING TIMESTAMP :stamp WHERE ${where}`,
    /** All rows of all partitions, for a backup alone. */
    scan: `SELECT ${[...columns, value].join(", ")} FROM ${table}`,
  };
}

/** `key`: the partition's columns; the user comes behind them. */
function userTables({ users, records }: { readonly users: string; readonly records: string }, key: readonly string[]) {
  const columns = [...key, "user_id"];
  const names = columns.join(", ");
  const markers = columns.join(", :");
  const ofOne = columns.map((column) => `${column} = :${column}`).join(" AND ");
  return {
    select: `SELECT ${state} FROM ${users} WHERE ${ofOne}`,
    selectMark: `SELECT mark_sequence, mark_part, held_reason FROM ${users} WHERE ${ofOne}`,
    put: `INSERT INTO ${users} (${names}, body, mark_sequence, mark_part, open_merges)
      VALUES (:${markers}, :body, :mark_sequence, :mark_part, :open_merges) USING TIMESTAMP :stamp`,
    putHeldReason: `INSERT INTO ${users} (${names}, held_reason) VALUES (:${markers}, :held_reason) USING TIMESTAMP :stamp`,
    deleteHeldReason: `DELETE held_reason FROM ${users} USING TIMESTAMP :stamp WHERE ${ofOne}`,
    selectHeldRecords: `SELECT body FROM ${records} WHERE ${ofOne} LIMIT :max`,
    putHeldRecord: `INSERT INTO ${records} (${names}, sequence, part, body)
      VALUES (:${markers}, :sequence, :part, :body) USING TIMESTAMP :stamp`,
    deleteHeldRecords: `DELETE FROM ${records} USING TIMESTAMP :stamp WHERE ${ofOne}`,
    /** All rows of all partitions, for a backup alone. */
    scan: `SELECT workspace_id, user_id, body, open_merges FROM ${users}`,
  };
}

export type UserTables = ReturnType<typeof userTables>;
