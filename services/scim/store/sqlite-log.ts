/** The log of requests in the embedded store: appended in order, bounded by age and number, read backwards. */
import { limits } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { LogEntry, LogQuestion, RequestLog } from "../domain/ports.ts";

/** The tables are made by openSqliteUsers(). */
export function openSqliteRequestLog(database: Database): RequestLog {
  return {
    append: (entries) =>
      database.write(() => {
        for (const entry of entries) appendLog(database, entry);
      }),
    newest: async (asked) => readLog(database, asked),
  };
}

/** Runs inside a transaction. What is too old, or one too many, goes as new entries come. */
export function appendLog(database: Database, entry: LogEntry): void {
  const { companyId, at, ...body } = entry;
  const row = database
    .prepare(
      `INSERT INTO scim_companies (company_id, users, changes, log_sequence) VALUES (?, 0, 0, 1)
      ON CONFLICT (company_id) DO UPDATE SET log_sequence = log_sequence + 1 RETURNING log_sequence`,
    )
    .get(companyId);
  const sequence = Number(row?.["log_sequence"]);
  database
    .prepare("INSERT INTO scim_log (company_id, sequence, at, body) VALUES (?, ?, ?, ?)")
    .run(companyId, sequence, at, JSON.stringify(body));
  database
    .prepare(
      `DELETE FROM scim_log WHERE company_id = ?1 AND sequence IN (
        SELECT sequence FROM (SELECT sequence, at FROM scim_log WHERE company_id = ?1 ORDER BY sequence LIMIT ?2)
        WHERE at < ?3 OR sequence <= ?4)`,
    )
    .run(companyId, limits.scimLogTrimMax, at - limits.scimLogKeepMs, sequence - limits.scimLogEntriesMax);
}

function readLog(database: Database, asked: LogQuestion): readonly LogEntry[] {
  const { companyId, limit, about } = asked;
  const rows = about === undefined
    ? database.prepare(`${columns} ORDER BY sequence DESC LIMIT ?`).all(companyId, limit)
    : database.prepare(`${columns} AND (body ->> 'userId' = ? OR body ->> 'userName' = ?) ORDER BY sequence DESC LIMIT ?`)
      .all(companyId, about, about, limit);
  const entries = rows.map((row) => ({
    ...(JSON.parse(String(row["body"])) as Omit<LogEntry, "companyId" | "at">),
    companyId,
    at: Number(row["at"]),
  }));
  // Requests that changed nothing are written a moment after they were answered
  return entries.sort((left, right) => right.at - left.at);
}

const columns = "SELECT at, body FROM scim_log WHERE company_id = ?";
