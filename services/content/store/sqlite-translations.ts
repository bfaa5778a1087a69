/** The embedded store of translations: indexed reads, each change in one transaction. */
import { limits } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import type { MessageOwner, Texts, TextsKey, TranslationSettings } from "../domain/translation.ts";
import type { DeclaredWrite, TextsWrite, TranslationStore } from "../domain/translation-ports.ts";
import { ownerFromText, ownerToText, placesIn, textsFromBytes, textsToBytes, translationSettingsFromText } from "./translation-rows.ts";

/** Makes the tables where they are missing. */
export async function openSqliteTranslations(database: Database): Promise<TranslationStore> {
  await migrate(database, "content-translations", schema);
  return {
    settings: async (workspaceId) => stateOf(database, workspaceId).settings,
    owner: async (workspaceId, kind, id) => ownerFromRow(database.prepare(selects.owner).get(workspaceId, kind, id)),
    holder: async (workspaceId, id) => ownerFromRow(database.prepare(selects.holder).get(workspaceId, id)),
    async declared(workspaceId) {
      const owners = database.prepare(selects.owners).all(workspaceId).map(ownerFromRow).filter((owner) => owner !== undefined);
      return { ...stateOf(database, workspaceId), owners };
    },
    texts: async (workspaceId, keys) => keys.map((key) => textsOf(database, workspaceId, key)),
    async remembered(workspaceId, requestHash, now) {
      const row = database.prepare(selects.remembered).get(workspaceId, requestHash, now);
      return row === undefined ? undefined : String(row["body_hash"]);
    },
    putTexts: (workspaceId, write) => database.write(() => putTexts(database, workspaceId, write)),
    commitDeclared: (workspaceId, change) => database.write(() => commitDeclared(database, workspaceId, change)),
  };
}

const selects = {
  state: "SELECT revision, settings FROM content_translation_settings WHERE workspace_id = ?",
  owner: "SELECT kind, id, body FROM content_message_owners WHERE workspace_id = ? AND kind = ? AND id = ?",
  owners: "SELECT kind, id, body FROM content_message_owners WHERE workspace_id = ? ORDER BY kind, id",
  holder: `SELECT o.kind, o.id, o.body FROM content_message_places p JOIN content_message_owners o
    ON o.workspace_id = p.workspace_id AND o.kind = p.kind AND o.id = p.owner_id WHERE p.workspace_id = ? AND p.id = ?`,
  texts: "SELECT body FROM content_translations WHERE workspace_id = ? AND message_id = ? AND locale_id = ?",
  remembered: "SELECT body_hash FROM content_translation_marks WHERE workspace_id = ? AND request_hash = ? AND expires_at > ?",
} as const;

type Row = Readonly<Record<string, unknown>>;

function stateOf(
  database: Database,
  workspaceId: string,
): { readonly revision: number; readonly settings: TranslationSettings | undefined } {
  const row = database.prepare(selects.state).get(workspaceId);
  return row === undefined
    ? { revision: 0, settings: undefined }
    : { revision: Number(row["revision"]), settings: translationSettingsFromText(String(row["settings"])) };
}

function ownerFromRow(row: Row | undefined): MessageOwner | undefined {
  return row === undefined ? undefined : ownerFromText(String(row["kind"]), String(row["id"]), String(row["body"]));
}

function textsOf(database: Database, workspaceId: string, { messageId, localeId }: TextsKey): Texts | undefined {
  const row = database.prepare(selects.texts).get(workspaceId, messageId, localeId);
  return row === undefined ? undefined : textsFromBytes(row["body"] as Uint8Array);
}

