/** Every statement of the SCIM tables: constants, so that each is prepared once. */
import type { Statement, Value } from "../../../platform/cassandra/session.ts";

const userColumns = "company_id, user_name_key, id, revision, body";
const row = "WHERE company_id = :company_id AND kind = :kind AND key = :key";
const range = "WHERE company_id = :company_id AND kind = :kind AND key";

export const selectState = "SELECT DISTINCT company_id, users, changes FROM directory_by_company WHERE company_id = :company_id";
export const selectUser = `SELECT ${userColumns} FROM directory_by_company ${row}`;
export const selectRevision = `SELECT revision FROM directory_by_company ${row}`;
export const selectUsersBetween = `SELECT ${userColumns} FROM directory_by_company ${range} >= :first AND key < :end`;
export const selectUsersUp = `SELECT ${userColumns} FROM directory_by_company ${range} > :after LIMIT :max`;
export const selectUsersDown = `SELECT ${userColumns} FROM directory_by_company ${range} < :after ORDER BY kind DESC LIMIT :max`;
export const selectKeysUp = `SELECT key FROM directory_by_company ${range} > :after LIMIT :max`;
export const selectKeysDown = `SELECT key FROM directory_by_company ${range} < :after ORDER BY kind DESC LIMIT :max`;
export const selectBody = `SELECT body FROM directory_by_company ${row}`;
export const selectBodiesUp = `SELECT key, body FROM directory_by_company ${range} > :after LIMIT :max`;
export const selectBodiesDown = `SELECT key, body FROM directory_by_company ${range} < :after ORDER BY kind DESC LIMIT :max`;

/** The condition of every change. */
export const updateState =
  "UPDATE directory_by_company SET users = :users, changes = :changes WHERE company_id = :company_id IF changes = :was";
export const putUser =
  "INSERT INTO directory_by_company (company_id, kind, key, id, user_name_key, revision, body) VALUES (:company_id, :kind, :key, :id, :user_name_key, :revision, :body)";
export const putKey = "INSERT INTO directory_by_company (company_id, kind, key, id) VALUES (:company_id, :kind, :key, :id)";
export const putBody = "INSERT INTO directory_by_company (company_id, kind, key, body) VALUES (:company_id, :kind, :key, :body)";
export const putPassingBody =
  "INSERT INTO directory_by_company (company_id, kind, key, body) VALUES (:company_id, :kind, :key, :body) USING TTL :ttl";
export const deleteRow = `DELETE FROM directory_by_company ${row}`;
export const deleteRowThere = `DELETE FROM directory_by_company ${row} IF EXISTS`;

export const putRequest =
  "INSERT INTO requests_by_day (company_id, day, key, body) VALUES (:company_id, :day, :key, :body) USING TIMESTAMP :stamp AND TTL :ttl";
export const selectRequests =
  "SELECT key, body FROM requests_by_day WHERE company_id = :company_id AND day = :day AND key < :after ORDER BY key DESC LIMIT :max";
export const putCompany = "INSERT INTO companies_with_events (bucket, company_id) VALUES (0, :company_id) USING TIMESTAMP :stamp";
export const selectCompanies = "SELECT company_id FROM companies_with_events WHERE bucket = 0";

export type Kind = "id" | "name" | "key" | "ext" | "mark" | "event" | "log";

/** A read, or a write that may be repeated. */
export function plain(cql: string, values: Readonly<Record<string, Value>>): Statement {
  return { cql, values, idempotent: true };
}

/** One of the statements of a change. */
export function part(cql: string, values: Readonly<Record<string, Value>>): Statement {
  return { cql, values, idempotent: false };
}
