/** What the resolver sends to a user's applier: one change of one profile, in order. */
import type { GoneNames } from "../identity/event-names.ts";
import type { Device, Engagement } from "../record/intake-record.ts";
import type { RecordId } from "../../../../platform/age.ts";
import type { CustomChange, FieldValue, JsonObject, StandardField } from "../record/track-object.ts";
import type { Alias, UserId } from "../record/user-key.ts";

export interface ProfileRecord {
  readonly userId: UserId;
  /** Rises over the records of a user. */
  readonly mark: RecordId;
  /** When it was resolved, or received by a clock that is ahead of that. Unix milliseconds. */
  readonly now: number;
  readonly change: ProfileChange;
  /** With an open merge: the side the client addressed; absent: the target. */
  readonly side?: MergeSide;
  /** Of the user, behind the change: for events, which can be made of records alone. Absent: it has none, or an earlier build wrote the record. */
  readonly externalId?: string;
}

/**
 * The source of the merge was addressed. `inner`: where that source is itself the target of open merges, the sides
 * within it, outermost first: a merge taken back passes the record on to its source with `inner` as the side.
 */
export interface MergeSide {
  readonly mergeId: string;
  readonly inner?: readonly string[];
}

export type ProfileChange =
  /** The user begins to exist. */
  | { readonly type: "create" }
  /** Names as they are from here on; absent: unchanged. */
  | {
    readonly type: "identity";
    readonly externalId?: string | null;
    readonly aliases?: readonly Alias[];
    readonly email?: string | null;
    readonly phone?: string | null;
  }
  | {
    readonly type: "attributes";
    readonly fields?: readonly (readonly [StandardField, FieldValue | null])[];
    readonly custom?: readonly (readonly [string, CustomChange])[];
  }
  | { readonly type: "event"; readonly name: string; readonly time: number; readonly appId?: string; readonly properties?: JsonObject }
  | {
    readonly type: "purchase";
    readonly productId: string;
    readonly currency: string;
    readonly revenueCents: number;
    readonly quantity: number;
    readonly time: number;
    readonly appId?: string;
    readonly properties?: JsonObject;
  }
  | { readonly type: "session"; readonly appId: string; readonly startedAt: number; readonly device?: Device }
  | ({ readonly type: "engagement" } & Engagement)
  /** An operator lets the user have more than others: see rejection.ts. */
  | { readonly type: "admit" }
  /** This user is the source of a merge: freeze after everything before, and announce to the target. */
  | { readonly type: "handoff"; readonly mergeId: string; readonly targetId: UserId; readonly undoUntil: number }
  /** This user is the target: hold back what follows until the source is frozen, then take it in. */
  | {
    readonly type: "await";
    readonly mergeId: string;
    readonly sourceId: UserId;
    readonly undoUntil: number;
    /** Names that the source had and the target has not; absent where an earlier build wrote the record. */
    readonly gone?: GoneNames;
  }
  /** Take the merge back on the target's side, and bring the source back. */
  | { readonly type: "undo"; readonly mergeId: string; readonly sourceId: UserId; readonly sourceExternalId?: string }
  /** Forget everything but the mark. `gone`: the user's names, absent where an earlier build wrote the record. */
  | { readonly type: "delete"; readonly gone?: GoneNames }
  /** Only in lanes: this user was the source of a merge that is taken back; wait until the target got past its `undo`. */
  | { readonly type: "restore"; readonly mergeId: string; readonly targetId: UserId }
  /** Only in lanes: the merge into this user can no longer be taken back. */
  | { readonly type: "forget"; readonly mergeId: string };
