/** Documents in the embedded store: one table for all services, each with a space of its own in it. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Database } from "../sqlite/database.ts";
import { migrate } from "../sqlite/migrate.ts";
import { type Document, type Documents, idsAboveAll, idsBelowAll, type Key, type Write } from "./documents.ts";
import { expiryOf, packedValue, unpackedValue } from "./value-bytes.ts";

/** Makes the table where it is missing. */
export async function openSqliteDocuments(
  { database, space, clock }: { readonly database: Database; readonly space: string; readonly clock: Clock },
): Promise<Documents> {
  await migrate(database, "documents", schema);
  function valueOf(partition: string, { kind, id }: Key): unknown {
    return database.prepare(selectOne).all(space, partition, kind, id).map(documentOf)[0]?.value;
  }
  return {
    get: async (partition, key) => valueOf(partition, key),
    list: async (partition, kind) => database.prepare(selectUp).all(space, partition, kind, idsBelowAll, idsAboveAll, -1).map(documentOf),
    async between(partition, kind, { above = idsBelowAll, below = idsAboveAll, limit, descending = false }) {
      return database.prepare(descending ? selectDown : selectUp).all(space, partition, kind, above, below, limit).map(documentOf);
    },
    ids: async (partition, kind) => database.prepare(selectIds).all(space, partition, kind).map((row) => String(row["id"])),
    changeIf: (partition, { reads, plan }) =>
      database.write(() => {
        const writes = plan(reads.map((key) => valueOf(partition, key)));
        if (typeof writes === "string") return writes;
        const passing = writes.filter(({ value }) => expiryOf(value) !== undefined);
        if (passing.length > 0) database.prepare(sweep).run(clock.now(), limits.expiredRowsSweepMax);
        for (const write of writes) put(database, { space, partition }, write);
        return "committed";
      }),
  };
}

function put(database: Database, { space, partition }: { space: string; partition: string }, { key: { kind, id }, value }: Write): void {
  if (value === undefined) database.prepare(remove).run(space, partition, kind, id);
  else database.prepare(upsert).run(space, partition, kind, id, packedValue(value), expiryOf(value) ?? null);
}

function documentOf(row: Readonly<Record<string, unknown>>): Document {
  return { id: String(row["id"]), value: unpackedValue(row["value"] as string | Uint8Array) };
}

const range = "FROM documents WHERE space = ? AND partition = ? AND kind = ? AND id > ? AND id < ?";
const selectOne = "SELECT id, value FROM documents WHERE space = ? AND partition = ? AND kind = ? AND id = ?";
const selectUp = `SELECT id, value ${range} ORDER BY id LIMIT ?`;
const selectDown = `SELECT id, value ${range} ORDER BY id DESC LIMIT ?`;
const selectIds = "SELECT id FROM documents WHERE space = ? AND partition = ? AND kind = ? ORDER BY id";
const upsert = `INSERT INTO documents (space, partition, kind, id, value, expires_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (space, partition, kind, id) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`;
const remove = "DELETE FROM documents WHERE space = ? AND partition = ? AND kind = ? AND id = ?";
const sweep = "DELETE FROM documents WHERE row IN (SELECT row FROM documents WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)";

/** Owner `documents`; a version is never changed once released. */
const schema: readonly string[] = [
  `
  CREATE TABLE documents (
    row INTEGER PRIMARY KEY, space TEXT NOT NULL, partition TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    value ANY NOT NULL, expires_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX documents_by_id ON documents (space, partition, kind, id);
  CREATE INDEX documents_by_expiry ON documents (expires_at) WHERE expires_at IS NOT NULL;
  `,
];
