/** A record of the lane: heddle.lane.v1.SubscriptionRecord -> what is said of each user. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { keyOf, keysOf, type Taken, type Whose } from "../../../platform/lane/hold-back.ts";
import type { Concern } from "../../../platform/lane/lane-window.ts";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import { limits } from "../../../platform/limits.ts";
import {
  type ChangeGroups,
  type Redrive as RedriveMessage,
  type SubscriptionRecord,
  SubscriptionRecordSchema,
  SubscriptionState,
} from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { GroupChange } from "../domain/group-order.ts";
import type { MembershipChange, MembershipRecord } from "../domain/membership-record.ts";
import type { Mark, MembershipState } from "../domain/memberships.ts";
import { groupChangeFromMessage } from "./group-message.ts";

/** What a row of the lane says, of one user each: its place is that of the row. */
export function takenFromRow(row: LaneRecord): Taken<MembershipRecord>[] {
  const message = parsed(row.body);
  if (message instanceof Error) return [unreadable(row, keysOf(row.key), message)];
  return takenFrom(message, row);
}

/** What a record of a lane of the log says: records, or what an operator asks for, of the workspace that it names. */
export interface LaneSaid {
  /** Empty where the record does not say it. */
  readonly workspaceId: string;
  readonly said: readonly Taken<MembershipRecord>[] | Redrive | SaidOfGroups;
}

/** What is asked of the groups of the workspace. */
export interface SaidOfGroups {
  readonly mark: Mark;
  readonly change: GroupChange;
}

/** Under this name an applier is asked for declarations, as for a user: ids of users are made of hex digits. */
export const groupsName = "groups";

export type Redrive = Pick<RedriveMessage, "keys" | "skipped">;

/** `place`: of the record in the lane, for what does not say its own. */
export function readLaneBody(body: Uint8Array, [sequence, part]: Mark): LaneSaid {
  const place = { workspaceId: "", sequence, part, key: "", body };
  const message = parsed(body);
  if (message instanceof Error) return { workspaceId: "", said: [unreadable(place, [], message)] };
  const { workspaceId, cause, change } = message;
  if (workspaceId !== "" && change.case === "redrive") return { workspaceId, said: change.value };
  if (workspaceId !== "" && cause !== undefined && change.case === "changeGroups") {
    const said = groupChangeOrError(change.value);
    const row = { workspaceId, sequence: Number(cause.sequence), part: cause.part, key: "", body };
    return { workspaceId, said: said instanceof Error ? [unreadable(row, [], said)] : { mark: [row.sequence, row.part], change: said } };
  }
  if (workspaceId === "" || cause === undefined) {
    const reason = new Error("Expected a subscription record with a workspace and a cause, got none");
    return { workspaceId: "", said: [unreadable(place, [], reason)] };
  }
  return { workspaceId, said: takenFrom(message, { workspaceId, sequence: Number(cause.sequence), part: cause.part, key: "", body }) };
}

/** Whom a record of a lane of the log changes; undefined where it does not say, and of what an operator asks for. */
export function concernOf(body: Uint8Array): Concern | undefined {
  const { workspaceId, said } = readLaneBody(body, [0, 0]);
  // Whatever is said behind it is judged by it, and nothing that was said before
  if ("mark" in said) return { workspaceId, names: [groupsName], isOfMany: false, goesFirst: true };
  if (workspaceId === "" || !Array.isArray(said)) return undefined;
  const taken = said as readonly Taken<MembershipRecord>[];
  const names = taken.flatMap(({ keys }) => keys);
  return names.length === 0 ? undefined : { workspaceId, names, isOfMany: taken.some(({ fannedOut }) => fannedOut) };
}

/** What asks the applier to try once more what was set aside of a workspace. */
export function redriveBody(workspaceId: string, { skipped }: { readonly skipped: readonly LaneRecord[] }): Uint8Array {
  const change = { case: "redrive" as const, value: { skipped: skipped.map(placeOf) } };
  return toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, { workspaceId, change }));
}

/** Whose change the record is, where anybody can read that. */
export function whoseBody(body: Uint8Array): Whose | undefined {
  const { workspaceId, said } = readLaneBody(body, [0, 0]);
  const [key] = Array.isArray(said) ? (said as readonly Taken<MembershipRecord>[])[0]?.keys ?? [] : [];
  return workspaceId === "" || key === undefined ? undefined : { workspaceId, key };
}

function placeOf({ sequence, part, key }: LaneRecord) {
  return { sequence: BigInt(sequence), part, key };
}

