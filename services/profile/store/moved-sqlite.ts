/** The rows of a backup in the embedded profile store. */
import { limits } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { textOfBytes } from "../../../platform/sqlite/text-bytes.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import { newestKey } from "../domain/identity/row-keys.ts";
import type { FrozenMerge } from "../domain/ports.ts";
import type { MovedUser, ProfileMove, ProfileRows } from "./moved-rows.ts";
import { profileFromRow } from "./rows.ts";
import { openMerges, type ProfileTables } from "./sqlite.ts";
import { newestCounts } from "./sqlite-workspaces.ts";

export function sqliteProfileMove(database: Database, tables: ProfileTables): ProfileMove {
  return {
    unapplied: () => thereOf(database, unapplied),
    waiting: () => Promise.resolve(thereOf(database, waiting)),
    async *read(workspaceIds) {
      for (const workspaceId of workspaceIds) {
        const row = database.prepare("SELECT number FROM profile_workspaces WHERE workspace_id = ?").get(workspaceId);
        if (row === undefined) continue;
        const workspace: Workspace = { workspaceId, number: Number(row["number"]) };
        yield* names(database, workspace);
        yield* users(database, workspace);
        yield* frozen({ database, tables }, workspaceId);
      }
    },
    async write({ workspaceId, identities = new Map(), users: moved = [], frozen: merges = new Map() }, through) {
      const work = tables.steps.work();
      const states = moved.map(({ profile, openMerges }) =>
        [profile.id, { profile, mark: profile.mark, openMerges, isNew: true }] as const
      );
      const none = new Map<string, never>();
      await work.save({ workspaceId, users: new Map(states), frozen: merges, handoffs: none, journal: none, blocked: none });
      const step = { partition: onlyPartition, through, deadLetters: [], workspaces: [{ workspaceId, identities, consent: [] }] };
      await tables.steps.commit(step, { work });
    },
  };
}

/** An embedded log has one order. */
const onlyPartition = 0;

interface Workspace {
  readonly workspaceId: string;
  readonly number: number;
}

/** How many there are of what is somewhere, in words. */
function thereOf(database: Database, counts: Readonly<Record<string, string>>): string[] {
  const found = Object.entries(counts).map(([sql, what]) => ({ count: Number(database.prepare(sql).get()?.["count"] ?? 0), what }));
  return found.flatMap(({ count, what }) => (count === 0 ? [] : [`${count} ${what}`]));
}

const unapplied = {
  "SELECT sum(max(0, sequence - coalesce((SELECT through FROM profile_checkpoints WHERE log_partition = partition), 0))) AS count FROM log_tails":
    "records of the log are not applied",
  "SELECT count(*) AS count FROM lane_messages": "records of consent are not applied",
};

const waiting = {
  "SELECT count(*) AS count FROM profile_held": "users are blocked",
  "SELECT count(*) AS count FROM profile_set_aside": "dead letters wait",
};

function* names(database: Database, { workspaceId, number }: Workspace): Generator<ProfileRows> {
  const sql = "SELECT CAST(key AS BLOB) AS name, body FROM profile_identities WHERE workspace = ? AND key > ? ORDER BY key LIMIT ?";
  for (let after = "";;) {
    const rows = database.prepare(sql).all(number, after, limits.movedRowsPerPage);
    if (rows.length === 0) break;
    const identities = new Map(rows.map((row) => [textOfBytes(row["name"]) as IdentityKey, JSON.parse(String(row["body"]))]));
    after = [...identities.keys()].at(-1) ?? "";
    yield { workspaceId, identities };
  }
  const newest = newestCounts(database, number);
  if (newest !== undefined) yield { workspaceId, identities: new Map([[newestKey, JSON.parse(newest)]]) };
}

function* users(database: Database, { workspaceId, number }: Workspace): Generator<ProfileRows> {
  const sql = "SELECT user_id, identity, body FROM profile_profiles WHERE workspace = ? AND user_id > ? ORDER BY user_id LIMIT ?";
  for (let after = "";;) {
    const rows = database.prepare(sql).all(number, after, limits.movedRowsPerPage);
    if (rows.length === 0) return;
    after = String(rows.at(-1)?.["user_id"]);
    const identities = rows.flatMap(({ user_id, identity }) =>
      identity === null ? [] : [[`u:${String(user_id)}` as IdentityKey, JSON.parse(String(identity))] as const]
    );
    const moved = rows.flatMap(({ user_id, body }): MovedUser[] =>
      body === null ? [] : [{ profile: profileFromRow(String(body)), openMerges: openMerges(database, workspaceId, String(user_id)) }]
    );
    yield { workspaceId, identities: new Map(identities), users: moved };
  }
}

async function* frozen(
  { database, tables }: { database: Database; tables: ProfileTables },
  workspaceId: string,
): AsyncGenerator<ProfileRows> {
  const rows = database.prepare("SELECT merge_id FROM profile_frozen WHERE workspace_id = ?").all(workspaceId);
  for (const { merge_id } of rows) {
    const found: ReadonlyMap<string, FrozenMerge> = await tables.profiles.loadFrozen(workspaceId, [String(merge_id)]);
    yield { workspaceId, frozen: found };
  }
}
