/** The rows of a backup in the embedded store of dashboard users. */
import { limits } from "../../../platform/limits.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { Census, LogEntry, Remembered, UserDeleted, Users } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";
import type { ScimMove, ScimRows } from "./moved-rows.ts";
import { usersOf } from "./moved-users.ts";
import { userBody } from "./rows.ts";

/** `users` has made the tables. */
export function sqliteScimMove({ database, users, clock }: { database: Database; users: Users; clock: Clock }): ScimMove {
  return {
    async *read(companyIds) {
      for (const companyId of companyIds) {
        yield* usersOf(users, companyId);
        yield { companyId, events: eventsOf(database, companyId) };
        yield* logOf(database, companyId);
        yield { companyId, remembered: rememberedOf(database, companyId, clock.now()) };
        yield { companyId, census: await users.census(companyId) };
      }
    },
    write: (rows) => database.write(() => write(database, rows)),
  };
}

function eventsOf(database: Database, companyId: string): UserDeleted[] {
  const rows = database.prepare("SELECT event FROM scim_outbox WHERE event ->> 'companyId' = ? ORDER BY sequence").all(companyId);
  return rows.map((row) => JSON.parse(String(row["event"])) as UserDeleted);
}

function* logOf(database: Database, companyId: string): Generator<ScimRows> {
  const sql = "SELECT sequence, at, body FROM scim_log WHERE company_id = ? AND sequence > ? ORDER BY sequence LIMIT ?";
  for (let after = 0, first = 1;;) {
    const rows = database.prepare(sql).all(companyId, after, limits.movedRowsPerPage);
    if (rows.length === 0) return;
    const entries = rows.map((row) => {
      return { ...(JSON.parse(String(row["body"])) as Omit<LogEntry, "companyId" | "at">), companyId, at: Number(row["at"]) };
    });
    yield { companyId, log: { first, entries } };
    after = Number(rows.at(-1)?.["sequence"]);
    first += rows.length;
  }
}

function rememberedOf(database: Database, companyId: string, now: number): Remembered[] {
  const sql = "SELECT request_hash, body_hash, answer, expires_at FROM scim_remembered WHERE company_id = ? AND expires_at > ?";
  return database.prepare(sql).all(companyId, now).map((row) => ({
    requestHash: String(row["request_hash"]),
    bodyHash: String(row["body_hash"]),
    answer: JSON.parse(String(row["answer"])) as Remembered["answer"],
    expiresAt: Number(row["expires_at"]),
  }));
}

/** Runs inside a transaction. */
function write(database: Database, { companyId, users = [], events = [], log, remembered = [], census }: ScimRows): void {
  for (const user of users) putUser(database, user);
  for (const event of events) putEvent(database, JSON.stringify(event));
  if (log) putLog(database, companyId, log);
  for (const mark of remembered) putRemembered(database, companyId, mark);
  if (census) putCensus(database, companyId, census);
}

function putUser(database: Database, user: User): void {
  database
    .prepare("INSERT OR REPLACE INTO scim_users (company_id, user_name_key, id, external_id, revision, body) VALUES (?, ?, ?, ?, ?, ?)")
    .run(user.companyId, user.userNameKey, user.id, user.externalId ?? null, user.revision, userBody(user));
}

function putEvent(database: Database, event: string): void {
  const sql = "INSERT INTO scim_outbox (event) SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM scim_outbox WHERE event = ?1)";
  database.prepare(sql).run(event);
}

function putLog(database: Database, companyId: string, { first, entries }: NonNullable<ScimRows["log"]>): void {
  for (const [place, { companyId: _companyId, at, ...body }] of entries.entries()) {
    database
      .prepare("INSERT OR REPLACE INTO scim_log (company_id, sequence, at, body) VALUES (?, ?, ?, ?)")
      .run(companyId, first + place, at, JSON.stringify(body));
  }
  const sql = `INSERT INTO scim_companies (company_id, users, changes, log_sequence) VALUES (?, 0, 0, ?)
    ON CONFLICT (company_id) DO UPDATE SET log_sequence = max(log_sequence, excluded.log_sequence)`;
  database.prepare(sql).run(companyId, first + entries.length - 1);
}

function putRemembered(database: Database, companyId: string, { requestHash, bodyHash, answer, expiresAt }: Remembered): void {
  database
    .prepare("INSERT OR REPLACE INTO scim_remembered (company_id, request_hash, body_hash, answer, expires_at) VALUES (?, ?, ?, ?, ?)")
    .run(companyId, requestHash, bodyHash, JSON.stringify(answer), expiresAt);
}

function putCensus(database: Database, companyId: string, { users, changes }: Census): void {
  const sql = `INSERT INTO scim_companies (company_id, users, changes, log_sequence) VALUES (?, ?, ?, 0)
    ON CONFLICT (company_id) DO UPDATE SET users = excluded.users, changes = max(changes, excluded.changes)`;
  database.prepare(sql).run(companyId, users, changes);
}