function parsed(body: Uint8Array): SubscriptionRecord | Error {
  try {
    return fromBinary(SubscriptionRecordSchema, body);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function unreadable(row: LaneRecord, keys: readonly string[], { message: reason }: Error): Taken<MembershipRecord> {
  return { mark: [row.sequence, row.part], keys, said: undefined, reason, kept: () => ({ ...row, key: keyOf(keys) }) };
}

function takenFrom(message: SubscriptionRecord, row: LaneRecord): Taken<MembershipRecord>[] {
  const said = saidIn(message);
  const change = changeOrError(message);
  if (message.change.case === "setMemberships") {
    const { userIds, usersInAll } = message.change.value;
    const fannedOut = usersInAll >= limits.fanOutUsersMin;
    return userIds.map((userId, at) => {
      const own = { ...row, part: row.part + at, key: userId };
      return takenOf({ userId, mark: [own.sequence, own.part], ...said }, change, {
        keys: [userId],
        kept: () => ({ ...own, users: 1, body: bodyOfOne(message, userId, at) }),
        fannedOut,
      });
    });
  }
  const { userId } = message;
  const keys = usersIn(message);
  return [takenOf({ userId, mark: [row.sequence, row.part], ...said }, change, { keys, kept: () => ({ ...row, key: keyOf(keys) }) })];
}

function takenOf(
  record: Omit<MembershipRecord, "change">,
  change: MembershipChange | Error,
  own: Pick<Taken<MembershipRecord>, "keys" | "kept" | "fannedOut">,
): Taken<MembershipRecord> {
  const { mark } = record;
  if (change instanceof Error) return { ...own, mark, said: undefined, reason: change.message };
  return { ...own, mark, said: { ...record, change }, reason: "" };
}

/** One of several users' part, as a record of its own. */
function bodyOfOne({ workspaceId, cause, change }: SubscriptionRecord, userId: string, at: number): Uint8Array {
  const { subscriptionGroupId = "", state = SubscriptionState.UNSPECIFIED } = change.case === "setMemberships" ? change.value : {};
  return toBinary(
    SubscriptionRecordSchema,
    create(SubscriptionRecordSchema, {
      workspaceId,
      userId,
      ...(cause && { cause: { ...cause, part: cause.part + at } }),
      change: { case: "setMembership", value: { subscriptionGroupId, state } },
    }),
  );
}

function usersIn({ userId, change }: SubscriptionRecord): string[] {
  const source = change.case === "userMerged" || change.case === "mergeUndone" ? [change.value.sourceUserId] : [];
  return [userId, ...source].filter((user) => user !== "");
}

function groupChangeOrError(message: ChangeGroups): GroupChange | Error {
  try {
    return groupChangeFromMessage(message);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function changeOrError({ userId, change }: SubscriptionRecord): MembershipChange | Error {
  try {
    if (userId === "") throw new Error("Expected a subscription record with a user, got none");
    return changeFromMessage(change);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function saidIn(message: SubscriptionRecord): Pick<MembershipRecord, "at" | "requestId" | "actor" | "traceparent"> {
  return {
    at: Number(message.cause?.at ?? 0n),
    requestId: message.cause?.requestId ?? "",
    actor: message.cause?.actor ?? "",
    ...(message.cause?.traceparent && { traceparent: message.cause.traceparent }),
  };
}

function changeFromMessage(change: SubscriptionRecord["change"]): MembershipChange {
  switch (change.case) {
    case "setMembership": {
      const { subscriptionGroupId, state, carried, side, askedSequence } = change.value;
      const set = { groupId: subscriptionGroupId, state: stateFromMessage(state), carried, side };
      return { type: "set", ...set, ...(askedSequence > 0n && { askedAt: Number(askedSequence) }) };
    }
    case "setMemberships": {
      const { subscriptionGroupId, state } = change.value;
      return { type: "set", groupId: subscriptionGroupId, state: stateFromMessage(state), carried: false, side: [] };
    }
    case "userMerged": {
      const { mergeId, sourceUserId, undoUntil } = change.value;
      return { type: "merged", mergeId, sourceId: sourceUserId, undoUntil: Number(undoUntil) };
    }
    case "mergeUndone":
      return { type: "undone", mergeId: change.value.mergeId, sourceId: change.value.sourceUserId };
    case "userDeleted":
      return { type: "deleted" };
    case "redrive":
    case "changeGroups":
    case undefined:
      throw new Error("Expected a subscription record with a change, got none");
  }
}

/** Consent is never guessed: a state that is neither is no record. */
function stateFromMessage(state: SubscriptionState): MembershipState {
  if (state === SubscriptionState.SUBSCRIBED) return "subscribed";
  if (state === SubscriptionState.UNSUBSCRIBED) return "unsubscribed";
  throw new Error(`Expected subscribed or unsubscribed, got the number ${state}`);
}