/** Runs inside a transaction. */
function putTexts(database: Database, workspaceId: string, { key, texts, now, mark }: TextsWrite): "committed" | "repeated" | "reused" {
  if (mark) {
    const known = database.prepare(selects.remembered).get(workspaceId, mark.requestHash, now);
    if (known) return known["body_hash"] === mark.bodyHash ? "repeated" : "reused";
    database.prepare(
      `DELETE FROM content_translation_marks WHERE (workspace_id, request_hash) IN
      (SELECT workspace_id, request_hash FROM content_translation_marks WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    ).run(now, limits.expiredRowsSweepMax);
    database.prepare("INSERT INTO content_translation_marks (workspace_id, request_hash, body_hash, expires_at) VALUES (?, ?, ?, ?)")
      .run(workspaceId, mark.requestHash, mark.bodyHash, now + limits.idempotencyKeepMs);
  }
  putRow(database, workspaceId, { key, texts });
  return "committed";
}

function putRow(database: Database, workspaceId: string, { key, texts }: { readonly key: TextsKey; readonly texts: Texts }): void {
  const sql = `INSERT INTO content_translations (workspace_id, message_id, locale_id, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (workspace_id, message_id, locale_id) DO UPDATE SET body = excluded.body`;
  database.prepare(sql).run(workspaceId, key.messageId, key.localeId, textsToBytes(texts));
}

/** Runs inside a transaction. Nothing is written before the revision is known to be the same. */
function commitDeclared(database: Database, workspaceId: string, change: DeclaredWrite): "committed" | "changed" {
  if (stateOf(database, workspaceId).revision !== change.revision) return "changed";
  database.prepare(
    `INSERT INTO content_translation_settings (workspace_id, revision, settings) VALUES (?, ?, ?)
    ON CONFLICT (workspace_id) DO UPDATE SET revision = excluded.revision, settings = excluded.settings`,
  ).run(workspaceId, change.revision + 1, JSON.stringify(change.settings));
  for (const id of change.goneIds) {
    database.prepare("DELETE FROM content_message_places WHERE workspace_id = ? AND id = ?").run(workspaceId, id);
  }
  for (const { messageId, localeId } of change.goneTexts) {
    database.prepare("DELETE FROM content_translations WHERE workspace_id = ? AND message_id = ? AND locale_id = ?")
      .run(workspaceId, messageId, localeId);
  }
  for (const { kind, id } of change.drops) {
    database.prepare("DELETE FROM content_message_owners WHERE workspace_id = ? AND kind = ? AND id = ?").run(workspaceId, kind, id);
  }
  for (const owner of change.puts) putOwner(database, workspaceId, owner);
  for (const { messageId, texts } of change.sources) putRow(database, workspaceId, { key: { messageId, localeId: "" }, texts });
  return "committed";
}

function putOwner(database: Database, workspaceId: string, owner: MessageOwner): void {
  const { kind, id } = owner;
  database.prepare(
    `INSERT INTO content_message_owners (workspace_id, kind, id, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (workspace_id, kind, id) DO UPDATE SET body = excluded.body`,
  ).run(workspaceId, kind, id, ownerToText(owner));
  for (const place of placesIn(owner)) {
    database.prepare(
      `INSERT INTO content_message_places (workspace_id, id, kind, owner_id) VALUES (?, ?, ?, ?)
      ON CONFLICT (workspace_id, id) DO UPDATE SET kind = excluded.kind, owner_id = excluded.owner_id`,
    ).run(workspaceId, place, kind, id);
  }
}

/** Owner `content-translations`; a version is never changed once released. */
const schema: readonly string[] = [
  `
  CREATE TABLE content_translation_settings (
    workspace_id TEXT PRIMARY KEY, revision INTEGER NOT NULL, settings TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE content_message_owners (
    workspace_id TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX content_message_owners_by_id ON content_message_owners (workspace_id, kind, id);
  CREATE TABLE content_message_places (
    workspace_id TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, owner_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE content_translations (
    workspace_id TEXT NOT NULL, message_id TEXT NOT NULL, locale_id TEXT NOT NULL, body BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX content_translations_by_message ON content_translations (workspace_id, message_id, locale_id);
  CREATE TABLE content_translation_marks (
    workspace_id TEXT NOT NULL, request_hash TEXT NOT NULL, body_hash TEXT NOT NULL, expires_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, request_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX content_translation_marks_by_expiry ON content_translation_marks (expires_at);
  `,
];
