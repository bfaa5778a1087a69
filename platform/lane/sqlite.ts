/** Lanes in the embedded store: a table that the resolver's step fills and the reader's transaction empties. */
import type { Database } from "../sqlite/database.ts";
import { migrate } from "../sqlite/migrate.ts";
import type { Lane, LanePlace, LaneRecord } from "./lane.ts";

/** Owner `lane`: records for the services that own consent, in the resolver's order. */
export const laneSchema: readonly string[] = [
  `
  CREATE TABLE lane_records (
    service TEXT NOT NULL, workspace_id TEXT NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL,
    lane_key TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (service, workspace_id, sequence, part, lane_key)
  ) WITHOUT ROWID;
  `,
  "ALTER TABLE lane_records ADD COLUMN users INTEGER NOT NULL DEFAULT 1;",
];

export async function openSqliteLane(database: Database, service: string): Promise<Lane> {
  await migrate(database, "lane", laneSchema);
  let returns = 0;
  let others = othersWrote(database);
  return {
    workspaces(after, max) {
      const found: string[] = [];
      for (let from = after; found.length < max;) {
        const next = database.prepare(selectNext).get(service, from)?.["workspace_id"];
        if (next === undefined) break;
        from = String(next);
        found.push(from);
      }
      return found;
    },
    read: (workspaceId, after, max) =>
      database.prepare(select).all(service, workspaceId, after?.sequence ?? -1, after?.part ?? 0, after?.key ?? "", max).map(recordOf),
    last: (workspaceId) => placeOf(database.prepare(selectLast).get(service, workspaceId)),
    first: (workspaceId) => placeOf(database.prepare(selectFirst).get(service, workspaceId)),
    putBack(records) {
      const statement = database.prepare(put);
      for (const { workspaceId, sequence, part, key, users = 1, body } of records) {
        statement.run(service, workspaceId, sequence, part, key, users, body);
      }
      returns += 1;
    },
    get returns() {
      const now = othersWrote(database);
      if (now !== others) returns += 1;
      others = now;
      return returns;
    },
  };
}

/** Moves when another connection has written to the file: a command such as `heddle log` beside the server. */
function othersWrote(database: Database): number {
  return Number(database.prepare("PRAGMA data_version").get()?.["data_version"]);
}

function placeOf(row: Readonly<Record<string, unknown>> | undefined): LanePlace | undefined {
  return row === undefined ? undefined : { sequence: Number(row["sequence"]), part: Number(row["part"]) };
}

function recordOf(row: Readonly<Record<string, unknown>>): LaneRecord {
  return {
    workspaceId: String(row["workspace_id"]),
    sequence: Number(row["sequence"]),
    part: Number(row["part"]),
    key: String(row["lane_key"]),
    users: Number(row["users"]),
    body: row["body"] instanceof Uint8Array ? row["body"] : new Uint8Array(),
  };
}

/** Takes records out of the lane. Runs inside the transaction that writes their effects, so each counts once. */
export function takeFromLane(database: Database, service: string, records: readonly LaneRecord[]): void {
  const statement = database.prepare(remove);
  for (const { workspaceId, sequence, part, key } of records) statement.run(service, workspaceId, sequence, part, key);
}

const ofWorkspace = "FROM lane_records WHERE service = ? AND workspace_id = ?";
const select = `SELECT workspace_id, sequence, part, lane_key, users, body ${ofWorkspace}
  AND (sequence, part, lane_key) > (?, ?, ?) ORDER BY sequence, part, lane_key LIMIT ?`;
const selectNext = "SELECT workspace_id FROM lane_records WHERE service = ? AND workspace_id > ? ORDER BY workspace_id LIMIT 1";
const selectFirst = `SELECT sequence, part ${ofWorkspace} ORDER BY sequence, part LIMIT 1`;
const selectLast = `SELECT sequence, part ${ofWorkspace} ORDER BY sequence DESC, part DESC LIMIT 1`;
const remove = "DELETE FROM lane_records WHERE service = ? AND workspace_id = ? AND sequence = ? AND part = ? AND lane_key = ?";
const put = `INSERT INTO lane_records (service, workspace_id, sequence, part, lane_key, users, body) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
