/** How the documents of the content service lie in its keyspace, in the tables that were made for them. */
import { type Chunks, type Layout, revisionHead, textBody } from "../../../platform/documents/layout.ts";
import type { RequestHashes } from "../../../platform/same-request.ts";

export const centersLayout: Layout = {
  table: "centers_by_workspace",
  partition: "workspace_id",
  id: "id",
  head: revisionHead,
  once: { kind: "content", table: "center_contents", id: "content_id" },
};

interface IdempotencyValue extends RequestHashes {
  readonly expiresAt: number;
}

export const translationsLayout: Layout & { readonly chunks: Chunks } = {
  table: "translations_by_workspace",
  partition: "workspace_id",
  id: "id",
  head: {
    columns: ["revision", "settings"],
    toRow(value) {
      const { settings } = value as { readonly settings?: unknown };
      return { ...revisionHead.toRow(value), settings: settings === undefined ? null : JSON.stringify(settings) };
    },
    fromRow(row) {
      const settings = row["settings"] ?? null;
      return { ...revisionHead.fromRow(row) as object, ...(settings === null ? {} : { settings: JSON.parse(String(settings)) }) };
    },
  },
  forms: {
    place: textBody,
    mark: {
      columns: ["expires_at", "body", "sent_hash"],
      toRow(value) {
        const { expiresAt, bodyHash, sentHash = null } = value as IdempotencyValue;
        return { expires_at: BigInt(expiresAt), body: bodyHash, sent_hash: sentHash };
      },
      fromRow(row): IdempotencyValue {
        const sentHash = row["sent_hash"] ?? null;
        const mark = { expiresAt: Number(row["expires_at"]), bodyHash: String(row["body"]) };
        return sentHash === null ? mark : { ...mark, sentHash: String(sentHash) };
      },
    },
  },
  chunks: { kind: "text", table: "texts_by_version", names: ["message_id", "locale_id"] },
};
