/**
 * One user's records in order, merges and their undo among them, as far as they go: until one has to wait for a merge's partner, or its pure
 * step throws.
 */
import { type MergeRecord } from "../domain/merge/apply-merge.ts";
import type { UserTables } from "../domain/ports.ts";
import type { RecordId } from "../../../platform/age.ts";
import type { ProfileChange, ProfileRecord } from "../domain/profile/profile-record.ts";
import type { PureSteps } from "./pure-steps.ts";
import { addEffects, type Effects } from "./effects.ts";
import { isPast, journalRecord, type LaneChanges, type LaneUser } from "./lane-user.ts";
import { errorText } from "../../../platform/error-text.ts";

export interface RunDeps {
  readonly steps: PureSteps;
  readonly profiles: UserTables;
}

/** What one run works on and leaves. */
export interface Run {
  readonly user: LaneUser;
  readonly changes: LaneChanges;
  readonly effects: Effects;
  /** Reasons of records whose pure step threw in an earlier attempt, by mark. */
  readonly failures: ReadonlyMap<string, string>;
  /** Whether the failed record of this mark is passed over. */
  passesOver(mark: RecordId): boolean;
  /** Makes what was done so far durable: what is loaded after has it. */
  flush(): Promise<void>;
}

/** The place in the list where the run stopped, and why. */
export interface Blocked {
  readonly at: number;
  readonly reason: string;
}

/** A pure step threw. The user's profile may be half changed: it has to be loaded again. */
export class RecordFailure {
  readonly mark: RecordId;
  readonly reason: string;
  /** Records behind it that need not be tried: the user ends before any reader could see what they do. */
  needless: readonly RecordId[] = [];

  constructor(mark: RecordId, cause: unknown) {
    this.mark = mark;
    this.reason = errorText(cause);
  }
}

/** Another applier of the lane is further with this user: what was read beside its row may be gone already. */
export class Overtaken extends Error {}

export function recordKey([sequence, part]: RecordId): string {
  return `${sequence}.${part}`;
}

/** Changes the user and `changes`; saves nothing but by `flush`. Throws RecordFailure, and what store and log throw. */
export async function runRecords(deps: RunDeps, run: Run, records: readonly ProfileRecord[]): Promise<Blocked | undefined> {
  for (const [at, record] of records.entries()) {
    const isIn = isPast(run.user, record.mark);
    try {
      const reason = isIn ? undefined : await runRecord(deps, run, record);
      if (reason !== undefined) return { at, reason };
    } catch (error) {
      if (error instanceof RecordFailure) error.needless = needlessBehind(records, at);
      throw error;
    }
    if (!isIn) run.user.mark = record.mark;
    addEffects(run.effects, record);
  }
  return undefined;
}

/**
 * What only changes the user itself, between here and the delete that ends it: tried one by one, each that throws would be an
 * attempt from the first record on. What stands before a merge counts: the user may wait there, or what it has goes to others.
 */
function needlessBehind(records: readonly ProfileRecord[], at: number): RecordId[] {
  const end = records.findLastIndex(({ change }) => change.type === "delete");
  const from = records.findLastIndex(({ change }, place) => place < end && isTwoSided(change));
  const own = records.slice(Math.max(at, from) + 1, Math.max(end, 0));
  return own.flatMap(({ change, mark }) => change.type === "create" || change.type === "delete" ? [] : [mark]);
}

/** Why the record has to wait; undefined: it is in. */
async function runRecord(deps: RunDeps, run: Run, record: ProfileRecord): Promise<string | undefined> {
  const reason = run.failures.get(recordKey(record.mark));
  if (reason !== undefined) {
    if (!run.passesOver(record.mark)) return reason;
    return passOver(run, record);
  }
  switch (record.change.type) {
    case "handoff":
      return handOff(run, record, record.change);
    case "await":
      return await takeIn(deps, run, record as MergeRecord<"await">);
    case "undo":
      return await undoMerge(deps, run, record as MergeRecord<"undo">);
    case "restore":
      return await restore(deps, run, record as RecordOf<"restore">);
    case "forget":
      return forget(run, record.change.mergeId);
    case "delete":
      return await erase(deps, run);
    default:
      return applyOwn(deps, run, record);
  }
}

/** What a failed record does to the user is nothing; what it does to others still counts. */
function passOver(run: Run, record: ProfileRecord): undefined {
  if (record.change.type === "undo") return forget(run, record.change.mergeId);
  if (!isTwoSided(record.change)) journalRecord(run.changes, run.user, record);
}

export function isTwoSided({ type }: ProfileChange): boolean {
  return type === "handoff" || type === "await" || type === "undo" || type === "restore" || type === "forget";
}

