/** What the domain needs from outside: the store of users, and ids. */
import type { Clock } from "../../../platform/clock.ts";
import type { IdempotencyHashes } from "../../../platform/same-request.ts";
import type { User } from "./user.ts";

/** Users of companies, each found within its own company only. */
export interface Users {
  byId(companyId: string, id: string): Promise<User | undefined>;
  byUserName(companyId: string, userNameKey: string): Promise<User | undefined>;
  byExternalId(companyId: string, externalId: string): Promise<readonly User[]>;
  /** At most `limit` users in the order of userNameKey (by UTF-8 bytes), after a key, from an index and never by a scan. */
  page(companyId: string, from: PageStart): Promise<readonly User[]>;
  /** The key `count` places after `after`; undefined where there are fewer. Reads keys only. */
  skip(
    companyId: string,
    from: { readonly after?: string; readonly descending: boolean; readonly count: number },
  ): Promise<string | undefined>;
  census(companyId: string): Promise<Census>;
  /** What was answered to the request with this mark; undefined where none is kept or its time is over. */
  remembered(companyId: string, requestHash: string, now: number): Promise<IdempotencyEntry | undefined>;
  /**
   * Writes all of a change or nothing, durably. `name_taken`: another user of the company has the userName. `changed`: the
   * user is no longer as `before`. `repeated`: the mark is there already. Refuses STORE_UNAVAILABLE, OUTCOME_UNKNOWN.
   */
  commit(change: UserChange): Promise<"committed" | "name_taken" | "changed" | "repeated">;
}

interface PageStart {
  /** Absent: from the beginning. */
  readonly after?: string;
  readonly descending: boolean;
  readonly limit: number;
}

export interface Census {
  readonly users: number;
  /** Grows with every change of a user of the company. */
  readonly changes: number;
}

export interface UserChange {
  readonly companyId: string;
  /** Absent: a new user. */
  readonly before?: User;
  /** Absent: the user goes. */
  readonly after?: User;
  readonly event?: UserDeleted;
  readonly log?: LogEntry;
  readonly remember?: IdempotencyEntry;
}

/** scim.user.deleted.v1 */
export interface UserDeleted {
  readonly eventId: string;
  readonly companyId: string;
  readonly userId: string;
  readonly userName: string;
  readonly deletedAt: number;
}

/** Events that were committed and are not published yet. */
export interface Outbox {
  /** Companies that may have some. */
  companies(): Promise<readonly string[]>;
  /** Those of a company in order, the oldest first; `above`: behind the one of this id. */
  next(companyId: string, page: { readonly limit: number; readonly above?: string }): Promise<readonly Waiting[]>;
  /** They went out. */
  done(published: readonly Waiting[]): Promise<void>;
}

export interface Waiting {
  readonly companyId: string;
  /** In its company. */
  readonly id: string;
  readonly event: UserDeleted;
}

/** The answer to a request with an Idempotency-Key. */
export interface IdempotencyEntry extends IdempotencyHashes {
  readonly answer: Answer;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface Answer {
  readonly userJson: string;
  readonly id: string;
  readonly etag: string;
}

/** One request, as administrators read it. Holds no secret and no body. */
export interface LogEntry {
  readonly companyId: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly requestId: string;
  readonly tokenId: string;
  readonly origin: string;
  readonly method: string;
  readonly target: string;
  /** What came of it: created, replaced, patched, deleted, or "" with a status. */
  readonly outcome: string;
  readonly status?: number;
  readonly reason?: string;
  readonly detail?: string;
  readonly userId?: string;
  readonly userName?: string;
  readonly changes?: readonly AttributeChange[];
  /** Attributes that were sent and are not kept. */
  readonly ignored?: readonly string[];
}

/** Requests that changed nothing are appended here; those of changes come with their UserChange. Bounded in age and number. */
export interface RequestLog {
  /** Durably; those of one company and day all or none. */
  append(entries: readonly LogEntry[]): Promise<void>;
  /** At most `limit` of a company's, the newest first; `about` is the id or userName of one user, in any form that is the same name. */
  newest(asked: LogQuestion): Promise<readonly LogEntry[]>;
}

export interface LogQuestion {
  readonly companyId: string;
  readonly limit: number;
  readonly about?: string;
}

export interface AttributeChange {
  readonly attribute: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** What the use cases work with. */
export interface ScimDeps {
  readonly users: Users;
  readonly clock: Clock;
  /** 32 hex digits. */
  readonly newUserId: () => string;
  readonly newEventId: () => string;
  /** Lets other requests have a turn during a long look through the users. */
  readonly pause: () => Promise<void>;
  /** A change left something of the company to publish. */
  readonly published: (companyId: string) => void;
}

/** Who asks, and as what. */
export interface Caller {
  readonly companyId: string;
  readonly requestId: string;
  readonly tokenId: string;
  readonly origin: string;
  readonly method: string;
  readonly target: string;
  readonly baseUrl: string;
  /** Absent: no Idempotency-Key was sent. */
  readonly idempotency?: IdempotencyHashes;
}
