/** Every statement of the tables of translations: constants, so that each is prepared once. */
import type { Statement, Value } from "../../../platform/cassandra/session.ts";

const row = "WHERE workspace_id = :workspace_id AND kind = :kind AND id = :id";
const version = "WHERE workspace_id = :workspace_id AND message_id = :message_id AND locale_id = :locale_id AND version = :version";

export const selectState =
  "SELECT DISTINCT workspace_id, revision, settings FROM translations_by_workspace WHERE workspace_id = :workspace_id";
export const selectRow = `SELECT id, body, expires_at FROM translations_by_workspace ${row}`;
export const selectKind = "SELECT id, body FROM translations_by_workspace WHERE workspace_id = :workspace_id AND kind = :kind";
export const selectMarks = "SELECT id, body, expires_at FROM translations_by_workspace WHERE workspace_id = :workspace_id AND kind = :kind";
export const selectParts = `SELECT part, body FROM texts_by_version ${version}`;
/** Of all workspaces: for the sweep alone. */
export const scanVersions = "SELECT DISTINCT workspace_id, message_id, locale_id, version FROM texts_by_version";

/** The condition of every declaration. */
export const updateState =
  "UPDATE translations_by_workspace SET revision = :revision, settings = :settings WHERE workspace_id = :workspace_id IF revision = :was";
export const putRow = "INSERT INTO translations_by_workspace (workspace_id, kind, id, body) VALUES (:workspace_id, :kind, :id, :body)";
export const deleteRow = `DELETE FROM translations_by_workspace ${row}`;
/** The condition of every change of texts: that they are still under the version that was seen. */
export const moveText = `UPDATE translations_by_workspace SET body = :body ${row} IF body = :was`;
/** A mark whose time is over gives way. */
export const putMark =
  `UPDATE translations_by_workspace USING TTL :ttl SET body = :body, expires_at = :expires_at ${row} IF expires_at = :was`;

export const putPart =
  "INSERT INTO texts_by_version (workspace_id, message_id, locale_id, version, part, body) VALUES (:workspace_id, :message_id, :locale_id, :version, :part, :body) USING TIMESTAMP :stamp";
export const deleteParts =
  "DELETE FROM texts_by_version USING TIMESTAMP :stamp WHERE workspace_id = :workspace_id AND message_id = :message_id AND locale_id = :locale_id AND version = :version";

export type Kind = "campaign" | "canvas" | "place" | "text" | "mark";

/** A read, or a write that may be repeated. */
export function plain(cql: string, values: Readonly<Record<string, Value>>): Statement {
  return { cql, values, idempotent: true };
}

/** One of the statements of a conditional write. */
export function part(cql: string, values: Readonly<Record<string, Value>>): Statement {
  return { cql, values, idempotent: false };
}
