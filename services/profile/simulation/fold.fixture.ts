/** What should come out of an intake, as a fold over it: no batches, caches, waiting users or store. It shares only pure steps with the engine. */
import type { LogRecord } from "../../../platform/log/log.ts";
import type { MergeRecord } from "../domain/merge/apply-merge.ts";
import { countEffects } from "../domain/counts/count-effects.ts";
import { createIdentities, type Identities } from "../domain/identity/identities.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { IntakeRecord } from "../domain/record/intake-record.ts";
import type { FrozenMerge } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { Numbering } from "../../../platform/user-number.ts";
import type { Resolution, ResolvedRecord } from "../domain/resolve/batch.ts";
import type { UserId } from "../domain/record/user-key.ts";
import type { Resolve } from "../resolve/resolve-workspace.ts";
import { type LaneRow, laneRows } from "../lanes/lane-message.ts";
import type { PureSteps } from "../apply/pure-steps.ts";
import { profileToRow } from "../store/rows.ts";
import { consentOf, type Counted, decodeEntry, resolveAtReceipt, type Seen, sortedCounts } from "./reference.fixture.ts";

export interface FoldOptions {
  readonly steps: PureSteps;
  readonly undoWindowMs: number;
  readonly numbering?: Numbering | undefined;
  /** Absent: `decodeEntry`. */
  readonly decode?: (sequence: number, body: Uint8Array) => IntakeRecord;
  /** Absent: `resolveAtReceipt`. */
  readonly resolve?: Resolve;
  readonly now?: number;
}

export interface Folded extends Seen {
  /** Merges that can be taken back. */
  readonly openMerges: readonly string[];
  /** Of the identity rows. */
  readonly keys: readonly (readonly [string, IdentityKey])[];
  readonly consent: ReadonlyMap<"subscription" | "messaging-status", readonly string[]>;
  /** By workspace, what charts count of it. */
  readonly counted: Counted;
}

/** One record after the other, each with everything it does, as if none ever waited or failed. */
export function fold(records: readonly LogRecord[], of: FoldOptions): Folded {
  const { steps, undoWindowMs, numbering, decode = decodeEntry, resolve = resolveAtReceipt, now = 0 } = of;
  const workspaces = new Map<string, Workspace>();
  const lanes: LaneRow[] = [];
  const counts = new Map<string, ResolvedRecord[]>();
  for (const { sequence, body } of records) {
    const record = decode(sequence, body);
    const workspace = workspaces.get(record.workspaceId) ?? { rows: new Map(), users: new Users(steps) };
    workspaces.set(record.workspaceId, workspace);
    const resolved = resolveAlone(workspace, record, (view) => resolve(view, [record], { now, undoWindowMs, numbering }));
    counts.set(record.workspaceId, [...counts.get(record.workspaceId) ?? [], resolved]);
    for (const change of resolved.profiles) workspace.users.apply(change);
    for (const { mergeId } of resolved.forgotten) workspace.users.forget(mergeId);
    lanes.push(...laneRows(record.workspaceId, resolved.consent));
  }
  const counted = ["v", "w"].map((workspaceId) => {
    const users = workspaces.get(workspaceId)?.users.profiles.size ?? 0;
    return [workspaceId, users, sortedCounts(countEffects(counts.get(workspaceId) ?? []))] as const;
  });
  return { ...seenOf(workspaces, lanes), counted };
}

interface Workspace {
  readonly rows: Map<IdentityKey, unknown>;
  readonly users: Users;
}

/** With a view of its own, which forgets everything afterwards. */
function resolveAlone({ rows }: Workspace, { workspaceId }: IntakeRecord, resolve: (view: Identities) => Resolution): ResolvedRecord {
  const view = createIdentities(workspaceId);
  for (;;) {
    const { resolved: [done], need = [] } = resolve(view);
    if (done === undefined) {
      view.load(need, new Map(need.map((key) => [key, structuredClone(rows.get(key))])));
      continue;
    }
    for (const [key, row] of view.changes()) {
      if (row === undefined) rows.delete(key);
      else rows.set(key, JSON.parse(JSON.stringify(row)));
    }
    return done;
  }
}

