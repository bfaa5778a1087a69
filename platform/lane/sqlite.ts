/** Lanes in the embedded store: a table that the resolver's step fills and the reader's transaction empties. */
import { limits } from "../limits.ts";
import type { Database } from "../sqlite/database.ts";
import { migrate } from "../sqlite/migrate.ts";
import { type Lane, type LaneRecord, usersIn } from "./lane.ts";

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
  /** Workspaces take turns. */
  let served = "";

  /** The workspaces with records, at most `max`, beginning behind the one that was served last. */
  function workspaces(max: number): string[] {
    const found: string[] = [];
    for (const [after, until] of [[served, undefined], ["", served]] as const) {
      for (let from: string = after; found.length < max;) {
        const next = database.prepare(selectNext).get(service, from)?.["workspace_id"];
        if (next === undefined || (until !== undefined && String(next) > until)) break;
        from = String(next);
        found.push(from);
      }
    }
    return found;
  }

  /** About so many users. Of a fan-out a few records are enough, and the bodies of more would be read for nothing. */
  function first(workspaceId: string, users: number): LaneRecord[] {
    const few = Math.ceil(users / limits.laneUsersPerRecordMax);
    const records = database.prepare(select).all(service, workspaceId, few).map(recordOf);
    const isEnough = records.length < few || usersIn(records) >= users;
    return ofUsers(users, isEnough ? records : database.prepare(select).all(service, workspaceId, users).map(recordOf));
  }

  return {
    read(max) {
      const turn = workspaces(limits.laneWorkspacesPerRead);
      const each = Math.ceil(max / Math.max(1, turn.length));
      const records = ofUsers(max, turn.flatMap((workspaceId) => first(workspaceId, each)));
      // One record may fill the whole step: who had no room in it is next
      served = records.at(-1)?.workspaceId ?? "";
      return Promise.resolve(records);
    },
    last(workspaceId) {
      const row = database.prepare(selectLast).get(service, workspaceId);
      return row === undefined ? undefined : { sequence: Number(row["sequence"]), part: Number(row["part"]) };
    },
    isPast: (workspaceId, { sequence, part }) => database.prepare(selectUpTo).get(service, workspaceId, sequence, part) === undefined,
  };
}

/** The first of the records, about `max` users; one record at least. */
function ofUsers(max: number, records: readonly LaneRecord[]): LaneRecord[] {
  let room = max;
  const tooMuch = records.findIndex(({ users = 1 }, at) => (room -= users) < 0 && at > 0);
  return records.slice(0, tooMuch < 0 ? records.length : tooMuch);
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

/** How many records of the workspace are in the lane, up to this one. */
export function countUpTo(database: Database, service: string, { workspaceId, sequence, part }: LaneRecord): number {
  return Number(database.prepare(selectCountUpTo).get(service, workspaceId, sequence, part)?.["count"] ?? 0);
}

/** Puts a record back, inside a transaction. */
export function returnToLane(database: Database, service: string, { workspaceId, sequence, part, key, body }: LaneRecord): void {
  database.prepare(put).run(service, workspaceId, sequence, part, key, body);
}

const ofWorkspace = "FROM lane_records WHERE service = ? AND workspace_id = ?";
const select = `SELECT workspace_id, sequence, part, lane_key, users, body ${ofWorkspace} ORDER BY sequence, part LIMIT ?`;
const selectNext = "SELECT workspace_id FROM lane_records WHERE service = ? AND workspace_id > ? ORDER BY workspace_id LIMIT 1";
const selectLast = `SELECT sequence, part ${ofWorkspace} ORDER BY sequence DESC, part DESC LIMIT 1`;
const selectUpTo = `SELECT 1 ${ofWorkspace} AND (sequence, part) <= (?, ?) LIMIT 1`;
const selectCountUpTo = `SELECT count(*) AS count ${ofWorkspace} AND (sequence, part) <= (?, ?)`;
const remove = "DELETE FROM lane_records WHERE service = ? AND workspace_id = ? AND sequence = ? AND part = ? AND lane_key = ?";
const put = `INSERT INTO lane_records (service, workspace_id, sequence, part, lane_key, body) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
