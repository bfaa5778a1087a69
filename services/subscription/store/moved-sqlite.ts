/** The rows of a backup in the embedded store of memberships. */
import { type ConsentMove, notThere, subjectsOf, withChains } from "../../../platform/ledger/moved.ts";
import { limits } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { UserMemberships } from "../domain/memberships.ts";
import { membershipsFromRow } from "./rows.ts";
import type { EmbeddedTables } from "./sqlite.ts";

export function sqliteMembershipMove(database: Database, tables: EmbeddedTables): ConsentMove<UserMemberships> {
  return {
    waiting: () => Promise.resolve(tables.setAsideCount() === 0 ? [] : ["records of memberships were set aside"]),
    async *read(workspaceIds) {
      for (const workspaceId of workspaceIds) {
        for (const states of statesIn(database, workspaceId)) yield withChains(tables, { workspaceId, states });
        for await (const subjects of subjectsOf(tables, workspaceId)) {
          const known = await tables.store.load(workspaceId, subjects);
          const states = new Map(subjects.filter((subject) => !known.has(subject)).map((userId) => [userId, nothing(userId)]));
          yield withChains(tables, { workspaceId, states });
        }
      }
    },
    async write(rows) {
      const { workspaceId, states, entries, ends } = await notThere(tables, rows);
      await tables.commit({ workspaces: [{ workspaceId, users: states, entries, ends, erased: new Map() }], setAside: [], taken: [] });
    },
  };
}

function* statesIn(database: Database, workspaceId: string): Generator<Map<string, UserMemberships>> {
  const sql = "SELECT user_id, body FROM subscription_memberships WHERE workspace_id = ? AND user_id > ? ORDER BY user_id LIMIT ?";
  for (let after = "";;) {
    const found = database.prepare(sql).all(workspaceId, after, limits.movedRowsPerPage);
    if (found.length === 0) return;
    after = String(found.at(-1)?.["user_id"]);
    yield new Map(found.map((row) => [String(row["user_id"]), membershipsFromRow(String(row["body"]))]));
  }
}

/** Of a subject that has a chain alone: somebody who was merged into another. In the mesh a chain ends in a row. */
function nothing(userId: string): UserMemberships {
  return { userId, mark: [0, -1], groups: new Map(), merges: [], absorbed: [] };
}
