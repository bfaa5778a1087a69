/** What the subscription service needs from outside. */
import type { OrderedGroup } from "./group-order.ts";
import type { UserId, UserMemberships } from "./memberships.ts";

/** Memberships, one row a user, and the groups of each workspace. */
export interface MembershipStore {
  /** The rows of the users that have one. The caller owns the objects. */
  load(workspaceId: string, ids: readonly UserId[]): Promise<Map<UserId, UserMemberships>>;
  /** Changes up to `max` users who have a merge whose window ended before `now`, those who are free; how many were changed. Where one cannot be, throws why when the others are. */
  sweep(over: { readonly now: number; readonly max: number }, sweeping: Sweeping): Promise<number>;
  /** By id, archived ones too. */
  groups(workspaceId: string): Promise<readonly OrderedGroup[]>;
}

export interface Sweeping {
  /** Whether all that was decided about the user is applied, and nothing waits. */
  isFree(workspaceId: string, userId: UserId): Promise<boolean>;
  change(user: UserMemberships): void;
}

/** Users who have a history of consent: each once, at most `max`, in the order of the store; `from`: the `next` of the page before. */
export interface ConsentSubjects {
  subjects(
    workspaceId: string,
    page: { readonly from: string | undefined; readonly max: number },
  ): Promise<{ readonly subjects: readonly UserId[]; readonly next: string | undefined }>;
}

/** Who is meant by the keys of a request, as the profile service says. Waits, bounded, until what was answered before the call is in. */
export type FindUsers = () => Promise<Found>;

interface Found {
  /** One list a key, in the order of the keys. */
  readonly found: readonly (readonly FoundUser[])[];
  readonly behind: boolean;
  /** The end of the workspace's order, asked for after the call, as its token; empty where the profile service does not give it. */
  readonly end: string;
}

export interface FoundUser {
  readonly userId: UserId;
  readonly externalId: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/** How far what was answered is applied. */
export interface ReadBarrier {
  /**
   * The result is called once it is known who is meant, with the end of the workspace's order as `Found` has it. It waits,
   * bounded from the first call on, for everything of these users up to there, and gives whether all of it is in.
   */
  ask(asked: Asked): (end: string, users: readonly UserId[]) => Promise<boolean>;
}

export interface Asked {
  readonly workspaceId: string;
  /** The token of a write that the read has to see; empty: none. */
  readonly readAfter: string;
}

export interface ReadDeps {
  readonly store: MembershipStore;
  readonly barrier: ReadBarrier;
  /** Whether a record of one of these users waits for a human: then what is read is older than what was answered. */
  readonly isBlocked: (workspaceId: string, users: readonly UserId[]) => Promise<boolean>;
}
