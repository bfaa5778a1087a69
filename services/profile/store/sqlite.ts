/** The embedded store of the profile service: identities, profiles and steps as tables of the shared SQLite file. */
import { isAfter, type RecordId } from "../../../platform/age.ts";
import { laneSchema } from "../../../platform/lane/sqlite.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import { textOfBytes } from "../../../platform/sqlite/text-bytes.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import { newestKey, userIdOf } from "../domain/identity/row-keys.ts";
import type { BlockedUser, FrozenMerge, Handoff, IdentityStore, NameIndex, ProfileStore, StoredUser } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { UserId } from "../domain/record/user-key.ts";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import type { StepStore } from "../resolve/step-store.ts";
import { profileFromRow } from "./rows.ts";
import { profileSchema } from "./schema.ts";
import { lastCharacter } from "./names.ts";
import { sqliteLists } from "./sqlite-lists.ts";
import { commitStep, type EncodeLane, planStepRows } from "./sqlite-step.ts";
import { userReader } from "./sqlite-users.ts";
import { StepWork } from "./step-work.ts";
import { newestCounts, openWorkspaceNumbers, type WorkspaceNumbers } from "./sqlite-workspaces.ts";

export interface ProfileTables {
  readonly identities: IdentityStore & NameIndex;
  readonly profiles: ProfileStore;
  readonly steps: StepStore;
}

export async function openSqliteProfileStore(
  options: {
    readonly database: Database;
    readonly encodeLane: EncodeLane;
    /** Keeps the events of a step, in its transaction; absent: they are not published. */
    readonly keepEvents?: (events: readonly PublishedEvent[]) => void;
    /** What readers and appliers ask of users goes through it. */
    readonly observed?: (profiles: ProfileStore) => ProfileStore;
  },
): Promise<ProfileTables> {
  const { database, encodeLane, keepEvents, observed = (port) => port } = options;
  await migrate(database, "profile", profileSchema);
  await migrate(database, "lane", laneSchema);
  const numbers = openWorkspaceNumbers(database);
  const profiles = observed(profileStore(database, numbers));
  return {
    identities: identityStore(database, numbers),
    profiles,
    steps: {
      checkpoint(partition) {
        const row = database.prepare("SELECT through FROM profile_checkpoints WHERE log_partition = ?").get(partition);
        return Promise.resolve(row === undefined ? 0 : Number(row["through"]));
      },
      latestNow(partition) {
        const row = database.prepare("SELECT latest_now FROM profile_checkpoints WHERE log_partition = ?").get(partition);
        return Promise.resolve(Number(row?.["latest_now"] ?? 0));
      },
      ...expired(database),
      async forgetOrigins(now) {
        await database.write(() => database.prepare("DELETE FROM profile_origins WHERE at < ?").run(now));
      },
      async forgetSetAside({ partition, sequence }) {
        const sql = "DELETE FROM profile_set_aside WHERE log_partition = ? AND sequence = ?";
        await database.write(() => database.prepare(sql).run(partition, sequence));
      },
      work: () => new StepWork({ ...profiles, loadHandoffs: (workspaceId, ids) => loadHandoffs(database, workspaceId, ids) }),
      async commit(step, { work, events = [] } = {}) {
        const users = (work as StepWork | undefined)?.rows ?? new Map<string, never>();
        await numbers.give([...step.workspaces.map((workspace) => workspace.workspaceId), ...users.keys()]);
        const rows = await planStepRows(step, users, { encodeLane, numbers, someRejected: hasRows(database, "profile_rejected") });
        await database.write(() => {
          commitStep(database, rows);
          if (events.length > 0) keepEvents?.(events);
        });
      },
    },
  };
}

function expired(database: Database): Pick<StepStore, "listExpired" | "listExpiredRows"> {
  return {
    listExpired(now, max, after) {
      const sql = `SELECT workspace_id, merge_id, undo_until FROM profile_frozen
        WHERE undo_until < ? AND (undo_until, workspace_id, merge_id) > (?, ?, ?) ORDER BY undo_until, workspace_id, merge_id LIMIT ?`;
      const { undoUntil, workspaceId, mergeId } = after ?? { undoUntil: 0, workspaceId: "", mergeId: "" };
      return Promise.resolve(
        database.prepare(sql).all(now, undoUntil, workspaceId, mergeId, max).map((row) => ({
          workspaceId: String(row["workspace_id"]),
          mergeId: String(row["merge_id"]),
          undoUntil: Number(row["undo_until"]),
        })),
      );
    },
    listExpiredRows(now, max) {
      const sql = `SELECT workspace_id, CAST(key AS BLOB) AS name FROM profile_identities JOIN profile_workspaces ON number = workspace
        WHERE expires_at <= ? ORDER BY expires_at LIMIT ?`;
      const rows = database.prepare(sql).all(now, max);
      return Promise.resolve(
        rows.map((row) => ({ workspaceId: String(row["workspace_id"]), key: textOfBytes(row["name"]) as IdentityKey })),
      );
    },
  };
}

