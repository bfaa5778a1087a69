/** The rows of a backup in the embedded stores of the content service. */
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { Remembered } from "../domain/center-ports.ts";
import { answerFromText, contentToText } from "./center-rows.ts";
import {
  type ContentLists,
  type ContentMove,
  contentOf,
  type ContentRows,
  type ContentStores,
  type MovedMark,
  writeMessages,
} from "./moved-rows.ts";

/** The stores have made their tables. */
export function sqliteContentMove({ database, clock, ...stores }: ContentStores & { database: Database; clock: Clock }): ContentMove {
  const lists = listsIn(database, clock);
  return {
    async *read(workspaceIds) {
      for (const workspaceId of workspaceIds) yield* contentOf({ ...stores, lists }, workspaceId);
    },
    async write(rows) {
      const { workspaceId, pageSettings, center, remembered = [], marks = [] } = rows;
      if (pageSettings) await stores.centers.putSettings(workspaceId, pageSettings);
      await database.write(() => {
        if (center) putCenter(database, workspaceId, center);
        for (const mark of remembered) putRemembered(database, workspaceId, mark);
        for (const mark of marks) putMark(database, workspaceId, mark);
      });
      await writeMessages(stores.translations, rows, clock.now());
    },
  };
}

function listsIn(database: Database, clock: Clock): ContentLists {
  return {
    async remembered(workspaceId) {
      const sql = "SELECT request_hash, body_hash, answer, expires_at FROM content_marks WHERE workspace_id = ? AND expires_at > ?";
      return database.prepare(sql).all(workspaceId, clock.now()).map((row) => ({
        requestHash: String(row["request_hash"]),
        bodyHash: String(row["body_hash"]),
        answer: answerFromText(String(row["answer"])),
        expiresAt: Number(row["expires_at"]),
      }));
    },
    async textKeys(workspaceId) {
      const sql = "SELECT message_id, locale_id FROM content_translations WHERE workspace_id = ? ORDER BY message_id, locale_id";
      return database.prepare(sql).all(workspaceId).map((row) => {
        return { messageId: String(row["message_id"]), localeId: String(row["locale_id"]) };
      });
    },
    async marks(workspaceId) {
      const sql = "SELECT request_hash, body_hash, expires_at FROM content_translation_marks WHERE workspace_id = ? AND expires_at > ?";
      return database.prepare(sql).all(workspaceId, clock.now()).map((row) => {
        return { requestHash: String(row["request_hash"]), bodyHash: String(row["body_hash"]), expiresAt: Number(row["expires_at"]) };
      });
    },
  };
}

function putCenter(database: Database, workspaceId: string, { summary, versions }: NonNullable<ContentRows["center"]>): void {
  const { id, name, version, createdAt, updatedAt, state } = summary;
  database
    .prepare(
      "INSERT OR REPLACE INTO content_centers (workspace_id, id, name, version, created_at, updated_at, state) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .run(workspaceId, id, name, version, createdAt, updatedAt, state);
  for (const { written, content } of versions) {
    database
      .prepare(
        `INSERT OR REPLACE INTO content_center_versions (workspace_id, id, version, written_at, actor, request_id, restored_from, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        workspaceId,
        id,
        written.version,
        written.writtenAt,
        written.actor,
        written.requestId,
        written.restoredFrom ?? null,
        contentToText(content),
      );
  }
}

function putRemembered(database: Database, workspaceId: string, { requestHash, bodyHash, answer, expiresAt }: Remembered): void {
  database
    .prepare("INSERT OR REPLACE INTO content_marks (workspace_id, request_hash, body_hash, answer, expires_at) VALUES (?, ?, ?, ?, ?)")
    .run(workspaceId, requestHash, bodyHash, JSON.stringify(answer), expiresAt);
}

function putMark(database: Database, workspaceId: string, { requestHash, bodyHash, expiresAt }: MovedMark): void {
  database
    .prepare("INSERT OR REPLACE INTO content_translation_marks (workspace_id, request_hash, body_hash, expires_at) VALUES (?, ?, ?, ?)")
    .run(workspaceId, requestHash, bodyHash, expiresAt);
}
