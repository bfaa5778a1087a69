/** What preference centers need from outside. */
import type { Clock } from "../../../platform/clock.ts";
import type { IdempotencyHashes } from "../../../platform/same-request.ts";
import type { Center, CenterContent, CenterSummary, CenterVersion, PageSettings } from "./center.ts";

/** Preference centers of workspaces, each found within its own workspace only. */
export interface CenterStore {
  byId(workspaceId: string, id: string): Promise<Center | undefined>;
  byName(workspaceId: string, name: string): Promise<Center | undefined>;
  /** In the order of their creation. */
  summaries(workspaceId: string): Promise<readonly CenterSummary[]>;
  /** The newest first: at most `limit` below `before`. */
  versions(workspaceId: string, id: string, page: VersionPage): Promise<readonly CenterVersion[]>;
  version(workspaceId: string, id: string, version: number): Promise<WrittenVersion | undefined>;
  /** What was answered to the request with this mark; undefined where none is kept or its time is over. */
  remembered(workspaceId: string, requestHash: string, now: number): Promise<IdempotencyEntry | undefined>;
  /**
   * Writes all of a change or nothing, durably. `name_taken`: another of the workspace has the name. `changed`: the center
   * is no longer as `before`. `repeated`: the mark is there already. Refuses STORE_UNAVAILABLE, OUTCOME_UNKNOWN; after the
   * latter the same change may be tried again.
   */
  commit(change: CenterChange): Promise<"committed" | "name_taken" | "changed" | "repeated">;
  settings(workspaceId: string): Promise<PageSettings>;
  putSettings(workspaceId: string, settings: PageSettings): Promise<void>;
}

interface VersionPage {
  readonly before: number;
  readonly limit: number;
}

export interface WrittenVersion {
  readonly written: CenterVersion;
  readonly content: CenterContent;
}

export interface CenterChange {
  readonly workspaceId: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Absent: nothing but the mark is to be kept. */
  readonly write?: {
    /** Absent: a new one. */
    readonly before?: Center;
    readonly after: Center;
    readonly written: CenterVersion;
  };
  readonly remember?: IdempotencyEntry;
}

/** The answer to a request with an Idempotency-Key. */
export interface IdempotencyEntry extends IdempotencyHashes {
  readonly answer: CenterAnswer;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface CenterAnswer extends CenterSummary {
  /** What of the HTML will not work, load or run on the hosted page. */
  readonly warnings: readonly string[];
}

/** Whether stored HTML may be a hosted page. */
interface PageChecker {
  /** Refuses INPUT_INVALID with line and reason for what would do harm or cannot be filled in; gives what is worth a warning. `pages` may be empty, as built-in ones. */
  check(content: CenterContent, settings: PageSettings): Promise<readonly string[]>;
}

export interface CenterDeps {
  readonly centers: CenterStore;
  readonly checker: PageChecker;
  readonly clock: Clock;
  /** A UUID never given before. */
  readonly newCenterId: () => string;
}

/** Who asks. */
export interface Caller {
  readonly workspaceId: string;
  readonly requestId: string;
  readonly actor: string;
  /** Absent: no Idempotency-Key was sent. */
  readonly idempotency?: IdempotencyHashes;
}
