/** The rows of a backup in the mesh's store of memberships. */
import type { Session } from "../../../platform/cassandra/session.ts";
import type { ConsentMove } from "../../../platform/ledger/moved.ts";
import type { ConsentTables } from "../../consent/store/tables.ts";
import { cassandraConsentMove } from "../../consent/store/moved.ts";
import type { UserMemberships } from "../domain/memberships.ts";
import { membershipsFromJson } from "./rows.ts";
import { memberColumns } from "./statements.ts";

export function cassandraMembershipMove(session: Session, tables: ConsentTables<UserMemberships>): ConsentMove<UserMemberships> {
  return cassandraConsentMove(session, tables, { of: "memberships", ...memberColumns, fromRow: membershipsFromJson });
}
