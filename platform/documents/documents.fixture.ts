/** Tables and a layout of the contract: a kind of each form. */
import { type Layout, revisionHead, textBody } from "./layout.ts";

export const contractLayout: Layout = {
  table: "documents_by_partition",
  partition: "owner",
  id: "id",
  head: revisionHead,
  forms: { word: textBody },
  once: { kind: "once", table: "contents", id: "content_id" },
  chunks: { kind: "large", table: "chunks_by_version", names: ["name"] },
};

export const contractSchema = `
CREATE TABLE IF NOT EXISTS documents_by_partition (owner text, kind text, id text, revision bigint static, body text, PRIMARY KEY ((owner), kind, id));
CREATE TABLE IF NOT EXISTS contents (owner text, content_id text, body text, PRIMARY KEY ((owner, content_id)));
CREATE TABLE IF NOT EXISTS chunks_by_version (owner text, name text, version text, part int, body blob, PRIMARY KEY ((owner, name, version), part));
`;
