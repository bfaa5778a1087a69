/** Lane records that wait for a human, in the shared file, in a table of the service whose lane it is. */
import { limits } from "../limits.ts";
import type { Database } from "../sqlite/database.ts";
import { keysOf, redrivable, type SetAsidePlace, type Taken, type Waiting } from "./hold-back.ts";
import { type Lane, LaneChanged, type LaneRecord, type SetAside } from "./lane.ts";
import { setAsideFromRow } from "./set-aside-row.ts";

export interface SetAsideTable {
  /** What waits of a workspace. Rows of builds that held nobody back have no key, and hold nobody. */
  waiting(workspaceId: string): Waiting[];
  /** At most `max`, by workspace and place. */
  list(max: number): SetAside[];
  count(): number;
  /** Inside the transaction of a step: throws LaneChanged where what the step was planned on is no longer so. */
  checkUnchanged(step: StepPlace): void;
  /** Inside a transaction; keeping a record again changes nothing. */
  put(setAside: readonly SetAside[]): void;
  /** Puts what can be tried once more back into the lane, at its old places; how many. */
  redrive(read: ReadRecord): Promise<number>;
  /** Forgets what waits at the place, and does the same. */
  skip(at: SetAsidePlace, read: ReadRecord): Promise<void>;
}

export type ReadRecord = (record: LaneRecord) => readonly Taken<unknown>[];

interface StepPlace {
  /** What the lane said of itself when the records of the step were chosen; absent: nobody looked. */
  readonly returns?: number;
}

export interface SetAsideOptions {
  readonly database: Database;
  readonly lane: Pick<Lane, "putBack" | "returns">;
  readonly table: "subscription_set_aside" | "messaging_status_set_aside";
}

export function sqliteSetAside({ database, lane, table }: SetAsideOptions): SetAsideTable {
  const sql = statements[table];
  function list(max: number): SetAside[] {
    return database.prepare(sql.list).all(max).map(setAsideFromRow);
  }
  function putBack(read: ReadRecord): number {
    const records = redrivable(list(limits.setAsideRedriveMax), read);
    lane.putBack(records);
    for (const { workspaceId, sequence, part } of records) database.prepare(sql.remove).run(workspaceId, sequence, part);
    return records.length;
  }
  return {
    waiting: (workspaceId) =>
      database.prepare(sql.waiting).all(workspaceId).map((row) => ({
        mark: [Number(row["sequence"]), Number(row["part"])],
        keys: keysOf(String(row["lane_key"])),
      })),
    list,
    count: () => Number(database.prepare(sql.count).get()?.["count"] ?? 0),
    checkUnchanged({ returns }) {
      if (returns !== undefined && returns !== lane.returns) throw new LaneChanged();
    },
    put(setAside) {
      for (const { record: { workspaceId, sequence, part, key, body }, reason } of setAside) {
        database.prepare(sql.put).run(workspaceId, sequence, part, key, reason, body);
      }
    },
    redrive: (read) => database.write(() => putBack(read)),
    skip: ({ workspaceId, sequence, part }, read) =>
      database.write(() => {
        database.prepare(sql.remove).run(workspaceId, sequence, part);
        putBack(read);
      }),
  };
}

const statements = { subscription_set_aside: of("subscription_set_aside"), messaging_status_set_aside: of("messaging_status_set_aside") };

/** The names are those of the two tables, and never data. */
function of(table: SetAsideOptions["table"]) {
  return {
    waiting: `SELECT lane_key, sequence, part FROM ${table} WHERE workspace_id = ?`,
    list: `SELECT workspace_id, sequence, part, lane_key, reason, body FROM ${table} ORDER BY workspace_id, sequence, part LIMIT ?`,
    count: `SELECT count(*) AS count FROM ${table}`,
    put: `INSERT INTO ${table} (workspace_id, sequence, part, lane_key, reason, body) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET lane_key = excluded.lane_key, reason = excluded.reason, body = excluded.body`,
    remove: `DELETE FROM ${table} WHERE workspace_id = ? AND sequence = ? AND part = ?`,
  };
}
