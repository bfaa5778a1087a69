/** Merges: two users become one, in a way that can be taken back while the window lasts. */
import { limits } from "../../../../platform/limits.ts";
import { aliasRefusal } from "../identity/alias-room.ts";
import { type Selection, selectUser } from "../identity/choose-user.ts";
import { namesLost } from "../identity/event-names.ts";
import type { BodyOf } from "../record/intake-record.ts";
import type { JobOutcome, JobRow, MergeRow, SideRecency, UserRow } from "../identity/identity.ts";
import type { Alias, UserId } from "../record/user-key.ts";
import { addressesOf, aliasKey, emailKey, holdsLabel, phoneKey, recencyIn, takerKey, userRowKey } from "../identity/user-names.ts";
import { leaveAddress, moveAddresses, touchUser } from "./addresses.ts";
import { type Sides, takeInDevices } from "./devices.ts";
import { changeConsent, type Effects, makeId, putUser, send } from "./effects.ts";
import { closeMerges, withoutOverMerges } from "./open-merges.ts";

/** POST /users/merge: one after the other; what became of each is the job's row. */
export function resolveMerges(effects: Effects, jobId: string, updates: BodyOf<"mergeUsers">["updates"]): void {
  const outcomes = updates.map(({ source, target }, index) => {
    const sides = { source: selectUser(effects.view, source), target: selectUser(effects.view, target) };
    return mergeSelected(effects, sides, { jobId, index });
  });
  putJob(effects, jobId, outcomes);
}

/** Kept for a while after the last of its merges can be taken back. */
export function putJob(effects: Effects, jobId: string, outcomes: readonly JobOutcome[]): void {
  const row: JobRow = { outcomes, expiresAt: effects.now + effects.undoWindowMs + limits.jobKeepMs };
  effects.view.put(`j:${jobId}`, row);
}

/** Where a merge stands in its job. */
export interface JobItem {
  readonly jobId: string;
  readonly index: number;
}

function mergeSelected(effects: Effects, sides: { source: Selection; target: Selection }, item: JobItem): JobOutcome {
  const source = sides.source.user;
  const target = sides.target.user;
  if (source === undefined) return notMerged(`The user to merge ${sides.source.reason}`);
  if (target === undefined) return notMerged(`The user to keep ${sides.target.reason}`);
  if (source.id === target.id) return notMerged("Both identifiers mean the same user");
  return mergeUsers(effects, { source, target }, item);
}

export function notMerged(reason: string): JobOutcome {
  return { status: "not_merged", reason, sourceId: null, targetId: null, mergeId: null, undoUntil: 0 };
}

/**
 * The target takes in the source: its aliases but for labels that the target has, its email and phone where the
 * target has none. The source's external ids are free, so later data under them makes a new user.
 */
export function mergeUsers(effects: Effects, sides: Sides, item: JobItem): JobOutcome {
  const source = withoutOverMerges(effects, sides.source);
  const target = withoutOverMerges(effects, sides.target);
  const moved = source.aliases.filter((alias) => !holdsLabel(target, alias.label));
  const refusal = aliasRefusal([...target.aliases, ...moved]);
  if (refusal !== undefined) return notMerged(refusal);
  const mergeId = makeId(effects);
  const undoUntil = effects.undoWindowMs === 0 ? 0 : effects.now + effects.undoWindowMs;
  remember(effects, { source, target }, { ...item, mergeId, undoUntil });
  send(effects, source, { type: "handoff", mergeId, targetId: target.id, undoUntil });
  send(effects, target, { type: "await", mergeId, sourceId: source.id, undoUntil, gone: namesLost(source, target, moved) });
  const merged = moveNames(effects, { source, target, moved }, mergeId);
  sendNames(effects, target, merged);
  followUnsubscribe(effects, { source, target }, merged);
  changeConsent(effects, { type: "userMerged", userId: target.id, mergeId, sourceId: source.id, undoUntil });
  if (undoUntil === 0) makeFinal(effects, merged);
  return { status: "merged", reason: "", sourceId: source.id, targetId: target.id, mergeId, undoUntil };
}

