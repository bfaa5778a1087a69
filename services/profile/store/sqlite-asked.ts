/** What an operator asks of the pass of a server that may be running: rows that it looks for, and takes out when it did as asked. */
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import type { Mark } from "../domain/profile.ts";

export interface Asked {
  /** To try the records of all held users once more. */
  redrive(): Promise<void>;
  /** The record at `mark` that holds a user back becomes one that changes nothing; then as `redrive`. */
  skip(of: { readonly workspaceId: string; readonly userId: string; readonly mark: Mark }): Promise<void>;
  /** Whether something was asked since the last call. */
  take(): Promise<boolean>;
}

export async function openSqliteAsked(database: Database): Promise<Asked> {
  await migrate(database, "profile-asked", ["CREATE TABLE profile_asked (id INTEGER PRIMARY KEY) STRICT;"]);
  function ask(): void {
    database.prepare("INSERT INTO profile_asked DEFAULT VALUES").run();
  }
  return {
    async redrive() {
      await database.write(ask);
    },
    async skip({ workspaceId, userId, mark: [sequence, part] }) {
      await database.write(() => {
        const row = database.prepare(select).get(workspaceId, userId, sequence, part);
        if (row === undefined) return;
        const body = JSON.stringify({ ...JSON.parse(String(row["body"])), change: { type: "attributes" } });
        database.prepare(replace).run(body, workspaceId, userId, sequence, part);
        ask();
      });
    },
    async take() {
      const last = database.prepare("SELECT max(id) AS last FROM profile_asked").get()?.["last"];
      if (typeof last !== "number") return false;
      await database.write(() => database.prepare("DELETE FROM profile_asked WHERE id <= ?").run(last));
      return true;
    },
  };
}

const ofRecord = "workspace_id = ? AND user_id = ? AND sequence = ? AND part = ?";
const select = `SELECT body FROM profile_held_records WHERE ${ofRecord}`;
const replace = `UPDATE profile_held_records SET body = ? WHERE ${ofRecord}`;
