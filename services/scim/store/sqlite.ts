/** The embedded store of users: indexed reads, and each change in one transaction with its event, its log line and its mark. */
import { limits } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import type { Remembered, UserChange, Users } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";
import { userBody, userFromRow, type UserRow } from "./rows.ts";
import { scimSchema } from "./schema.ts";
import { appendLog } from "./sqlite-log.ts";

/** Makes the tables where they are missing. */
export async function openSqliteUsers(database: Database): Promise<Users> {
  await migrate(database, "scim", scimSchema);
  return {
    byId: async (companyId, id) => first(database.prepare(selects.byId).get(companyId, id)),
    byUserName: async (companyId, key) => first(database.prepare(selects.byName).get(companyId, key)),
    byExternalId: async (companyId, externalId) => all(database.prepare(selects.byExternalId).all(companyId, externalId)),
    async page(companyId, { after, descending, limit }) {
      const sql = descending ? selects.pageDown : selects.pageUp;
      return all(database.prepare(sql).all(companyId, after ?? (descending ? afterAll : beforeAll), limit));
    },
    async skip(companyId, { after, descending, count }) {
      const sql = descending ? selects.skipDown : selects.skipUp;
      const row = database.prepare(sql).get(companyId, after ?? (descending ? afterAll : beforeAll), count - 1);
      return row === undefined ? undefined : String(row["user_name_key"]);
    },
    async census(companyId) {
      const row = database.prepare("SELECT users, changes FROM scim_companies WHERE company_id = ?").get(companyId);
      return { users: Number(row?.["users"] ?? 0), changes: Number(row?.["changes"] ?? 0) };
    },
    async remembered(companyId, requestHash, now) {
      const row = database.prepare(selects.remembered).get(companyId, requestHash, now);
      return row === undefined ? undefined : rememberedFromRow(requestHash, row);
    },
    commit: (change) => database.write(() => commit(database, change)),
  };
}

const columns = "SELECT company_id, user_name_key, id, revision, body FROM scim_users";
/** Keys are compared by their bytes: none is empty, and none begins with a character after the last. */
const beforeAll = "";
const afterAll = "\u{10ffff}";

const selects = {
  byId: `${columns} WHERE company_id = ? AND id = ?`,
  byName: `${columns} WHERE company_id = ? AND user_name_key = ?`,
  byExternalId: `${columns} WHERE company_id = ? AND external_id = ?`,
  pageUp: `${columns} WHERE company_id = ? AND user_name_key > ? ORDER BY user_name_key LIMIT ?`,
  pageDown: `${columns} WHERE company_id = ? AND user_name_key < ? ORDER BY user_name_key DESC LIMIT ?`,
  skipUp: "SELECT user_name_key FROM scim_users WHERE company_id = ? AND user_name_key > ? ORDER BY user_name_key LIMIT 1 OFFSET ?",
  skipDown: "SELECT user_name_key FROM scim_users WHERE company_id = ? AND user_name_key < ? ORDER BY user_name_key DESC LIMIT 1 OFFSET ?",
  remembered: "SELECT body_hash, answer, expires_at FROM scim_remembered WHERE company_id = ? AND request_hash = ? AND expires_at > ?",
} as const;

type Row = Readonly<Record<string, unknown>>;

function first(row: Row | undefined): User | undefined {
  return row === undefined ? undefined : userFromRow(row as unknown as UserRow);
}

function all(rows: readonly Row[]): readonly User[] {
  return rows.map((row) => userFromRow(row as unknown as UserRow));
}

function rememberedFromRow(requestHash: string, row: Row): Remembered {
  return {
    requestHash,
    bodyHash: String(row["body_hash"]),
    answer: JSON.parse(String(row["answer"])) as Remembered["answer"],
    expiresAt: Number(row["expires_at"]),
  };
}

/** Runs inside a transaction. Nothing is written before every condition holds. */
function commit(database: Database, change: UserChange): Awaited<ReturnType<Users["commit"]>> {
  const { companyId, before, after, remember } = change;
  const obstacle = obstacleTo(database, change);
  if (obstacle) return obstacle;
  if (after === undefined) remove(database, before);
  else if (before === undefined) insert(database, after);
  else if (before !== after) update(database, after);
  count(database, companyId, (after ? 1 : 0) - (before ? 1 : 0));
  if (change.event) database.prepare("INSERT INTO scim_outbox (event) VALUES (?)").run(JSON.stringify(change.event));
  if (change.log) appendLog(database, change.log);
  if (remember) keep(database, companyId, remember);
  return "committed";
}

function obstacleTo(database: Database, change: UserChange): "repeated" | "changed" | "name_taken" | undefined {
  const { companyId, before, after, remember } = change;
  if (remember && isRemembered(database, change, remember)) return "repeated";
  if (before) return isCurrent(database, before) ? undefined : "changed";
  return after && database.prepare(selects.byName).get(companyId, after.userNameKey) ? "name_taken" : undefined;
}

/** A mark whose time is over gives way. */
function isRemembered(database: Database, { companyId, log }: UserChange, { requestHash, expiresAt }: Remembered): boolean {
  const now = log?.at ?? expiresAt - limits.idempotencyKeepMs;
  return database.prepare(selects.remembered).get(companyId, requestHash, now) !== undefined;
}

function isCurrent(database: Database, { companyId, id, revision }: User): boolean {
  const row = database.prepare("SELECT revision FROM scim_users WHERE company_id = ? AND id = ?").get(companyId, id);
  return row?.["revision"] === revision;
}

function insert(database: Database, user: User): void {
  database
    .prepare("INSERT INTO scim_users (company_id, user_name_key, id, external_id, revision, body) VALUES (?, ?, ?, ?, ?, ?)")
    .run(user.companyId, user.userNameKey, user.id, user.externalId ?? null, user.revision, userBody(user));
}

function update(database: Database, user: User): void {
  database
    .prepare("UPDATE scim_users SET external_id = ?, revision = ?, body = ? WHERE company_id = ? AND id = ?")
    .run(user.externalId ?? null, user.revision, userBody(user), user.companyId, user.id);
}

function remove(database: Database, user: User | undefined): void {
  if (user) database.prepare("DELETE FROM scim_users WHERE company_id = ? AND id = ?").run(user.companyId, user.id);
}

function count(database: Database, companyId: string, users: number): void {
  database
    .prepare(
      `INSERT INTO scim_companies (company_id, users, changes, log_sequence) VALUES (?, ?, 1, 0)
      ON CONFLICT (company_id) DO UPDATE SET users = users + excluded.users, changes = changes + 1`,
    )
    .run(companyId, users);
}

function keep(database: Database, companyId: string, { requestHash, bodyHash, answer, expiresAt }: Remembered): void {
  const started = expiresAt - limits.idempotencyKeepMs;
  database
    .prepare(
      `DELETE FROM scim_remembered WHERE (company_id, request_hash) IN
      (SELECT company_id, request_hash FROM scim_remembered WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    )
    .run(started, limits.scimLogTrimMax);
  database
    .prepare(
      `INSERT INTO scim_remembered (company_id, request_hash, body_hash, answer, expires_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (company_id, request_hash) DO UPDATE SET
        body_hash = excluded.body_hash, answer = excluded.answer, expires_at = excluded.expires_at`,
    )
    .run(companyId, requestHash, bodyHash, JSON.stringify(answer), expiresAt);
}
