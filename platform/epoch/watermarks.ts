/**
 * How far the log was that the rows of a keyspace come from, kept beside them: a stream that was lost, emptied or put back
 * cannot say itself that it was further, nor can rows that were put back.
 */
import type { Session, Statement } from "../cassandra/session.ts";
import type { Epoch } from "../log/epoch.ts";

export interface EpochWatermarks {
  /** The epoch that the rows are of; undefined where none was written. */
  epoch(): Promise<Epoch | undefined>;
  /** Writes it if `before` is the epoch that is there; whether it was. */
  begin(epoch: Epoch, before: Epoch | undefined): Promise<boolean>;
  /** By name: the sequence that each was at. */
  reached(): Promise<ReadonlyMap<string, number>>;
  /** Keeps, together, how far each is; one that is further already stays there. */
  reach(watermarks: ReadonlyMap<string, number>): Promise<void>;
}

/** In the tables that each keyspace with a lane has of it. Several installations may share a keyspace: `logName` tells them apart. */
export function openEpochWatermarks(session: Session, logName: string): EpochWatermarks {
  return {
    async epoch() {
      const [row] = await session.execute({ cql: selectEpoch, values: { log_name: logName }, serial: true });
      if (row === undefined || row["log_id"] === null) return undefined;
      return {
        logId: String(row["log_id"]),
        number: Number(row["number"]),
        from: { intake: Number(row["intake_from"]), lanes: Number(row["lanes_from"]), events: Number(row["events_from"]) },
      };
    },
    begin({ logId, number, from }, before) {
      const values = {
        log_name: logName,
        log_id: logId,
        number,
        intake_from: BigInt(from.intake),
        lanes_from: BigInt(from.lanes),
        events_from: BigInt(from.events),
      };
      const put = before === undefined ? { cql: insertEpoch, values } : { cql: updateEpoch, values: { ...values, before: before.number } };
      return session.conditional([put]);
    },
    async reached() {
      const rows = await session.execute({ cql: selectWatermarks, values: { log_name: logName } });
      return new Map(rows.map((row) => [String(row["mark"]), Number(row["sequence"])]));
    },
    async reach(watermarks) {
      const writes = Array.from(watermarks, ([watermark, sequence]): Statement => {
        const values = { log_name: logName, mark: watermark, sequence: BigInt(sequence), stamp: BigInt(sequence) };
        return { cql: putWatermark, values };
      });
      const [only] = writes;
      if (writes.length > 1) await session.batch(writes);
      else if (only !== undefined) await session.execute(only);
    },
  };
}

/** The row of the epoch is written on a condition alone. The age of a watermark is its sequence: it never steps back. */
const selectEpoch = "SELECT log_id, number, intake_from, lanes_from, events_from FROM log_epochs WHERE log_name = :log_name";
const insertEpoch = `INSERT INTO log_epochs (log_name, log_id, number, intake_from, lanes_from, events_from)
   VALUES (:log_name, :log_id, :number, :intake_from, :lanes_from, :events_from) IF NOT EXISTS`;
const updateEpoch = `UPDATE log_epochs SET log_id = :log_id, number = :number, intake_from = :intake_from, lanes_from = :lanes_from,
   events_from = :events_from WHERE log_name = :log_name IF number = :before`;
const selectWatermarks = "SELECT mark, sequence FROM log_marks WHERE log_name = :log_name";
const putWatermark = "INSERT INTO log_marks (log_name, mark, sequence) VALUES (:log_name, :mark, :sequence) USING TIMESTAMP :stamp";
