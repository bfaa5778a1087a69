/** Lane records that wait for a human, in the shared file, in a table of the service whose lane it is. */
import type { Database } from "../../../platform/sqlite/database.ts";
import { type DeadLetterId, keysOf, type Waiting } from "../../../platform/lane/hold-back.ts";
import type { DeadLetter, LaneRecord } from "../../../platform/lane/lane.ts";
import { deadLetterFromRow } from "./dead-letter-row.ts";

export interface DeadLetterTable {
  /** What waits of a workspace. Rows of builds that blocked no users have no key, and block none. */
  waiting(workspaceId: string): Waiting[];
  /** At most `max`, by workspace and place, behind `after`. */
  list(max: number, after?: DeadLetterId): DeadLetter[];
  /** The same of one workspace. */
  of(workspaceId: string, max: number, after?: DeadLetterId): DeadLetter[];
  count(): number;
  /** Inside a transaction; keeping a record again changes nothing. */
  put(deadLetters: readonly DeadLetter[]): void;
  /** Inside a transaction. */
  forget(records: readonly LaneRecord[]): void;
}

export type DeadLetterTableName = "subscription_set_aside" | "messaging_status_set_aside";

export function sqliteDeadLetters(database: Database, table: DeadLetterTableName): DeadLetterTable {
  const sql = statements[table];
  return {
    waiting: (workspaceId) =>
      database.prepare(sql.waiting).all(workspaceId).map((row) => ({
        mark: [Number(row["sequence"]), Number(row["part"])],
        keys: keysOf(String(row["lane_key"])),
      })),
    list: (max, { workspaceId, sequence, part } = beginning) =>
      database.prepare(sql.list).all(workspaceId, sequence, part, max).map(deadLetterFromRow),
    of: (workspaceId, max, { sequence, part } = beginning) =>
      database.prepare(sql.of).all(workspaceId, sequence, part, max).map(deadLetterFromRow),
    count: () => Number(database.prepare(sql.count).get()?.["count"] ?? 0),
    put(deadLetters) {
      for (const { record: { workspaceId, sequence, part, key, body }, reason } of deadLetters) {
        database.prepare(sql.put).run(workspaceId, sequence, part, key, reason, body);
      }
    },
    forget(records) {
      for (const { workspaceId, sequence, part } of records) database.prepare(sql.forget).run(workspaceId, sequence, part);
    },
  };
}

/** Before all of them: what does not say its workspace has none. */
const beginning: DeadLetterId = { workspaceId: "", sequence: -1, part: 0 };

const statements = { subscription_set_aside: of("subscription_set_aside"), messaging_status_set_aside: of("messaging_status_set_aside") };

/** The names are those of the two tables, and never data. */
function of(table: DeadLetterTableName) {
  return {
    waiting: `SELECT lane_key, sequence, part FROM ${table} WHERE workspace_id = ?`,
    list: `SELECT workspace_id, sequence, part, lane_key, reason, body FROM ${table} WHERE (workspace_id, sequence, part) > (?, ?, ?)
      ORDER BY workspace_id, sequence, part LIMIT ?`,
    of: `SELECT workspace_id, sequence, part, lane_key, reason, body FROM ${table} WHERE workspace_id = ? AND (sequence, part) > (?, ?)
      ORDER BY sequence, part LIMIT ?`,
    count: `SELECT count(*) AS count FROM ${table}`,
    put: `INSERT INTO ${table} (workspace_id, sequence, part, lane_key, reason, body) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET lane_key = excluded.lane_key, reason = excluded.reason, body = excluded.body`,
    forget: `DELETE FROM ${table} WHERE workspace_id = ? AND sequence = ? AND part = ?`,
  };
}
