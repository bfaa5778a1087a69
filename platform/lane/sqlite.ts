/** A lane of the embedded store: messages of packed records, which the resolver's step sends in its own transaction. */
import { setImmediate } from "node:timers/promises";
import { limits } from "../limits.ts";
import type { Log, LogRecord } from "../log/log.ts";
import { packRecords } from "../log/packed-records.ts";
import type { Database } from "../sqlite/database.ts";
import { slicesBySize } from "../slices-by-size.ts";
import { migrate } from "../sqlite/migrate.ts";
import type { LanePositions } from "./lane-positions.ts";

/** Owner `lane`: what services that own consent have to apply. A message goes once everything up to it is in. */
export const laneSchema: readonly string[] = [
  `
  CREATE TABLE lane_records (
    service TEXT NOT NULL, workspace_id TEXT NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL,
    lane_key TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (service, workspace_id, sequence, part, lane_key)
  ) WITHOUT ROWID;
  `,
  "ALTER TABLE lane_records ADD COLUMN users INTEGER NOT NULL DEFAULT 1;",
  // Each record becomes a message of its own, packed as packRecords() does
  `
  CREATE TABLE lane_messages (sequence INTEGER PRIMARY KEY AUTOINCREMENT, service TEXT NOT NULL, body BLOB NOT NULL) STRICT;
  CREATE INDEX lane_messages_of ON lane_messages (service, sequence);
  INSERT INTO lane_messages (service, body)
    SELECT service, CAST(unhex(printf('%08X', length(body))) || body AS BLOB) FROM lane_records ORDER BY sequence, part, lane_key;
  DROP TABLE lane_records;
  `,
];

/** Sends a message: its service, and packed records. */
export const putLaneMessage = "INSERT INTO lane_messages (service, body) VALUES (?, ?)";

export interface SqliteLane {
  readonly log: Pick<Log, "read" | "trim" | "watch">;
  readonly positions: LanePositions;
  /** The last message that was sent, by whatever process. */
  tail(): number;
  /** Puts a record behind all others. */
  append(body: Uint8Array): Promise<void>;
  /** Something may have been sent. */
  notify(): void;
}

export async function openSqliteLane(database: Database, service: string): Promise<SqliteLane> {
  await migrate(database, "lane", laneSchema);
  const listeners = new Set<() => void>();
  let kept: number | undefined;
  function numberOf(sql: string, ...values: string[]): number | undefined {
    const found = database.prepare(sql).get(...values)?.["found"] ?? undefined;
    return found === undefined ? undefined : Number(found);
  }
  function position(): number {
    if (kept !== undefined) return kept;
    const first = numberOf(selectFirst, service);
    kept = first === undefined ? numberOf(selectGiven) ?? 0 : first - 1;
    return kept;
  }
  function notify(): void {
    for (const listener of listeners) listener();
  }
  return {
    notify,
    tail: () => numberOf(selectLast, service) ?? position(),
    async append(body) {
      await database.write(() => void database.prepare(putLaneMessage).run(service, packRecords([body])));
      notify();
    },
    log: {
      async read(_, after, { max, bytesMax }) {
        const rows = database.prepare(select).all(service, after, Math.min(max, limits.laneMessagesPerRead));
        const records = rows.map((row) => ({ sequence: Number(row["sequence"]), body: row["body"] as Uint8Array, isNext: true }));
        // What one request says of very many is many messages: others get their turn between some of them and the next
        if (records.length > 0) await setImmediate();
        return firstBytes(records, Math.min(bytesMax, limits.laneReadBytesMax));
      },
      watch(listener) {
        function own(): void {
          listener(0);
        }
        listeners.add(own);
        return () => listeners.delete(own);
      },
      // Keeping a position forgets what is before it
      trim: () => Promise.resolve(),
    },
    positions: {
      load: () => Promise.resolve(position()),
      async save(_, reached) {
        await database.write(() => void database.prepare(remove).run(service, reached), { repeatable: true });
        kept = Math.max(reached, kept ?? 0);
        return true;
      },
      trim: () => Promise.resolve(),
    },
  };
}

/** As many as fit, one at least. */
function firstBytes(records: readonly LogRecord[], bytesMax: number): LogRecord[] {
  let room = bytesMax;
  return records.filter(({ body }, at) => {
    room -= body.byteLength;
    return room >= 0 || at === 0;
  });
}

/** Records as messages of `laneMessageBytes` each, or of one record. */
export function packLane(bodies: readonly Uint8Array[]): Uint8Array[] {
  return slicesBySize(bodies, ({ byteLength }) => byteLength, { bytesMax: limits.laneMessageBytes }).map(packRecords);
}

const select = "SELECT sequence, body FROM lane_messages WHERE service = ? AND sequence > ? ORDER BY sequence LIMIT ?";
const selectFirst = "SELECT min(sequence) AS found FROM lane_messages WHERE service = ?";
const selectLast = "SELECT max(sequence) AS found FROM lane_messages WHERE service = ?";
const selectGiven = "SELECT seq AS found FROM sqlite_sequence WHERE name = 'lane_messages'";
const remove = "DELETE FROM lane_messages WHERE service = ? AND sequence <= ?";
