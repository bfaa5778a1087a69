/** The rows of a backup in the mesh's store of memberships. */
import type { Session } from "../../../platform/cassandra/session.ts";
import type { ConsentMove } from "../../../platform/ledger/moved.ts";
import type { ConsentTables } from "../../consent/store/tables.ts";
import { cassandraConsentMove } from "../../consent/store/moved.ts";
import type { UserMemberships } from "../domain/memberships.ts";
import { membershipsFromJson } from "./rows.ts";

export function cassandraMembershipMove(session: Session, tables: ConsentTables<UserMemberships>): ConsentMove<UserMemberships> {
  const scan = "SELECT workspace_id, user_id, body FROM memberships_by_user";
  return cassandraConsentMove(session, tables, { of: "memberships", scan, key: "user_id", fromRow: membershipsFromJson });
}
