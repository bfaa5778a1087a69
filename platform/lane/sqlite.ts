/** Lanes in the embedded store: a table that the resolver's step fills and the reader's transaction empties. */
import type { Database } from "../sqlite/database.ts";
import { migrate } from "../sqlite/migrate.ts";
import type { Lane, LaneRecord } from "./lane.ts";

/** Owner `lane`: records for the services that own consent, in the resolver's order. */
export const laneSchema: readonly string[] = [
  `
  CREATE TABLE lane_records (
    service TEXT NOT NULL, workspace_id TEXT NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL,
    lane_key TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (service, workspace_id, sequence, part, lane_key)
  ) WITHOUT ROWID;
  `,
];

export async function openSqliteLane(database: Database, service: string): Promise<Lane> {
  await migrate(database, "lane", laneSchema);
  return {
    read(max) {
      const rows = database.prepare(select).all(service, max);
      return Promise.resolve(rows.map((row): LaneRecord => ({
        workspaceId: String(row["workspace_id"]),
        sequence: Number(row["sequence"]),
        part: Number(row["part"]),
        key: String(row["lane_key"]),
        body: row["body"] instanceof Uint8Array ? row["body"] : new Uint8Array(),
      })));
    },
  };
}

/** Takes records out of the lane. Runs inside the transaction that writes their effects, so each counts once. */
export function takeFromLane(database: Database, service: string, records: readonly LaneRecord[]): void {
  const statement = database.prepare(remove);
  for (const { workspaceId, sequence, part, key } of records) statement.run(service, workspaceId, sequence, part, key);
}

const select = `SELECT workspace_id, sequence, part, lane_key, body FROM lane_records
  WHERE service = ? ORDER BY workspace_id, sequence, part LIMIT ?`;
const remove = "DELETE FROM lane_records WHERE service = ? AND workspace_id = ? AND sequence = ? AND part = ? AND lane_key = ?";
