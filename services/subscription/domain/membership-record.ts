/** What the resolver sends to a user's applier: one change of memberships, in order. */
import type { RecordId } from "../../../platform/age.ts";
import type { MembershipState, UserId } from "./memberships.ts";

export interface MembershipRecord {
  readonly userId: UserId;
  readonly mark: RecordId;
  /** When it was resolved, or received by a clock that is ahead of that. Unix milliseconds. */
  readonly at: number;
  readonly requestId: string;
  readonly actor: string;
  /** Of the span that sent it; absent where the request is not recorded. */
  readonly traceparent?: string;
  readonly change: MembershipChange;
}

export type MembershipChange =
  /**
   * `carried`: said before the user was there: an unsubscribe counts, a subscribe only where nothing is known.
   * `side`: the open merges whose source was addressed, outermost first; empty: the user itself. `askedAt`: the place of the
   * request in the log, where it is an earlier one than the record's. `laterAt`: those of later requests about the same; it counts
   * where the group took none of them.
   */
  | {
    readonly type: "set";
    readonly groupId: string;
    readonly state: MembershipState;
    readonly carried: boolean;
    readonly side: readonly string[];
    readonly askedAt?: number;
    readonly laterAt?: readonly number[];
  }
  | { readonly type: "merged"; readonly mergeId: string; readonly sourceId: UserId; readonly undoUntil: number }
  | { readonly type: "undone"; readonly mergeId: string; readonly sourceId: UserId }
  | { readonly type: "deleted" };

/** One change of one state, for the consent ledger. */
export interface ConsentChange {
  readonly userId: UserId;
  readonly groupId: string;
  readonly kind: "set" | "carried" | "merged" | "undone";
  readonly before: MembershipState | null;
  readonly after: MembershipState | null;
}
