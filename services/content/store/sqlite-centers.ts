/** The embedded store of preference centers: each change in one transaction with its version and its mark. */
import { limits } from "../../../platform/limits.ts";
import type { SealKey } from "../../../platform/sealed-token.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import type { Center, CenterState, CenterSummary, CenterVersion } from "../domain/center.ts";
import type { CenterChange, CenterStore, Remembered } from "../domain/center-ports.ts";
import type { LinkKeys } from "../../../platform/link-keys.ts";
import { answerFromText, contentFromText, contentToText, settingsFromText } from "./center-rows.ts";

/** Makes the tables where they are missing. */
export async function openSqliteCenters(database: Database): Promise<{ readonly centers: CenterStore; readonly linkKeys: LinkKeys }> {
  await migrate(database, "content-centers", schema);
  return { centers: centerStore(database), linkKeys: linkKeyTable(database) };
}

function centerStore(database: Database): CenterStore {
  return {
    byId: async (workspaceId, id) => centerFromRow(database.prepare(selects.byId).get(workspaceId, id)),
    byName: async (workspaceId, name) => centerFromRow(database.prepare(selects.byName).get(workspaceId, name)),
    summaries: async (workspaceId) => database.prepare(selects.summaries).all(workspaceId).map(summaryFromRow),
    versions: async (workspaceId, id, { before, limit }) =>
      database.prepare(selects.versions).all(workspaceId, id, before, limit).map(versionFromRow),
    async version(workspaceId, id, version) {
      const row = database.prepare(selects.version).get(workspaceId, id, version);
      return row === undefined ? undefined : { written: versionFromRow(row), content: contentFromText(String(row["body"])) };
    },
    async remembered(workspaceId, requestHash, now) {
      const row = database.prepare(selects.remembered).get(workspaceId, requestHash, now);
      return row === undefined ? undefined : rememberedFromRow(requestHash, row);
    },
    commit: (change) => database.write(() => commit(database, change)),
    async settings(workspaceId) {
      const row = database.prepare("SELECT body FROM content_page_settings WHERE workspace_id = ?").get(workspaceId);
      return row === undefined ? { scriptsAllowed: false, origins: [] } : settingsFromText(String(row["body"]));
    },
    async putSettings(workspaceId, settings) {
      const sql = `INSERT INTO content_page_settings (workspace_id, body) VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body`;
      await database.write(() => void database.prepare(sql).run(workspaceId, JSON.stringify(settings)));
    },
  };
}

const whole = `SELECT c.workspace_id, c.id, c.name, c.version, c.created_at, c.updated_at, v.body
  FROM content_centers c JOIN content_center_versions v ON v.workspace_id = c.workspace_id AND v.id = c.id AND v.version = c.version`;
const versionColumns = "version, written_at, actor, request_id, restored_from";

const selects = {
  byId: `${whole} WHERE c.workspace_id = ? AND c.id = ?`,
  byName: `${whole} WHERE c.workspace_id = ? AND c.name = ?`,
  summaries: `SELECT id, name, version, created_at, updated_at, state FROM content_centers WHERE workspace_id = ? ORDER BY created_at, id`,
  versions: `SELECT ${versionColumns} FROM content_center_versions WHERE workspace_id = ? AND id = ? AND version < ?
    ORDER BY version DESC LIMIT ?`,
  version: `SELECT ${versionColumns}, body FROM content_center_versions WHERE workspace_id = ? AND id = ? AND version = ?`,
  remembered: "SELECT body_hash, answer, expires_at FROM content_marks WHERE workspace_id = ? AND request_hash = ? AND expires_at > ?",
} as const;

type Row = Readonly<Record<string, unknown>>;

function centerFromRow(row: Row | undefined): Center | undefined {
  if (row === undefined) return undefined;
  return {
    workspaceId: String(row["workspace_id"]),
    id: String(row["id"]),
    name: String(row["name"]),
    version: Number(row["version"]),
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
    content: contentFromText(String(row["body"])),
  };
}

function summaryFromRow(row: Row): CenterSummary {
  return {
    id: String(row["id"]),
    name: String(row["name"]),
    version: Number(row["version"]),
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
    state: String(row["state"]) as CenterState,
  };
}

function versionFromRow(row: Row): CenterVersion {
  const restoredFrom = row["restored_from"];
  return {
    version: Number(row["version"]),
    writtenAt: Number(row["written_at"]),
    actor: String(row["actor"]),
    requestId: String(row["request_id"]),
    ...(restoredFrom === null ? {} : { restoredFrom: Number(restoredFrom) }),
  };
}

