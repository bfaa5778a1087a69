/** What the messaging-status service needs from outside. */
import type { AddressState, ListName } from "./address-state.ts";

/** The state of addresses, one row an address. */
export interface AddressStore {
  /** The states that are known. The caller owns the objects. */
  load(workspaceId: string, addresses: readonly string[]): Promise<Map<string, AddressState>>;
  /** Addresses of a list, by the time at which they came on it. */
  list(workspaceId: string, list: ListName, filter: ListFilter): Promise<AddressState[]>;
}

export interface ListFilter {
  /** Unix milliseconds: from `from`, before `to`. */
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly offset: number;
  /** Oldest first. */
  readonly ascending: boolean;
  /** Aborts when the caller no longer waits for the answer: what takes several reads ends between two of them with its reason. */
  readonly signal?: AbortSignal;
}

/** How far what was answered is applied. */
export interface ReadBarrier {
  /**
   * Begins to wait, bounded, for what was answered before the call about these addresses, or about all. The result is
   * called once the profile service has caught up, and gives whether all of it is in.
   */
  ask(asked: Asked, addresses: readonly string[] | "all"): () => Promise<boolean>;
}

interface Asked {
  readonly workspaceId: string;
  /** The token of a write that the read has to see; empty: none. */
  readonly readAfter: string;
}
