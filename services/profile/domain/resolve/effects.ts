/** What one intake record causes, gathered while it is resolved. */
import { workspaceHash } from "../../../../platform/fnv1a.ts";
import { limits } from "../../../../platform/limits.ts";
import type { IntakeRecord } from "../record/intake-record.ts";
import type { Identities } from "../identity/identities.ts";
import type { ItemOutcome, UserRow } from "../identity/identity.ts";
import type { ConsentRecord } from "../ports.ts";
import type { MergeSide, ProfileChange, ProfileRecord } from "../profile/profile-record.ts";
import type { RecordId } from "../../../../platform/age.ts";
import type { MembershipState } from "../record/track-object.ts";
import type { UserId } from "../record/user-key.ts";
import { hex, numberedId, type Numbering, numberOf } from "../../../../platform/user-number.ts";
import { userRowKey } from "../identity/user-names.ts";

export interface Effects {
  readonly view: Identities;
  readonly record: IntakeRecord;
  /** Unix milliseconds: what ends by itself, ends by this. */
  readonly now: number;
  /** Unix milliseconds: what data and consent are dated with. Later than `now` where that does not yet believe the clock. */
  readonly at: number;
  readonly undoWindowMs: number;
  /** Rises over everything the record causes: the place of consent, and of who touched an address last. */
  nextPart: number;
  /**
   * Rises over what goes to profiles alone: their stores have few places for one record, and a fan-out would take them all.
   * Undefined: numbered by `nextPart`, see ResolveOptions.
   */
  nextProfilePart: number | undefined;
  /** Ids given out so far. */
  idsMade: number;
  readonly numbering: Numbering | undefined;
  /** Objects of /users/track that reached a user. */
  objects: number;
  readonly profiles: ProfileRecord[];
  readonly consent: ConsentRecord[];
  /** Merges whose frozen copies and journals are to be erased. */
  readonly forgotten: ForgottenMerge[];
  items: ItemOutcome[] | undefined;
}

/** A merge that can no longer be taken back, and the user who took the source in. */
export interface ForgottenMerge {
  readonly mergeId: string;
  readonly targetId: UserId;
}

export interface ResolveOptions {
  /** Unix milliseconds; never less than in an earlier call. */
  readonly now: number;
  /** How long a merge can be taken back; 0: never. */
  readonly undoWindowMs: number;
  /**
   * What goes to profiles has numbers in common with consent, as a build before gave them: for the rest of a record of which
   * it sent a part.
   */
  readonly partsInCommon?: boolean;
  /** New users get a number, by which their rows live together (user-number.ts); absent: none. */
  readonly numbering?: Numbering | undefined;
}

export function startEffects(view: Identities, record: IntakeRecord, options: ResolveOptions): Effects {
  return {
    view,
    record,
    now: options.now,
    at: Math.max(options.now, record.receivedAt),
    undoWindowMs: options.undoWindowMs,
    nextPart: 0,
    nextProfilePart: options.partsInCommon ? undefined : 0,
    idsMade: 0,
    objects: 0,
    numbering: options.numbering,
    profiles: [],
    consent: [],
    forgotten: [],
    items: undefined,
  };
}

/** A place in the order of everything that was ever resolved. */
export function takeMark(effects: Effects): RecordId {
  const mark = [effects.record.sequence, effects.nextPart] as const;
  effects.nextPart += 1;
  return mark;
}

/** The same in the order of what goes to profiles; consent has the numbers that it would have without it. */
function takeProfileMark(effects: Effects): RecordId {
  const mark = takeMark(effects);
  if (effects.nextProfilePart === undefined) return mark;
  const part = effects.nextProfilePart;
  effects.nextProfilePart += 1;
  return [mark[0], part];
}

/** Sends a change to a user's profile. */
export function send(effects: Effects, to: Addressee, change: ProfileChange): void {
  const { id: userId, externalId, side } = to;
  const record: ProfileRecord = externalId === null
    ? { userId, mark: takeProfileMark(effects), now: effects.at, change }
    : { userId, mark: takeProfileMark(effects), now: effects.at, change, externalId };
  effects.profiles.push(side === undefined ? record : { ...record, side });
}

/** A user row as it is behind the change will do; `side`: see ProfileRecord. */
export interface Addressee {
  readonly id: UserId;
  readonly externalId: string | null;
  readonly side?: MergeSide | undefined;
}

/** Sends a change to the service that owns consent; `origin` is the request that asked for it, if an earlier one did. */
export function changeConsent(effects: Effects, change: ConsentChangeRecord, origin: Origin = effects.record): void {
  const { sequence } = effects.record;
  const { requestId, actor } = origin;
  const part = effects.nextPart;
  effects.nextPart += change.type === "memberships" ? change.userIds.length : 1;
  effects.consent.push({ sequence, part, at: effects.at, requestId, actor, ...change });
}

/** Users of memberships, in order. One of several is meant itself; `side`: see ConsentRecord. */
export interface Members {
  readonly userIds: readonly UserId[];
  readonly side?: readonly string[];
}

export function changeMembership(effects: Effects, { userIds, ...side }: Members, set: { groupId: string; state: MembershipState }): void {
  const [userId] = userIds;
  if (userId === undefined) return;
  if (userIds.length > 1) changeConsent(effects, { type: "memberships", userIds, ...set });
  else changeConsent(effects, { type: "membership", userId, ...side, ...set });
}

type Origin = Pick<IntakeRecord, "requestId" | "actor">;
type ConsentChangeRecord = WithoutCause<ConsentRecord>;
type WithoutCause<Consent> = Consent extends ConsentRecord
  ? Omit<Consent, "sequence" | "part" | "at" | "requestId" | "actor" | "traceparent">
  : never;

export function putUser(effects: Pick<Effects, "view">, row: UserRow): void {
  effects.view.put(userRowKey(row.id), row);
}

/**
 * An id that no user had or will have: the place in the log (12 hex digits), the place among the ids of the record
 * (4), and a hash of the workspace (8). Ids rise, so that new rows lie together.
 */
export function makeId(effects: Effects): UserId {
  const made = effects.idsMade;
  if (made >= limits.idsPerRecordMax) {
    throw new RangeError(`Expected a request that needs at most ${limits.idsPerRecordMax} new ids: send it in parts`);
  }
  effects.idsMade += 1;
  const { sequence, workspaceId } = effects.record;
  return hex(sequence, 12) + hex(made, 4) + hex(workspaceHash(workspaceId), 8);
}

/** The id of a new user, with its number where users have one. */
export function makeUserId(effects: Effects): UserId {
  const { view, numbering } = effects;
  if (numbering === undefined) return makeId(effects);
  const count = view.userCount() + 1;
  view.put("n:users", count);
  return numberedId(view.workspaceId, makeId(effects), numberOf(count, numbering));
}