/** The users of a workspace. `open` has each user's merges that can be taken back, the newest last. */
class Users {
  readonly profiles = new Map<UserId, Profile>();
  readonly frozen = new Map<string, FrozenMerge>();
  readonly #journals = new Map<string, ProfileRecord[]>();
  readonly #open = new Map<UserId, string[]>();
  readonly #steps: PureSteps;

  constructor(steps: PureSteps) {
    this.#steps = steps;
  }

  apply(record: ProfileRecord): void {
    const { userId, change } = record;
    switch (change.type) {
      case "handoff":
        return;
      case "await":
        return this.#takeIn(record as MergeRecord<"await">);
      case "undo":
        return this.#takeBack(record as MergeRecord<"undo">);
      case "delete":
        for (const mergeId of this.#open.get(userId) ?? []) this.forget(mergeId);
        this.profiles.delete(userId);
        return;
      default:
        this.#put(userId, this.#steps.applyRecord(this.profiles.get(userId), record));
        this.#journal(userId, record);
    }
  }

  /** The merge can no longer be taken back. */
  forget(mergeId: string): void {
    this.frozen.delete(mergeId);
    this.#journals.delete(mergeId);
    for (const [id, merges] of this.#open) this.#open.set(id, merges.filter((one) => one !== mergeId));
  }

  #takeIn(record: MergeRecord<"await">): void {
    const { userId, change: { mergeId, sourceId, undoUntil } } = record;
    const sides = { source: this.#the(sourceId), target: this.#the(userId) };
    if (undoUntil > 0) {
      this.frozen.set(mergeId, this.#steps.freeze(sides, record));
      this.#journals.set(mergeId, []);
    }
    this.profiles.delete(sourceId);
    this.#put(userId, this.#steps.takeIn(sides.target, sides.source, record));
    if (undoUntil > 0) this.#open.set(userId, [...this.#open.get(userId) ?? [], mergeId]);
  }

  #takeBack(record: MergeRecord<"undo">): void {
    const { userId, change: { mergeId, sourceId } } = record;
    const copies = this.frozen.get(mergeId);
    if (copies === undefined) throw new Error(`Expected the copies of merge ${mergeId}`);
    const before = { ...copies, journal: this.#journals.get(mergeId) ?? [] };
    const taken = this.#steps.takeBack(before, record, this.#the(userId).undone);
    this.#put(userId, taken.target);
    this.#put(sourceId, taken.source);
    this.forget(mergeId);
    for (const own of taken.sourceRecords) this.#journal(sourceId, own);
    for (const own of taken.targetRecords) this.#journal(userId, own);
  }

  #the(id: UserId): Profile {
    const profile = this.profiles.get(id);
    if (profile === undefined) throw new Error(`Expected user "${id}" to exist`);
    return profile;
  }

  #put(id: UserId, profile: Profile | null): void {
    if (profile === null) this.profiles.delete(id);
    else this.profiles.set(id, profile);
  }

  /** Only the newest merge of a user is taken back next. */
  #journal(id: UserId, record: ProfileRecord): void {
    const newest = this.#open.get(id)?.at(-1);
    if (newest !== undefined) this.#journals.get(newest)?.push(record);
  }
}

function seenOf(workspaces: ReadonlyMap<string, Workspace>, lanes: readonly LaneRow[]): Omit<Folded, "counted"> {
  const inOrder = [...workspaces].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = inOrder.flatMap(([workspaceId, workspace]) => Array.from(workspace.rows, ([key, row]) => ({ workspaceId, key, row })));
  function sentTo(name: "subscription" | "messaging-status"): readonly string[] {
    return consentOf(name, lanes.filter(({ service }) => service === name).map(({ body }) => body));
  }
  return {
    keys: rows.map(({ workspaceId, key }) => [workspaceId, key] as const),
    identities: rows.map(({ workspaceId, key, row }) => `${workspaceId} ${JSON.stringify([[key, row]])}`),
    profiles: inOrder.flatMap(([, { users }]) => [...users.profiles.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).map(profileToRow)),
    openMerges: inOrder.flatMap(([, { users }]) => [...users.frozen.keys()]).sort(),
    consent: new Map((["subscription", "messaging-status"] as const).map((name) => [name, sentTo(name)])),
  };
}
