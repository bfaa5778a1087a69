/** What the profile service needs from outside: the stores of identities and profiles, and the step that writes them. */
import type { RecordId } from "../../../platform/age.ts";
import type { IdentityKey, ItemOutcome } from "./identity/identity.ts";
import type { IntakeRecord } from "./record/intake-record.ts";
import type { Profile, Rejection } from "./profile/profile.ts";
import type { ProfileRecord } from "./profile/profile-record.ts";
import type { EmailMark, EmailStatus, MembershipState, PhoneMark } from "./record/track-object.ts";
import type { Alias, UserId } from "./record/user-key.ts";

/** The intake log as a use case sees it. */
export interface Intake {
  /** The place of the last durable record of a workspace's partition. */
  tail(workspaceId: string): Promise<Position>;
  /** Refuses POSITION_INVALID for a place of before the log was lost or put back. */
  refuseEarlier?(position: Position): void;
}

/** Users of the workspace who were changed last, the last one first, each once, at most `max`: as far back as is known. May name gone users. */
export type LastChanged = (workspaceId: string, max: number) => Promise<readonly UserId[]>;

/** How far the log is decided and applied, and what was decided about single requests. */
export interface Applied {
  /** True as soon as everything up to the place is durable in the tables and readable; false after `ms` without it. Resolvers do not rest while anybody waits. */
  wait(position: Position, ms: number): Promise<boolean>;
  /** The last sequence of the place's partition that is applied. */
  through(position: Position): number;
  /** As soon as everything up to the place is decided, and who has which name is as of then: how many of the `ms` are left. Undefined after them without it. */
  waitDecided(position: Position, ms: number): Promise<number | undefined>;
  /** The last sequence of the place's partition that is decided. */
  decidedThrough(position: Position): number;
  /** As `waitDecided`, for what is decided at the call: as soon as it is applied to these users, whatever is left to do for others. */
  waitUsers(position: Position, users: UsersOf, ms: number): Promise<number | undefined>;
  /** What the resolver decided about the request at a decided place: given once, and only if it reported anything. */
  outcome(position: Position): RecordOutcome | undefined;
}

interface UsersOf {
  readonly workspaceId: string;
  readonly ids: readonly UserId[];
}

/** What a read knows once it has waited for what was answered before it arrived. */
export interface CaughtUp {
  /** The read answers without having seen all of it. */
  readonly behind: boolean;
  /** The end of the workspace's order, asked for after the call. */
  readonly end: Position;
}

/** As reports of steps have it, which other builds read. `setAside`: the request could not be carried out because of a fault of ours. */
export interface RecordOutcome {
  readonly repeat?: { readonly kind: "first" | "repeat" | "reused"; readonly answer: string };
  readonly items?: readonly ItemOutcome[];
  readonly setAside?: true;
}

/** A place in the intake log. */
export interface Position {
  readonly partition: number;
  readonly sequence: number;
}

/** Identity rows, one net value a key. */
export interface IdentityStore {
  /** The rows of the keys that exist; a missing key is absent from the map. Values are JSON data. */
  load(workspaceId: string, keys: readonly IdentityKey[]): Promise<Map<IdentityKey, unknown>>;
}

/** Names in order. */
export interface NameIndex {
  /** Names of a kind that begin with `prefix`, in the order of their bytes. A name may be listed that no user has any more. */
  listNames(workspaceId: string, kind: NameKind, page: NamePage): Promise<string[]>;
}

/** What users are found by, as the first letter of an identity key; the name of an alias is its label, a zero byte, and the name. */
export type NameKind = "x" | "a" | "e" | "p";

interface NamePage {
  readonly prefix: string;
  /** The last name of the page before; absent: from the first on. */
  readonly after?: string;
  readonly max: number;
}

