/** The rows of a backup in the embedded store of memberships. */
import type { ConsentMove } from "../../../platform/ledger/moved.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { sqliteConsentMove } from "../../consent/store/moved.ts";
import type { UserMemberships } from "../domain/memberships.ts";
import { membershipsFromRow } from "./rows.ts";
import type { EmbeddedTables } from "./sqlite.ts";

export function sqliteMembershipMove(database: Database, tables: EmbeddedTables): ConsentMove<UserMemberships> {
  const page = "SELECT user_id AS key, body FROM subscription_memberships WHERE workspace_id = ? AND user_id > ? ORDER BY user_id LIMIT ?";
  return sqliteConsentMove(database, tables, { of: "memberships", page, fromRow: membershipsFromRow, nothing });
}

/** A user who was merged into another. */
function nothing(userId: string): UserMemberships {
  return { userId, mark: [0, -1], groups: new Map(), merges: [], absorbed: [] };
}
