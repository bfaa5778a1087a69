/** What the messaging-status service needs from outside. */
import type { AddressState } from "./address-state.ts";

/** The state of addresses, one row an address. */
export interface AddressStore {
  /** The states that are known. The caller owns the objects. */
  load(workspaceId: string, addresses: readonly string[]): Promise<Map<string, AddressState>>;
  /** Addresses of a list, by the time at which they came on it. */
  list(workspaceId: string, list: ListName, filter: ListFilter): Promise<AddressState[]>;
}

export type ListName = "unsubscribed" | "rejected" | "invalid";

export interface ListFilter {
  /** Unix milliseconds: from `from`, before `to`. */
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly offset: number;
  /** Oldest first. */
  readonly ascending: boolean;
}

/** How far the lane is applied. */
export interface Caught {
  /** True as soon as what the lane held at the call is applied; false after `ms` without it. */
  drained(ms: number): Promise<boolean>;
}
