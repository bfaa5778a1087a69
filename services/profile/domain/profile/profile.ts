/** A user's profile: the value that appliers keep, one row a user. */
import type { RecordId } from "../../../../platform/age.ts";
import type { Sources } from "./sources.ts";
import type { CustomValue, FieldValue, StandardField } from "../record/track-object.ts";
import type { Alias, UserId } from "../record/user-key.ts";

/**
 * Everything the profile service answers about a user, and the mark of the last record applied to it. Client-chosen
 * names are keys of Maps, never of plain objects, so that no name can mean anything to the language.
 * A profile is a function of its records up to the mark, however they were cut into batches.
 */
export interface Profile {
  readonly id: UserId;
  /** Records at or below this place are already in. */
  mark: RecordId;
  /** Unix milliseconds (see ProfileRecord.now, of the first and of the latest record). */
  createdAt: number;
  updatedAt: number;
  externalId: string | null;
  aliases: readonly Alias[];
  email: string | null;
  phone: string | null;
  /** These maps and those below are written through `ownEntries` alone: an empty one is shared by all profiles. */
  fields: ReadonlyMap<StandardField, FieldValue>;
  custom: ReadonlyMap<string, CustomValue>;
  events: ReadonlyMap<string, Summary>;
  purchases: ReadonlyMap<string, Summary>;
  /** Cents by currency, exact. */
  revenue: ReadonlyMap<string, bigint>;
  /** Purchases counted by quantity, all products. */
  purchaseCount: number;
  apps: ReadonlyMap<string, AppSummary>;
  devices: ReadonlyMap<string, DeviceSummary>;
  /** By `campaign:<id>` or `canvas:<id>`. */
  engagements: ReadonlyMap<string, EngagementSummary>;
  /** Which record set each field. */
  sources: Sources;
  /** Users who were merged into this one and not taken back: the last `mergeNotesMax`, the oldest first. */
  merges: readonly MergeNote[];
  /** Merges with this user that were taken back: the last `mergeNotesMax`, the oldest first; absent: none was. */
  undone?: readonly UndoneNote[];
  /** Objects for which there was no room; absent: there was always. */
  dropped?: Dropped;
  /** Why `/users/track` takes no more of the user; absent: it does. */
  rejected?: Rejection;
  /** What there was of each when an operator admitted the user; absent: none did. */
  admitted?: Counts;
}

/** What is counted of a user, to detect one with more than one person can have. */
export type Counts = Readonly<Record<"event_names" | "product_ids" | "sessions", number>>;

export interface Rejection {
  /** The first that the user has too much of. */
  readonly counted: keyof Counts;
  readonly count: number;
  /** What the user may have. */
  readonly max: number;
}

export interface Dropped {
  /** How many objects, and entries of users who were merged into this one. */
  readonly count: number;
  /** Of the request with the latest of them. */
  readonly sequence: number;
}

/** That another user was taken in. */
export interface MergeNote {
  readonly mergeId: string;
  readonly sourceId: UserId;
  /** Of the request that asked for it. */
  readonly sequence: number;
  /** The resolver's now, Unix milliseconds. */
  readonly at: number;
}

/** That a merge was taken back. */
export interface UndoneNote {
  readonly mergeId: string;
  /** The other side. */
  readonly otherId: UserId;
  /** Whether this side had been taken in. */
  readonly wasSource: boolean;
  /** Of the request that asked for the undo. */
  readonly sequence: number;
  /** The resolver's now, Unix milliseconds. */
  readonly at: number;
}

/** All-time summary of one event name or product. */
export interface Summary {
  /** Unix milliseconds. */
  first: number;
  last: number;
  count: number;
  /** Count by day (days since 1970 UTC), for the last `dayCountsKept` days before the newest record: "X times in Y days". */
  days: Map<number, number>;
}

export interface AppSummary {
  sessions: number;
  firstSession: number;
  lastSession: number;
}

export interface DeviceSummary {
  model: string;
  os: string;
  lastSeen: number;
}

export interface EngagementSummary {
  name: string;
  /** Unix milliseconds of the latest of each interaction, by its name (received, opened, clicked ...). */
  latest: Map<string, number>;
}
