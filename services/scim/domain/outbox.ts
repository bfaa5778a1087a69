/** Events that were committed and are not published yet. */
import type { UserDeleted } from "./ports.ts";

export interface Outbox {
  /** Those of a company in order, the oldest first. */
  next(limit: number): Promise<readonly Waiting[]>;
  /** They went out. */
  done(published: readonly Waiting[]): Promise<void>;
}

export interface Waiting {
  readonly companyId: string;
  /** In its company. */
  readonly id: string;
  readonly event: UserDeleted;
}
