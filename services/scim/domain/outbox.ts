/** Events that were committed and are not published yet. */
import type { UserDeleted } from "./ports.ts";

export interface Outbox {
  /** The oldest, in order. */
  next(limit: number): Promise<readonly Waiting[]>;
  /** Everything up to `sequence` went out. */
  done(sequence: number): Promise<void>;
}

export interface Waiting {
  readonly sequence: number;
  readonly event: UserDeleted;
}
