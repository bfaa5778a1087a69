/** The rows of a backup in the mesh's store of memberships: the whole table is read, a page at a time. */
import { scanTable, type Session } from "../../../platform/cassandra/session.ts";
import { type ConsentMove, inWrites, withChains } from "../../../platform/ledger/moved.ts";
import { limits } from "../../../platform/limits.ts";
import type { UserMemberships } from "../domain/memberships.ts";
import { membershipsFromJson } from "./rows.ts";
import type { SubscriptionTables } from "./tables.ts";

export function cassandraMembershipMove(session: Session, tables: SubscriptionTables): ConsentMove<UserMemberships> {
  return {
    waiting: async () => (await tables.listSetAside(1)).length === 0 ? [] : ["records of memberships were set aside"],
    async *read(workspaceIds) {
      for await (const page of scanTable(session, scan, limits.movedRowsPerPage)) {
        const wanted = page.filter((row) => workspaceIds.has(String(row["workspace_id"])));
        for (const [workspaceId, rows] of Map.groupBy(wanted, (row) => String(row["workspace_id"]))) {
          const states = new Map(rows.map((row) => {
            const [user] = JSON.parse(String(row["body"])) as [unknown];
            return [String(row["user_id"]), membershipsFromJson(user)];
          }));
          yield withChains(tables, { workspaceId, states });
        }
      }
    },
    async write(rows) {
      for (const { workspaceId, states, entries, ends } of inWrites(rows)) {
        await tables.commit({ workspaces: [{ workspaceId, users: states, entries, ends, erased: new Map() }], setAside: [], taken: [] });
      }
    },
  };
}

const scan = "SELECT workspace_id, user_id, body FROM memberships_by_user";