function rememberedFromRow(requestHash: string, row: Row): Remembered {
  return {
    requestHash,
    bodyHash: String(row["body_hash"]),
    answer: answerFromText(String(row["answer"])),
    expiresAt: Number(row["expires_at"]),
  };
}

/** Runs inside a transaction. Nothing is written before every condition holds. */
function commit(database: Database, { workspaceId, now, write, remember }: CenterChange): Awaited<ReturnType<CenterStore["commit"]>> {
  if (remember && database.prepare(selects.remembered).get(workspaceId, remember.requestHash, now)) return "repeated";
  if (write) {
    const { before, after } = write;
    if (before === undefined && database.prepare(selects.byName).get(workspaceId, after.name)) return "name_taken";
    if (before && !isCurrent(database, before)) return "changed";
    put(database, write);
  }
  if (remember) keep(database, { workspaceId, now }, remember);
  return "committed";
}

function isCurrent(database: Database, { workspaceId, id, version }: Center): boolean {
  const row = database.prepare("SELECT version FROM content_centers WHERE workspace_id = ? AND id = ?").get(workspaceId, id);
  return row?.["version"] === version;
}

function put(database: Database, { after, written }: NonNullable<CenterChange["write"]>): void {
  const { workspaceId, id, name, version, createdAt, updatedAt, content } = after;
  database
    .prepare(
      `INSERT INTO content_centers (workspace_id, id, name, version, created_at, updated_at, state) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (workspace_id, id) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at, state = excluded.state`,
    )
    .run(workspaceId, id, name, version, createdAt, updatedAt, content.state);
  database
    .prepare(`INSERT INTO content_center_versions (workspace_id, id, ${versionColumns}, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(
      workspaceId,
      id,
      version,
      written.writtenAt,
      written.actor,
      written.requestId,
      written.restoredFrom ?? null,
      contentToText(content),
    );
}

function keep(database: Database, { workspaceId, now }: Pick<CenterChange, "workspaceId" | "now">, remember: Remembered): void {
  const { requestHash, bodyHash, answer, expiresAt } = remember;
  database
    .prepare(
      `DELETE FROM content_marks WHERE (workspace_id, request_hash) IN
      (SELECT workspace_id, request_hash FROM content_marks WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    )
    .run(now, limits.expiredRowsSweepMax);
  database
    .prepare(
      "INSERT INTO content_marks (workspace_id, request_hash, body_hash, answer, expires_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET body_hash = excluded.body_hash, answer = excluded.answer, expires_at = excluded.expires_at",
    )
    .run(workspaceId, requestHash, bodyHash, JSON.stringify(answer), expiresAt);
}

function linkKeyTable(database: Database): LinkKeys {
  function all(ring: string): SealKey[] {
    return database.prepare("SELECT id, bytes FROM content_link_rings WHERE ring = ? ORDER BY id DESC").all(ring).map((row) => ({
      id: Number(row["id"]),
      bytes: row["bytes"] instanceof Uint8Array ? row["bytes"] : new Uint8Array(),
    }));
  }
  return {
    all: (ring) => Promise.resolve(all(ring)),
    add: (ring, make, { unlessAny }) =>
      database.write(() => {
        const [newest] = all(ring);
        if (unlessAny && newest !== undefined) return;
        const key = make((newest?.id ?? 0) + 1);
        database.prepare("INSERT INTO content_link_rings (ring, id, bytes) VALUES (?, ?, ?)").run(ring, key.id, key.bytes);
      }),
  };
}

/** Owner `content-centers`; a version is never changed once released. Bodies are JSON text. */
const schema: readonly string[] = [
  `
  CREATE TABLE content_centers (
    workspace_id TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (workspace_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX content_centers_by_name ON content_centers (workspace_id, name);
  CREATE TABLE content_center_versions (
    workspace_id TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, written_at INTEGER NOT NULL,
    actor TEXT NOT NULL, request_id TEXT NOT NULL, restored_from INTEGER, body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX content_center_versions_by_version ON content_center_versions (workspace_id, id, version);
  CREATE TABLE content_marks (
    workspace_id TEXT NOT NULL, request_hash TEXT NOT NULL, body_hash TEXT NOT NULL, answer TEXT NOT NULL, expires_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, request_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX content_marks_by_expiry ON content_marks (expires_at);
  CREATE TABLE content_page_settings (workspace_id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE content_link_keys (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  `,
  `
  CREATE TABLE content_link_rings (
    ring TEXT NOT NULL, id INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (ring, id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO content_link_rings (ring, id, bytes) SELECT '', id, bytes FROM content_link_keys;
  DROP TABLE content_link_keys;
  `,
];
