/** What an operator asks of a server that may be running: rows that it looks for, and takes out when it did as asked. */
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import type { Addressed } from "../domain/resolve/lane-item.ts";
import type { Redriven } from "../resolve/redriving.ts";
import type { RecordId } from "../../../platform/age.ts";

export interface Asked {
  /** To try the records of all blocked users once more, and all dead letters. */
  redrive(): Promise<void>;
  /** To pass over the record at `mark`, if it is what holds the user back; then to try those of all blocked users. */
  skip(of: { readonly workspaceId: string; readonly userId: string; readonly mark: RecordId }): Promise<void>;
  /** That dead letters are counted anew: one of them is gone. */
  recount(): Promise<void>;
  /** What is asked and was not done; undefined: nothing. */
  look(): AskedFor | undefined;
  /** All up to there is done. */
  done(through: number): Promise<void>;
}

interface AskedFor extends Redriven {
  readonly through: number;
}

export async function openSqliteAsked(database: Database): Promise<Asked> {
  await migrate(database, "profile-asked", [
    "CREATE TABLE profile_asked (id INTEGER PRIMARY KEY) STRICT;",
    "ALTER TABLE profile_asked ADD COLUMN skip TEXT;",
    "ALTER TABLE profile_asked ADD COLUMN dead_letters INTEGER NOT NULL DEFAULT 1;",
  ]);
  async function ask({ skip, deadLetters = false }: { skip?: Addressed; deadLetters?: boolean }): Promise<void> {
    const text = skip === undefined ? null : JSON.stringify(skip);
    await database.write(() =>
      database.prepare("INSERT INTO profile_asked (skip, dead_letters) VALUES (?, ?)").run(text, Number(deadLetters))
    );
  }
  return {
    redrive: () => ask({ deadLetters: true }),
    skip: ({ workspaceId, userId, mark }) => ask({ skip: { workspaceId, item: { type: "skip", userId, mark } } }),
    recount: () => ask({}),
    look() {
      const rows = database.prepare("SELECT id, skip, dead_letters FROM profile_asked ORDER BY id").all();
      const last = rows.at(-1);
      if (last === undefined) return undefined;
      return {
        through: Number(last["id"]),
        skips: rows.flatMap(({ skip }) => (typeof skip === "string" ? [JSON.parse(skip)] : [])),
        deadLetters: rows.some((row) => row["dead_letters"] === 1 && row["skip"] === null),
      };
    },
    async done(through) {
      await database.write(() => database.prepare("DELETE FROM profile_asked WHERE id <= ?").run(through));
    },
  };
}