function identityStore(database: Database, numbers: WorkspaceNumbers): IdentityStore & NameIndex {
  return {
    load(workspaceId, keys) {
      const found = new Map<IdentityKey, unknown>();
      const workspace = numbers.of(workspaceId);
      if (workspace === undefined) return Promise.resolve(found);
      const textOf = identityReader(database, workspace);
      for (const key of keys) {
        const text = textOf(key);
        if (typeof text === "string") found.set(key, JSON.parse(text));
      }
      return Promise.resolve(found);
    },
    listNames(workspaceId, kind, { prefix, after, max }) {
      const sql = `SELECT CAST(key AS BLOB) AS name FROM profile_identities
        WHERE workspace = ? AND key >= ? AND key < ? AND key > ? ORDER BY key LIMIT ?`;
      const bounds = [`${kind}:${prefix}`, `${kind}:${prefix}${lastCharacter}`, after === undefined ? "" : `${kind}:${after}`];
      const rows = database.prepare(sql).all(numbers.of(workspaceId) ?? 0, ...bounds, max);
      return Promise.resolve(rows.map((row) => textOfBytes(row["name"]).slice(kind.length + 1)));
    },
  };
}

/** The text of a row, by its kind: of users, of what is counted now, and of all others. */
function identityReader(database: Database, workspace: number): (key: IdentityKey) => unknown {
  const statement = database.prepare("SELECT body FROM profile_identities WHERE workspace = ? AND key = ?");
  const userText = userReader(database, "identity", workspace);
  return (key) => {
    if (key === newestKey) return newestCounts(database, workspace);
    const id = userIdOf(key);
    return id === undefined ? statement.get(workspace, key)?.["body"] : userText(id)?.["identity"];
  };
}

function profileStore(database: Database, numbers: WorkspaceNumbers): ProfileStore {
  function page(sql: string, workspaceId: string, bounds: readonly [from: string, max: number]): Promise<Profile[]> {
    const rows = database.prepare(sql).all(numbers.of(workspaceId) ?? 0, ...bounds);
    return Promise.resolve(rows.map((row) => profileFromRow(String(row["body"]))));
  }
  return {
    load(workspaceId, ids) {
      const read = profileReader(database, numbers.of(workspaceId));
      return foundOf(ids, (id) => read(id).profile);
    },
    page: (workspaceId, after, max) => page(selectAfter, workspaceId, [after, max]),
    pageBack: (workspaceId, before, max) => page(selectBefore, workspaceId, [before === "" ? lastCharacter : before, max]),
    loadFrozen: (workspaceId, mergeIds) => foundOf(mergeIds, (id) => loadFrozen(database, workspaceId, id)),
    loadBlocked: (workspaceId, ids, max = noLimit) => foundOf(ids, (id) => loadBlocked(database, [workspaceId, id], max)),
    loadUsers(workspaceId, ids) {
      const mayHave = { blocked: hasRows(database, "profile_held"), frozen: hasRows(database, "profile_frozen") };
      const read = profileReader(database, numbers.of(workspaceId));
      return Promise.resolve(
        new Map(ids.map((id) => [id, { ...read(id), ...waitingOf(database, [workspaceId, id], mayHave) }])),
      );
    },
    ...sqliteLists(database),
  };
}

const selectAfter = "SELECT body FROM profile_profiles WHERE workspace = ? AND user_id > ? AND body IS NOT NULL ORDER BY user_id LIMIT ?";
const selectBefore =
  "SELECT body FROM profile_profiles WHERE workspace = ? AND user_id < ? AND body IS NOT NULL ORDER BY user_id DESC LIMIT ?";

/** Those of the ids that `read` finds something for. */
function foundOf<Thing>(ids: readonly string[], read: (id: string) => Thing | undefined): Promise<Map<string, Thing>> {
  return Promise.resolve(
    new Map(ids.flatMap((id) => {
      const thing = read(id);
      return thing === undefined ? [] : [[id, thing] as const];
    })),
  );
}

