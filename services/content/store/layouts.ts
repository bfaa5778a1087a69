/** How the documents of the content service lie in its keyspace, in the tables that were made for them. */
import { type Chunks, type Layout, revisionHead, textBody } from "../../../platform/documents/layout.ts";

export const centersLayout: Layout = {
  table: "centers_by_workspace",
  partition: "workspace_id",
  id: "id",
  head: revisionHead,
  once: { kind: "content", table: "center_contents", id: "content_id" },
};

interface MarkValue {
  readonly bodyHash: string;
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
      columns: ["expires_at", "body"],
      toRow: (value) => ({ expires_at: BigInt((value as MarkValue).expiresAt), body: (value as MarkValue).bodyHash }),
      fromRow: (row): MarkValue => ({ expiresAt: Number(row["expires_at"]), bodyHash: String(row["body"]) }),
    },
  },
  chunks: { kind: "text", table: "texts_by_version", names: ["message_id", "locale_id"] },
};
