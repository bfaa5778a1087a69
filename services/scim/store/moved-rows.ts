/** What a backup takes from one store of dashboard users and gives to another: users, and all that is kept with them. */
import type { Census, LogEntry, Remembered, UserDeleted } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";

/** Some rows of one company; over all pieces each comes once. */
export interface ScimRows {
  readonly companyId: string;
  readonly users?: readonly User[];
  /** All that wait to be published, the oldest first. */
  readonly events?: readonly UserDeleted[];
  /** Requests, the oldest first; `first` is the place of the first one among all that are kept, from 1. */
  readonly log?: { readonly first: number; readonly entries: readonly LogEntry[] };
  readonly remembered?: readonly Remembered[];
  /** Comes last. */
  readonly census?: Census;
}

/** A store of dashboard users, as a backup sees it. Nobody else writes to these companies meanwhile. */
export interface ScimMove {
  /** All rows of these companies that have not ended by themselves. */
  read(companyIds: ReadonlySet<string>): AsyncIterable<ScimRows>;
  /** Doing it again is harmless. */
  write(rows: ScimRows): Promise<void>;
}
