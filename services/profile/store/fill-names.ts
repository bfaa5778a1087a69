/** Names of users of builds before, which listed none: whole tables are read, a page at a time. */
import { inFlight } from "../../../platform/in-flight.ts";
import { write } from "../../../platform/cassandra/batches.ts";
import { type Row, scanTable, type Session } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { NameKind } from "../domain/ports.ts";
import { namesAsListed } from "./cassandra-identities.ts";
import { identityTables } from "./statements.ts";

/**
 * Lists every name that there is; how many. Safe to repeat and beside processes of this build: what is listed here is older than
 * whatever they write, so a name that they take away meanwhile stays away.
 */
export async function fillNames(session: Session): Promise<number> {
  let count = 0;
  for (const kind of kinds) {
    for await (const rows of scanTable(session, identityTables[kind].scan, limits.movedRowsPerPage)) {
      const ofWorkspaces = Map.groupBy(rows, (row) => String(row["workspace_id"]));
      const batches = [...ofWorkspaces].flatMap(([workspaceId, some]) => {
        return namesAsListed(workspaceId, new Map(some.map((row) => [keyOf(kind, row), true])), oldest);
      });
      await inFlight(batches, limits.cassandraInFlightMax, (batch) => write(session, batch));
      count += rows.length;
    }
  }
  return count;
}

const kinds: readonly NameKind[] = ["x", "a", "e", "p"];
/** Steps begin with 1. */
const oldest = 0n;

function keyOf(kind: NameKind, row: Row): IdentityKey {
  return `${kind}:${identityTables[kind].names.map((column) => String(row[column])).join("\u0000")}`;
}
