/** The port of steps where what is decided and what it does to users is one transaction. */
import type { PublishedEvent } from "../../../platform/events/events.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type {
  ConsentRecord,
  DeadLetterId,
  DeadLetterRecord,
  ExpiredMerge,
  ExpiredRow,
  RequestOrigin,
  UserTables,
} from "../domain/ports.ts";

/** The one writer of everything that a step decides. */
export interface StepStore {
  /** The last sequence of the partition whose effects are written; 0 at the start. */
  checkpoint(partition: number): Promise<number>;
  /** The highest `now` of the partition's steps, Unix milliseconds; 0 at the start. */
  latestNow(partition: number): Promise<number>;
  /** Up to `max` frozen copies whose undo window ended before `now` (Unix milliseconds), in an order that stays, behind `after`. */
  listExpired(now: number, max: number, after?: ExpiredMerge): Promise<ExpiredMerge[]>;
  /** Up to `max` identity rows that end by themselves (RepeatRow, JobRow) and ended at or before `now`. */
  listExpiredRows(now: number, max: number): Promise<ExpiredRow[]>;
  /** Forgets the origins of steps before `now` (Unix milliseconds). */
  forgetOrigins(now: number): Promise<void>;
  /** The record waits no more: it was appended again, or is given up. */
  forgetSetAside(place: DeadLetterId): Promise<void>;
  /** What appliers do to users, over what is written; thrown away where it is not committed. */
  work(): UnitOfWork;
  /** Writes a step whole or not at all, with what was done in a unit of work of this store, durably. Repeating it is harmless. */
  commit(step: Step, done?: { readonly work?: UnitOfWork; readonly events?: readonly PublishedEvent[] }): Promise<void>;
}

/** The effects of a run of intake records, and what waits no more or came to its end beside them. */
export interface Step {
  readonly partition: number;
  /** The last sequence this step covers. */
  readonly through: number;
  /** The resolver's now, Unix milliseconds; absent where nothing was resolved. */
  readonly now?: number;
  readonly workspaces: readonly WorkspaceStep[];
  /** Records of the run that were passed over. */
  readonly deadLetters: readonly DeadLetterRecord[];
}

export interface WorkspaceStep {
  readonly workspaceId: string;
  /** undefined deletes the row. */
  readonly identities: ReadonlyMap<IdentityKey, unknown>;
  readonly consent: readonly ConsentRecord[];
  /** Requests of the step that set fields of profiles; absent: none. */
  readonly origins?: readonly RequestOrigin[];
}

/** What appliers read and write of users where each step is one transaction: reads see what was saved before, which other readers see once it is committed. */
export interface UnitOfWork extends UserTables {
  /** Whether a user is blocked who was not, or the other way round. */
  readonly changesBlocked: boolean;
}