type StoredProfile = Pick<StoredUser, "profile" | "row" | "mark">;

function profileReader(database: Database, workspace: number | undefined): (id: UserId) => StoredProfile {
  if (workspace === undefined) return () => noProfile;
  const read = userReader(database, "body", workspace);
  return (id) => {
    const row = read(id);
    if (row === undefined) return noProfile;
    const { body, mark_sequence: sequence, mark_part: part } = row;
    const beside = typeof sequence === "number" ? [sequence, Number(part)] as const : undefined;
    if (typeof body !== "string") return beside === undefined ? noProfile : { ...noProfile, mark: beside };
    const profile = profileFromRow(body);
    return { profile, row: body, mark: later(profile.mark, beside) };
  };
}

const noProfile: StoredProfile = { profile: undefined, row: "" };

function later(mark: RecordId, other: RecordId | undefined): RecordId {
  return other !== undefined && isAfter(other, mark) ? other : mark;
}

function loadHandoffs(database: Database, workspaceId: string, mergeIds: readonly string[]): Promise<Map<string, Handoff>> {
  const statement = database.prepare("SELECT source, undo_until FROM profile_handoffs WHERE workspace_id = ? AND merge_id = ?");
  return foundOf(mergeIds, (id) => {
    const row = statement.get(workspaceId, id);
    return row && { source: profileFromRow(String(row["source"])), undoUntil: Number(row["undo_until"]) };
  });
}

/** These tables are nearly always empty: asking once a batch spares reads and writes of each user. */
function hasRows(database: Database, table: "profile_held" | "profile_frozen" | "profile_rejected"): boolean {
  return database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
}

function waitingOf(
  database: Database,
  [workspaceId, id]: readonly [workspaceId: string, id: string],
  mayHave: { readonly blocked: boolean; readonly frozen: boolean },
): Pick<StoredUser, "blocked" | "openMerges"> {
  return {
    blocked: mayHave.blocked && isBlocked(database, workspaceId, id),
    openMerges: mayHave.frozen ? openMerges(database, workspaceId, id) : none,
  };
}

const none: readonly string[] = [];

function isBlocked(database: Database, workspaceId: string, id: string): boolean {
  return database.prepare("SELECT 1 FROM profile_held WHERE workspace_id = ? AND user_id = ?").get(workspaceId, id) !== undefined;
}

/** Newest last: the target's mark rises with every merge. */
export function openMerges(database: Database, workspaceId: string, id: string): string[] {
  const rows = database
    .prepare(
      "SELECT merge_id FROM profile_frozen WHERE workspace_id = ? AND target_id = ? AND undone = 0 ORDER BY target_sequence, target_part",
    )
    .all(workspaceId, id);
  return rows.map((row) => String(row["merge_id"]));
}

function loadFrozen(database: Database, workspaceId: string, mergeId: string): FrozenMerge | undefined {
  const sql = "SELECT source, target_before, undo_until FROM profile_frozen WHERE workspace_id = ? AND merge_id = ?";
  const row = database.prepare(sql).get(workspaceId, mergeId);
  if (row === undefined) return undefined;
  const journal = database
    .prepare("SELECT body FROM profile_journal WHERE workspace_id = ? AND merge_id = ? ORDER BY sequence, part")
    .all(workspaceId, mergeId);
  return {
    source: profileFromRow(String(row["source"])),
    targetBefore: profileFromRow(String(row["target_before"])),
    journal: journal.map((entry) => recordFromRow(entry["body"])),
    undoUntil: Number(row["undo_until"]),
  };
}

function loadBlocked(
  database: Database,
  [workspaceId, id]: readonly [workspaceId: string, id: string],
  max: number,
): BlockedUser | undefined {
  const row = database.prepare("SELECT reason FROM profile_held WHERE workspace_id = ? AND user_id = ?").get(workspaceId, id);
  if (row === undefined) return undefined;
  const records = database
    .prepare("SELECT body FROM profile_held_records WHERE workspace_id = ? AND user_id = ? ORDER BY sequence, part LIMIT ?")
    .all(workspaceId, id, max);
  return { reason: String(row["reason"]), records: records.map((record) => recordFromRow(record["body"])) };
}

/** As SQLite has it. */
const noLimit = -1;

function recordFromRow(body: unknown): ProfileRecord {
  return JSON.parse(String(body));
}
