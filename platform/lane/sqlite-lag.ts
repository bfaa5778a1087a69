/** How far the reader of an embedded lane is behind: what lies in its table, and for how long the oldest of it has. */
import type { Clock } from "../clock.ts";
import type { Database } from "../sqlite/database.ts";
import { type LagMeter, openLagMeter } from "../telemetry/lag.ts";

/** The table is empty but for what waits, so counting it is cheap as long as all is well. */
export function openSqliteLaneLag(database: Database, service: string, clock: Clock): LagMeter {
  const sql =
    "SELECT count(*) AS waiting, coalesce(max(sequence), 0) AS newest, coalesce(min(sequence), 0) AS oldest FROM lane_records WHERE service = ?";
  function look(): { waiting: number; newest: number; oldest: number } {
    const row = database.prepare(sql).get(service);
    return { waiting: Number(row?.["waiting"]), newest: Number(row?.["newest"]), oldest: Number(row?.["oldest"]) };
  }
  // Places of the intake: everything before the oldest record that waits is applied
  const places = openLagMeter({
    lane: service,
    tail: () => look().newest,
    applied() {
      const { waiting, oldest, newest } = look();
      return waiting === 0 ? newest : oldest - 1;
    },
  }, clock);
  return { read: async () => ({ ...await places.read(), records: look().waiting }), close: () => places.close() };
}
