/** The rows of a backup in Cassandra: whole tables are read, a page at a time, which nothing else in Heddle does. */
import { limits } from "../../../platform/limits.ts";
import { type Row, scanTable, type Session } from "../../../platform/cassandra/session.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { ProfileStore } from "../domain/ports.ts";
import type { UserId } from "../domain/record/user-key.ts";
import type { MovedUser, ProfileMove, ProfileRows } from "./moved-rows.ts";
import type { CassandraProfileStore } from "./cassandra.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { textOfBody } from "./cassandra-values.ts";
import { profileFromRow } from "./rows.ts";
import { identityTables, usersAlone, usersTogether } from "./statements.ts";

const scanFrozen = "SELECT workspace_id, merge_id FROM frozen_by_merge";
const scanHandoffs = "SELECT workspace_id, merge_id FROM handoffs_by_merge";

/** Users who may not be brought, as processes of builds before may serve the keyspace: they would look for such a user, or send what happens to it, elsewhere. */
export type IsRefused = (workspaceId: string, id: UserId) => boolean;

export function cassandraProfileMove(
  session: Session,
  { identities, profiles }: CassandraProfileStore,
  isRefused?: IsRefused,
): ProfileMove {
  return {
    async waiting() {
      const deadLetters = await profiles.listSetAside(1);
      const handoffs = await session.page({ cql: scanHandoffs, values: {} }, { rowsMax: 1 });
      return [
        ...(await anyBlocked(profiles) ? ["users are blocked"] : []),
        ...(deadLetters.length > 0 ? ["dead letters wait"] : []),
        ...(handoffs.rows.length > 0 ? ["merges are not applied"] : []),
      ];
    },
    async *read(workspaceIds) {
      yield* names(session, workspaceIds);
      for (const { scan } of [usersAlone, usersTogether]) {
        for await (const rows of scanTable(session, scan, limits.movedRowsPerPage)) {
          for (const [workspaceId, some] of ofWorkspaces(rows, workspaceIds)) yield { workspaceId, users: some.flatMap(userOf) };
        }
      }
      for await (const rows of scanTable(session, scanFrozen, limits.movedRowsPerPage)) {
        for (const [workspaceId, some] of ofWorkspaces(rows, workspaceIds)) {
          for (const row of some) yield { workspaceId, frozen: await profiles.loadFrozen(workspaceId, [String(row["merge_id"])]) };
        }
      }
    },
    async write({ workspaceId, identities: rows = new Map(), users = [], frozen = new Map() }, through) {
      if (users.some(({ profile }) => isRefused?.(workspaceId, profile.id))) {
        throw new Refusal(
          "STORE_UNAVAILABLE",
          "Users of this backup have numbers that the keyspace does not take yet: run heddle migrate --seal on it first",
        );
      }
      await identities.save(workspaceId, rows, through);
      await profiles.save({
        workspaceId,
        users: new Map(users.map(({ profile, openMerges }) => [profile.id, { profile, mark: profile.mark, openMerges, isNew: true }])),
        frozen,
        handoffs: new Map(),
        journal: new Map(),
        blocked: new Map(),
      });
    },
  };
}

/** The list may name users who are free since, before those who are blocked. */
async function anyBlocked(profiles: Pick<ProfileStore, "allBlocked">): Promise<boolean> {
  for await (const blocked of profiles.allBlocked()) if (blocked.length > 0) return true;
  return false;
}

async function* names(session: Session, workspaceIds: ReadonlySet<string>): AsyncGenerator<ProfileRows> {
  for (const [kind, { names: columns, value, scan }] of Object.entries(identityTables)) {
    for await (const rows of scanTable(session, scan, limits.movedRowsPerPage)) {
      for (const [workspaceId, some] of ofWorkspaces(rows, workspaceIds)) {
        const identities = some.map((row) => {
          const name = columns.map((column) => String(row[column])).join("\u0000");
          const text = String(row[value]);
          return [`${kind}:${name}` as IdentityKey, value === "user_id" ? text : JSON.parse(text) as unknown] as const;
        });
        yield { workspaceId, identities: new Map(identities) };
      }
    }
  }
}

function ofWorkspaces(rows: readonly Row[], wanted: ReadonlySet<string>): Map<string, Row[]> {
  return Map.groupBy(rows.filter((row) => wanted.has(String(row["workspace_id"]))), (row) => String(row["workspace_id"]));
}

/** Merges whose copies have ended by themselves stay in the list of the row; a reader of the list asks for the copies. */
function userOf(row: Row): MovedUser[] {
  const text = textOfBody(row["body"]);
  if (text === undefined) return [];
  const openMerges = row["open_merges"] === null ? [] : JSON.parse(String(row["open_merges"])) as string[];
  return [{ profile: profileFromRow(text), openMerges }];
}
