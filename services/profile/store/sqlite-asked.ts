/** What an operator asks of a server that may be running: rows that it looks for, and takes out when it did as asked. */
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import type { Addressed } from "../domain/lane-item.ts";
import type { Mark } from "../../../platform/age.ts";

export interface Asked {
  /** To try the records of all held users once more. */
  redrive(): Promise<void>;
  /** To pass over the record at `mark`, if it is what holds the user back; then as `redrive`. */
  skip(of: { readonly workspaceId: string; readonly userId: string; readonly mark: Mark }): Promise<void>;
  /** What is asked and was not done; undefined: nothing. */
  look(): AskedFor | undefined;
  /** All up to there is done. */
  done(through: number): Promise<void>;
}

interface AskedFor {
  readonly through: number;
  readonly skips: readonly Addressed[];
}

export async function openSqliteAsked(database: Database): Promise<Asked> {
  await migrate(database, "profile-asked", [
    "CREATE TABLE profile_asked (id INTEGER PRIMARY KEY) STRICT;",
    "ALTER TABLE profile_asked ADD COLUMN skip TEXT;",
  ]);
  async function ask(skip: Addressed | null): Promise<void> {
    const text = skip && JSON.stringify(skip);
    await database.write(() => database.prepare("INSERT INTO profile_asked (skip) VALUES (?)").run(text));
  }
  return {
    redrive: () => ask(null),
    skip: ({ workspaceId, userId, mark }) => ask({ workspaceId, item: { type: "skip", userId, mark } }),
    look() {
      const rows = database.prepare("SELECT id, skip FROM profile_asked ORDER BY id").all();
      const last = rows.at(-1);
      if (last === undefined) return undefined;
      return { through: Number(last["id"]), skips: rows.flatMap(({ skip }) => (typeof skip === "string" ? [JSON.parse(skip)] : [])) };
    },
    async done(through) {
      await database.write(() => database.prepare("DELETE FROM profile_asked WHERE id <= ?").run(through));
    },
  };
}
