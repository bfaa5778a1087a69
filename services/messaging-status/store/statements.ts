/** Every CQL statement of the messaging-status store but those of documents; all but scans go to one partition, or to a few named ones. */
import { stateTables } from "../../consent/store/state-row-location.ts";

export const states = stateTables({ rows: "states_by_address", ledger: "ledger_by_subject", column: "address" }, ["workspace_id"]);

const ofYear = "workspace_id = :workspace_id AND list = :list AND year = :year";

export const putListed = `INSERT INTO addresses_by_list (workspace_id, list, year, at, address, body)
  VALUES (:workspace_id, :list, :year, :at, :address, :body) USING TIMESTAMP :stamp`;
export const deleteListed = `DELETE FROM addresses_by_list USING TIMESTAMP :stamp WHERE ${ofYear} AND at = :at AND address = :address`;
export const selectOldest = `SELECT body FROM addresses_by_list WHERE ${ofYear} AND at >= :low AND at < :high ORDER BY at ASC LIMIT :max`;
export const selectNewest = `SELECT body FROM addresses_by_list WHERE ${ofYear} AND at >= :low AND at < :high ORDER BY at DESC LIMIT :max`;

export const putYear = "INSERT INTO years_by_list (workspace_id, list, year) VALUES (:workspace_id, :list, :year) USING TIMESTAMP :stamp";
export const selectYears = "SELECT year FROM years_by_list WHERE workspace_id = :workspace_id AND list = :list";
