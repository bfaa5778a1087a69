/** Events that wait to be published in the embedded store: written with the change that caused them, gone when they went out. */
import type { Database } from "../../../platform/sqlite/database.ts";
import type { UserDeleted } from "../domain/ports.ts";
import type { Outbox } from "../domain/outbox.ts";

export function openSqliteOutbox(database: Database): Outbox {
  return {
    async next(limit) {
      const rows = database.prepare("SELECT sequence, event FROM scim_outbox ORDER BY sequence LIMIT ?").all(limit);
      return rows.map((row) => ({ sequence: Number(row["sequence"]), event: JSON.parse(String(row["event"])) as UserDeleted }));
    },
    async done(sequence) {
      await database.write(() => database.prepare("DELETE FROM scim_outbox WHERE sequence <= ?").run(sequence));
    },
  };
}