function remember(effects: Effects, sides: Sides, merge: JobItem & { mergeId: string; undoUntil: number }): void {
  const row: MergeRow = {
    mergeId: merge.mergeId,
    jobId: merge.jobId,
    index: merge.index,
    source: sides.source,
    target: sides.target,
    sourceRecency: recencyOf(effects, sides.source),
    targetRecency: recencyOf(effects, sides.target),
    undoUntil: merge.undoUntil,
    state: "open",
  };
  effects.view.put(`m:${merge.mergeId}`, row);
}

function recencyOf(effects: Effects, row: UserRow): SideRecency {
  return {
    email: row.email === null ? null : recencyIn(effects.view.sharers(emailKey(row.email)), row.id),
    phone: row.phone === null ? null : recencyIn(effects.view.sharers(phoneKey(row.phone)), row.id),
    since: null,
  };
}

/** The names that do not move keep pointing to the source, so that an undo sees whether another user took them since. */
function moveNames(effects: Effects, { source, target, moved }: Sides & { readonly moved: readonly Alias[] }, mergeId: string): UserRow {
  for (const alias of moved) effects.view.put(aliasKey(alias.label, alias.name), target.id);
  for (const address of addressesOf(source)) leaveAddress(effects, address, { id: source.id, merges: [mergeId] });
  effects.view.put(userRowKey(source.id), undefined);
  const merged = {
    ...heldAfter({ source, target }),
    aliases: moved.length === 0 ? target.aliases : [...target.aliases, ...moved],
    email: target.email ?? source.email,
    phone: target.phone ?? source.phone,
    merges: [...target.merges, mergeId],
    tookIn: takeIds(effects, { source, target }),
    ...takeInDevices(effects, { source, target }),
  };
  putUser(effects, merged);
  moveAddresses(effects, target, merged);
  touchUser(effects, merged);
  return merged;
}

/** The ids that mean the target from now on beside its own; the oldest beyond the limit mean no user. */
function takeIds(effects: Effects, { source, target }: Sides): readonly UserId[] {
  const taken = [...source.tookIn ?? [], source.id];
  const all = [...target.tookIn ?? [], ...taken];
  const over = Math.max(0, all.length - limits.takenInPerUserMax);
  for (const id of taken) effects.view.put(takerKey(id), target.id);
  for (const id of all.slice(0, over)) effects.view.put(takerKey(id), undefined);
  return all.slice(over);
}

/** The target with the email status that waits for an address: unsubscribed if either is, else its own, else the source's. */
function heldAfter({ source, target }: Sides): UserRow {
  const { heldEmailStatus, ...rest } = target;
  if ((target.email ?? source.email) !== null) return rest;
  const held = isUnsubscribed({ source, target }) ? "unsubscribed" : heldEmailStatus ?? source.heldEmailStatus;
  return held === undefined ? rest : { ...rest, heldEmailStatus: held };
}

function isUnsubscribed({ source, target }: Sides): boolean {
  return source.heldEmailStatus === "unsubscribed" || target.heldEmailStatus === "unsubscribed";
}

/** A merge may bring a waiting unsubscribe to an address; never a subscribe, which was not requested for that address. */
function followUnsubscribe(effects: Effects, sides: Sides, merged: UserRow): void {
  if (merged.email === null || !isUnsubscribed(sides)) return;
  changeConsent(effects, { type: "emailStatus", address: merged.email, status: "unsubscribed" });
}

function sendNames(effects: Effects, before: UserRow, after: UserRow): void {
  const { aliases, email, phone } = after;
  const changed = {
    ...(aliases !== before.aliases && { aliases }),
    ...(email !== before.email && { email }),
    ...(phone !== before.phone && { phone }),
  };
  if (Object.keys(changed).length > 0) send(effects, after, { type: "identity", ...changed });
}

/** Without an undo window nothing is kept, and nothing older can be taken back any more. */
function makeFinal(effects: Effects, merged: UserRow): void {
  closeMerges(effects, merged.merges);
  putUser(effects, { ...merged, merges: [] });
}