/** Profiles, one row a user. */
export interface ProfileStore {
  /** The profiles of the ids that exist. The caller owns the objects. */
  load(workspaceId: string, ids: readonly UserId[]): Promise<Map<UserId, Profile>>;
  /** Up to `max` profiles with an id above `after` ("" is the start), by id. */
  page(workspaceId: string, after: UserId, max: number): Promise<Profile[]>;
  /** As page(), from the last on: up to `max` profiles with an id below `before` ("" is the end). */
  pageBack(workspaceId: string, before: UserId, max: number): Promise<Profile[]>;
  /** The frozen copy of a merge's source. */
  loadFrozen(workspaceId: string, mergeIds: readonly string[]): Promise<Map<string, FrozenMerge>>;
  /** Records held back, by user, in order: all, or the first `max` of each. */
  loadBlocked(workspaceId: string, ids: readonly UserId[], max?: number): Promise<Map<UserId, BlockedUser>>;
  /** What applying needs of each user: one entry an id, also of ids nothing is known of. */
  loadUsers(workspaceId: string, ids: readonly UserId[]): Promise<Map<UserId, StoredUser>>;
  /** Up to `max` blocked users. */
  listBlocked(max: number): Promise<BlockedEntry[]>;
  /** All blocked users, some at a time, none of them twice. */
  allBlocked(): AsyncIterable<readonly BlockedEntry[]>;
  /** Up to `max` blocked users of a workspace with an id above `after` ("" is the start), by id. */
  pageBlocked(workspaceId: string, after: UserId, max: number): Promise<BlockedEntry[]>;
  /** Who asked for what stands at these places of a workspace's partition; none for a place that is too old, or another's. */
  loadOrigins(workspaceId: string, partition: number, sequences: readonly number[]): Promise<Map<number, RequestOrigin>>;
  /** Up to `max` intake dead letters, by partition and place, behind `after`; without their bodies, which may be large. */
  listSetAside(max: number, after?: DeadLetterId): Promise<DeadLetter[]>;
  /** Undefined where nothing was set aside at the place. */
  loadDeadLetter(place: DeadLetterId): Promise<DeadLetterRecord | undefined>;
  /** Up to `max` users who are rejected as their rows stand; one that was written before this was kept is listed with its next write. */
  listRejected(max: number): Promise<RejectedUser[]>;
}

/** See rejection.ts. */
export interface RejectedUser extends Rejection {
  readonly workspaceId: string;
  readonly id: UserId;
  readonly externalId: string | null;
  /** The first `rejectedAliasesMax`. */
  readonly aliases: readonly Alias[];
}

export interface StoredUser {
  readonly profile: Profile | undefined;
  /** The text of the profile's row, for a cache; "" where there is no profile, and where a cache has it without its text. */
  readonly row: string;
  readonly blocked: boolean;
  /** Merges whose frozen copies are kept and whose target this user is, newest last. */
  readonly openMerges: readonly string[];
  /** The last record that is in the row, also of a user who is gone; absent: there was never a row. */
  readonly mark?: RecordId | undefined;
}

export interface BlockedEntry {
  readonly workspaceId: string;
  readonly userId: UserId;
  readonly reason: string;
}

export interface ExpiredMerge {
  readonly workspaceId: string;
  readonly mergeId: string;
  readonly undoUntil: number;
}

export interface ExpiredRow {
  readonly workspaceId: string;
  readonly key: IdentityKey;
}

/** A request that set fields of profiles, kept for `originsKeepMs`: for people who look, and nothing depends on it. */
export interface RequestOrigin {
  readonly sequence: number;
  readonly requestId: string;
  /** Public id of the API key, or the page or service that asked. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** What was asked. */
  readonly what: IntakeRecord["body"]["type"];
}

/** A whole intake record that could not be read or resolved: kept, shown, and passed over. */
export interface DeadLetterRecord {
  readonly partition: number;
  readonly sequence: number;
  readonly reason: string;
  readonly body: Uint8Array;
}

export type DeadLetter = Omit<DeadLetterRecord, "body">;
export type DeadLetterId = Pick<DeadLetterRecord, "partition" | "sequence">;

/** Both sides of a merge as they were, and what was sent to the target since, kept for the undo window. */
export interface FrozenMerge {
  readonly source: Profile;
  readonly targetBefore: Profile;
  readonly journal: readonly ProfileRecord[];
  readonly undoUntil: number;
}

/** A user whose records wait: the first one's pure step threw, or it awaits such a user. */
export interface BlockedUser {
  readonly reason: string;
  readonly records: readonly ProfileRecord[];
}

interface Committed {
  /** The row of each written profile as text. */
  readonly rows: ReadonlyMap<Profile, string>;
}

/**
 * The writing side of identities where the resolver's step is in a log and no transaction is around the rows. Nothing
 * here is all or none over several rows: after a failure the caller repeats the whole call, which is harmless.
 */
export interface IdentityWriter {
  /**
   * Writes one net value a key (undefined deletes). `step`: the place of the step in the resolver's order; a value of an
   * older step never takes the place of a newer one's, whichever process writes last.
   */
  save(workspaceId: string, rows: ReadonlyMap<IdentityKey, unknown>, step: number): Promise<void>;
  /** Keeps the origins of a step that ends at `through`. */
  saveOrigins(partition: number, through: number, origins: StepOrigins): Promise<void>;
  /** Keeps intake records that were passed over. */
  setAside(records: readonly DeadLetterRecord[]): Promise<void>;
  /** The record waits no more: it was appended again, or is given up. */
  forgetSetAside(place: DeadLetterId): Promise<void>;
}

