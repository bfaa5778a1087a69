/** Versioned tables: every owner brings its DDL as a list that only grows, and each entry runs once. */
import { Refusal } from "../refusal.ts";
import { Unusable } from "../unusable.ts";
import type { Database } from "./database.ts";

/**
 * Brings the tables of owner `name` to the newest of `versions`; entry i (SQL, several statements allowed) leads to
 * version i + 1. Each runs in a transaction of its own together with its mark, so a crash leaves whole versions.
 * Throws Unusable where the file was written by a newer build: an older one would not understand it. Refuses STATE_CONFLICT where a server of an
 * older build works on the tables.
 */
export async function migrate(database: Database, name: string, versions: readonly string[]): Promise<void> {
  await database.write(() => database.handle.exec(marks));
  const found = currentVersion(database, name);
  if (found > versions.length) {
    throw new Unusable(
      `The tables of "${name}" have version ${found}, this build knows ${versions.length}: start a newer build`,
    );
  }
  if (found > 0 && found < versions.length && database.isServed?.()) {
    throw new Refusal("STATE_CONFLICT", `The server that runs has older tables ("${name}"): stop it first, or use its own build`);
  }
  for (let version = found + 1; version <= versions.length; version += 1) {
    await database.write(() => step(database, { name, version, sql: versions[version - 1] ?? "" }));
  }
}

const marks = "CREATE TABLE IF NOT EXISTS schema_versions (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT";

/** The version that the tables of owner `name` have; 0 where there are none. */
export function currentVersion(database: Database, name: string): number {
  const row = database.prepare("SELECT version FROM schema_versions WHERE name = ?").get(name);
  return Number(row?.["version"] ?? 0);
}

function step(database: Database, to: { name: string; version: number; sql: string }): void {
  database.handle.exec(to.sql);
  database
    .prepare("INSERT INTO schema_versions (name, version) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version")
    .run(to.name, to.version);
}