function applyOwn({ steps }: RunDeps, { user, changes }: Run, record: ProfileRecord): undefined {
  user.profile = pure(record, () => steps.applyRecord(user.profile, record)) ?? undefined;
  journalRecord(changes, user, record);
}

/** The source as it is now goes where the target finds it; merges into the source stay open behind it. */
function handOff({ user, changes }: Run, record: ProfileRecord, { mergeId, undoUntil }: ChangeOf<"handoff">): undefined {
  const source = user.profile;
  if (source === undefined) throw new RecordFailure(record.mark, `Expected the source of merge ${mergeId}, got nothing`);
  changes.handoffs.set(mergeId, { source, undoUntil });
  user.profile = undefined;
}

async function takeIn({ steps, profiles }: RunDeps, run: Run, record: MergeRecord<"await">): Promise<string | undefined> {
  const { mergeId, sourceId, undoUntil } = record.change;
  const handoff = (await profiles.loadHandoffs(run.changes.workspaceId, [mergeId])).get(mergeId);
  if (handoff === undefined) {
    // Not there yet, or taken in already: then the user's row shows it
    await checkRow(profiles, run);
    return `Waits for user ${sourceId}`;
  }
  const { user, changes } = run;
  const target = user.profile;
  if (target === undefined) throw new RecordFailure(record.mark, `Expected the target of merge ${mergeId}, got nothing`);
  const sides = { source: handoff.source, target };
  const frozen = undoUntil > 0 ? pure(record, () => steps.freeze(sides, record)) : undefined;
  user.profile = pure(record, () => steps.takeIn(target, handoff.source, record));
  if (frozen === undefined) return undefined;
  changes.frozen.set(mergeId, frozen);
  user.openMerges = [...user.openMerges, mergeId];
  return undefined;
}

/** The copies stay until the source, too, has come back by them. */
async function undoMerge(deps: RunDeps, run: Run, record: MergeRecord<"undo">): Promise<undefined> {
  const taken = await sidesWithout(deps, run, record);
  run.user.profile = taken.target;
  forget(run, record.change.mergeId);
  for (const own of taken.targetRecords) journalRecord(run.changes, run.user, own);
}

async function restore(deps: RunDeps, run: Run, record: RecordOf<"restore">): Promise<string | undefined> {
  const { mergeId, targetId } = record.change;
  const target = (await deps.profiles.loadUsers(run.changes.workspaceId, [targetId])).get(targetId);
  if (!isPast({ mark: target?.mark }, record.mark)) return `Waits for user ${targetId}`;
  const undo = { ...record, change: { type: "undo" as const, mergeId, sourceId: record.userId } };
  const taken = await sidesWithout(deps, run, undo);
  run.user.profile = taken.source;
  for (const own of taken.sourceRecords) journalRecord(run.changes, run.user, own);
  return undefined;
}

/** What both sides would be without the merge. */
async function sidesWithout(
  { steps, profiles }: RunDeps,
  run: Run,
  undo: MergeRecord<"undo">,
): Promise<ReturnType<PureSteps["takeBack"]>> {
  const { mergeId } = undo.change;
  await run.flush();
  const frozen = (await profiles.loadFrozen(run.changes.workspaceId, [mergeId])).get(mergeId);
  await checkRow(profiles, run);
  if (frozen === undefined) throw new RecordFailure(undo.mark, `Expected the frozen copies of merge ${mergeId}, got nothing`);
  return pure(undo, () => steps.takeBack(frozen, undo, run.user.profile?.undone));
}

/** Copies and journal are two reads, and are erased once both sides are past the undo: so what was read is whole if this side is not. */
async function checkRow(profiles: UserTables, { user, changes: { workspaceId } }: Run): Promise<void> {
  const row = (await profiles.loadUsers(workspaceId, [user.id])).get(user.id);
  if (row?.mark !== undefined && !isPast(user, row.mark)) throw new Overtaken();
}

function forget({ user, changes }: Run, mergeId: string): undefined {
  user.openMerges = user.openMerges.filter((open) => open !== mergeId);
  changes.journal.delete(mergeId);
}

/**
 * Copies are erased before the user: afterwards its list of them is gone. And they are erased after everything before the
 * delete is saved: an applier that has to begin anew would wait for a handoff that is erased.
 */
async function erase({ profiles }: RunDeps, { user, changes: { workspaceId }, flush }: Run): Promise<undefined> {
  if (user.openMerges.length > 0) {
    await flush();
    await profiles.forgetMerges(workspaceId, user.openMerges);
  }
  user.profile = undefined;
  user.openMerges = [];
}

function pure<T>(record: ProfileRecord, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new RecordFailure(record.mark, error);
  }
}

type ChangeOf<Type extends ProfileChange["type"]> = Extract<ProfileChange, { type: Type }>;
type RecordOf<Type extends ProfileChange["type"]> = ProfileRecord & { readonly change: ChangeOf<Type> };