/**
 * The writing side of profiles where each user has an applier of its own. The age of everything written is the mark of
 * the record that causes it, so that repeating is harmless, however records are cut into batches, and a state never
 * takes the place of one with a higher mark, whichever applier writes last. Each user's state and held records are all or none.
 */
export interface ProfileWriter {
  /** Durable when it resolves; after a failure any part may be written, and the caller repeats the call or loads again. */
  save(changes: UserChanges): Promise<Committed>;
  /** Erases frozen copies, journals and handoffs for ever: before `save` for a delete, after it where a merge is taken back. */
  forgetMerges(workspaceId: string, mergeIds: readonly string[]): Promise<void>;
  /** The source of a merge as it left its own lane. */
  loadHandoffs(workspaceId: string, mergeIds: readonly string[]): Promise<Map<string, Handoff>>;
  /** Erases handoffs for ever: once the target that took them in is saved, and whenever one is announced again. */
  forgetHandoffs(workspaceId: string, mergeIds: readonly string[]): Promise<void>;
}

/** All that an applier reads and writes of users. */
export type UserTables = Pick<ProfileStore, "loadUsers" | "loadBlocked" | "loadFrozen"> & ProfileWriter;

/** What records did to users of one workspace. */
export interface UserChanges {
  readonly workspaceId: string;
  readonly users: ReadonlyMap<UserId, UserState>;
  readonly handoffs: ReadonlyMap<string, Handoff>;
  readonly frozen: ReadonlyMap<string, FrozenMerge>;
  /** Records to add to the journals of open merges, written after `frozen`. */
  readonly journal: ReadonlyMap<string, readonly ProfileRecord[]>;
  /** null: the user is free again, and its state is in `users`. With a state in `users` the records up to its mark are let go; others stay. */
  readonly blocked: ReadonlyMap<UserId, BlockedState | null>;
}

export interface UserState {
  readonly profile: Profile | null;
  /** The last record that is in the state. */
  readonly mark: RecordId;
  readonly openMerges: readonly string[];
  /** No row was there when the user was loaded (`StoredUser.mark` absent). */
  readonly isNew: boolean;
}

export interface BlockedState extends BlockedUser {
  /** The age of the hold. Where appliers may overtake each other: the last record that waits. */
  readonly since: RecordId;
}

export interface Handoff {
  readonly source: Profile;
  readonly undoUntil: number;
}

/** By workspace. */
export type StepOrigins = readonly (readonly [workspaceId: string, origins: readonly RequestOrigin[]])[];

/** A record for the lanes of the services that own consent, in the resolver's order (heddle.lane.v1). */
export type ConsentRecord =
  & {
    readonly sequence: number;
    readonly part: number;
    readonly at: number;
    readonly requestId: string;
    readonly actor: string;
    /** Of the span that sends it; absent where the request is not recorded. */
    readonly traceparent?: string;
  }
  & (
    /** `side`: see MergeSide, outermost merge first. */
    | {
      readonly type: "membership";
      readonly userId: UserId;
      readonly groupId: string;
      readonly state: MembershipState;
      readonly side?: readonly string[];
    } & Carried
    /** Stands for as many plain memberships that follow each other: the n-th user's has `part` + n. */
    | {
      readonly type: "memberships";
      readonly userIds: readonly UserId[];
      readonly groupId: string;
      readonly state: MembershipState;
    }
    | { readonly type: "emailStatus"; readonly address: string; readonly status: EmailStatus } & Carried
    | { readonly type: "emailMark"; readonly address: string; readonly mark: EmailMark }
    | { readonly type: "phoneMark"; readonly address: string; readonly mark: PhoneMark }
    | { readonly type: "userDeleted"; readonly userId: UserId }
    /** See ConsentBody. */
    | { readonly type: "groups"; readonly change: Uint8Array }
    /** `undoUntil`: Unix milliseconds, 0: never. */
    | {
      readonly type: "userMerged";
      readonly userId: UserId;
      readonly mergeId: string;
      readonly sourceId: UserId;
      readonly undoUntil: number;
    }
    | { readonly type: "mergeUndone"; readonly userId: UserId; readonly mergeId: string; readonly sourceId: UserId }
  );

/**
 * Requested before the user or its address was there: an unsubscribe counts, anything else only where nothing is known. `askedAt`:
 * the place of that request in the log, absent where it is not known; `laterAt`: those of later ones about the same.
 */
interface Carried {
  readonly carried?: true;
  readonly askedAt?: number;
  readonly laterAt?: readonly number[];
}
