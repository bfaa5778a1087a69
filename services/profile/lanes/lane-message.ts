/** What leaves for the services that own consent: ConsentRecord of the domain -> heddle.lane.v1 and its lane. */
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { limits } from "../../../platform/limits.ts";
import { writtenVersion as version } from "../../../platform/record-version.ts";
import * as lane from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { ConsentRecord } from "../domain/ports.ts";
import type { UserId } from "../domain/record/user-key.ts";
import { emailMarkNumbers, membershipNumbers, phoneMarkNumbers, statusNumbers } from "../intake/consent-message.ts";

/** A record as a store keeps it: which service receives it, the user or address that chooses the lane, and the bytes. */
export interface LaneRow {
  readonly service: "subscription" | "messaging-status";
  readonly key: string;
  readonly sequence: number;
  readonly part: number;
  /** How many users it sets the same for. Absent: one. */
  readonly users?: number;
  readonly body: Uint8Array;
}

/**
 * The records in their order. A run of users with the same change is one row, of `usersMax` users at most, however they
 * were gathered: one decision may concern all users who share an address. Made one by one, as there may be hundreds.
 */
export function* laneRows(
  workspaceId: string,
  records: readonly ConsentRecord[],
  usersMax: number = limits.laneUsersPerRecordMax,
): Generator<LaneRow, void> {
  const counts = countsOf(records);
  for (const run of runsOf(records)) {
    if ("record" in run) yield laneRow(workspaceId, run.record);
    else yield* rowsOfRun(workspaceId, run, { usersMax, usersInAll: counts.get(saidIn(run.first)) ?? 0 });
  }
}

/** For how many users each request makes the same change, whatever stands between them. */
function countsOf(records: readonly ConsentRecord[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const record of records) {
    if (!isPlain(record)) continue;
    const said = saidIn(record);
    counts.set(said, (counts.get(said) ?? 0) + usersOf(record).length);
  }
  return counts;
}

function saidIn({ sequence, groupId, state }: PlainRecord): string {
  return `${sequence} ${state} ${groupId}`;
}

/** Users with the same change, the n-th at the part of `first` + n; or a record that stands for itself. */
type Run = PlainRun | { readonly record: OneRecord };

interface PlainRun {
  readonly first: PlainRecord;
  readonly userIds: UserId[];
}

/** A membership of users themselves, requested while they are there. */
type PlainRecord = MembershipRecord | Extract<ConsentRecord, { type: "memberships" }>;

function* runsOf(records: readonly ConsentRecord[]): Generator<Run, void> {
  let run: PlainRun | undefined;
  for (const record of records) {
    if (run !== undefined && isPlain(record) && saysSame(run.first, record, run.userIds.length)) {
      for (const id of usersOf(record)) run.userIds.push(id);
      continue;
    }
    if (run !== undefined) yield run;
    run = undefined;
    if (isPlain(record)) run = { first: record, userIds: usersOf(record).slice() };
    else yield { record };
  }
  if (run !== undefined) yield run;
}

function isPlain(record: ConsentRecord): record is PlainRecord {
  return record.type === "memberships" || (record.type === "membership" && !record.carried && (record.side ?? []).length === 0);
}

function usersOf(record: PlainRecord): readonly UserId[] {
  return record.type === "memberships" ? record.userIds : [record.userId];
}

function saysSame(first: PlainRecord, next: PlainRecord, distance: number): boolean {
  return next.groupId === first.groupId && next.state === first.state && next.part === first.part + distance &&
    next.sequence === first.sequence && next.at === first.at && next.requestId === first.requestId && next.actor === first.actor &&
    next.traceparent === first.traceparent;
}

function* rowsOfRun(
  workspaceId: string,
  { first, userIds }: PlainRun,
  { usersMax, usersInAll }: { readonly usersMax: number; readonly usersInAll: number },
): Generator<LaneRow, void> {
  let said: Said | undefined;
  for (let at = 0; at < userIds.length; at += usersMax) {
    const some = userIds.slice(at, at + usersMax);
    const [userId = ""] = some;
    const { sequence } = first;
    const part = first.part + at;
    if (some.length === 1) {
      yield laneRow(workspaceId, { ...first, type: "membership", userId, part });
    } else {
      said ??= saidOf(workspaceId, first, usersInAll);
      yield { service: "subscription", key: userId, sequence, part, users: some.length, body: bodyOfMany(said, part, some) };
    }
  }
}

/** What is the same in all rows of a run, encoded: what comes before the user, before and behind the part, the version, and before and behind the users. */
interface Said {
  readonly workspace: Uint8Array;
  readonly place: Uint8Array;
  readonly cause: Uint8Array;
  readonly version: Uint8Array;
  readonly change: Uint8Array;
  readonly usersInAll: Uint8Array;
}

function saidOf(workspaceId: string, first: PlainRecord, usersInAll: number): Said {
  const { sequence, ...cause } = causeOf(first);
  const value = { subscriptionGroupId: first.groupId, state: membershipNumbers[first.state] };
  return {
    workspace: toBinary(lane.SubscriptionRecordSchema, create(lane.SubscriptionRecordSchema, { workspaceId })),
    place: toBinary(lane.CauseSchema, create(lane.CauseSchema, { sequence })),
    cause: toBinary(lane.CauseSchema, create(lane.CauseSchema, { ...cause, part: 0 })),
    version: toBinary(lane.SubscriptionRecordSchema, create(lane.SubscriptionRecordSchema, { version })),
    change: toBinary(lane.SetMembershipsSchema, create(lane.SetMembershipsSchema, value)),
    usersInAll: toBinary(lane.SetMembershipsSchema, create(lane.SetMembershipsSchema, { usersInAll })),
  };
}

/** As `toBinary` would write it: all fields of a message in the order of their numbers, a part of 0 not at all. */
function bodyOfMany(said: Said, part: number, userIds: readonly UserId[]): Uint8Array {
  const { userId, cause, setMemberships } = lane.SubscriptionRecordSchema.field;
  const { userIds: users } = lane.SetMembershipsSchema.field;
  const writer = new BinaryWriter().raw(said.workspace).tag(userId.number, WireType.LengthDelimited).string(userIds[0] ?? "");
  writer.tag(cause.number, WireType.LengthDelimited).fork().raw(said.place);
  if (part > 0) writer.tag(lane.CauseSchema.field.part.number, WireType.Varint).uint32(part);
  writer.raw(said.cause).join().raw(said.version);
  writer.tag(setMemberships.number, WireType.LengthDelimited).fork().raw(said.change);
  for (const id of userIds) writer.tag(users.number, WireType.LengthDelimited).string(id);
  return writer.raw(said.usersInAll).join().finish();
}

/** The state of an address goes to messaging-status by address, everything else to subscription by user. */
export function laneRow(workspaceId: string, record: OneRecord): LaneRow {
  const { sequence, part } = record;
  const cause = causeOf(record);
  if ("address" in record) {
    const { address } = record;
    const message = create(lane.StatusRecordSchema, { version, workspaceId, address, cause, change: statusChange(record) });
    return { service: "messaging-status", key: address, sequence, part, body: toBinary(lane.StatusRecordSchema, message) };
  }
  if (record.type === "groups") {
    const change = { case: "changeGroups" as const, value: fromBinary(lane.ChangeGroupsSchema, record.change) };
    const message = create(lane.SubscriptionRecordSchema, { version, workspaceId, cause, change });
    return { service: "subscription", key: "", sequence, part, body: toBinary(lane.SubscriptionRecordSchema, message) };
  }
  const { userId } = record;
  const message = create(lane.SubscriptionRecordSchema, { version, workspaceId, userId, cause, change: subscriptionChange(record) });
  return { service: "subscription", key: userId, sequence, part, body: toBinary(lane.SubscriptionRecordSchema, message) };
}

function statusChange(record: StatusRecord): StatusChange {
  switch (record.type) {
    case "emailStatus":
      return { case: "setEmailStatus", value: { status: statusNumbers[record.status], carried: record.carried ?? false } };
    case "emailMark":
      return { case: "markEmail", value: { mark: emailMarkNumbers[record.mark] } };
    case "phoneMark":
      return { case: "markPhone", value: { mark: phoneMarkNumbers[record.mark] } };
  }
}

function subscriptionChange(record: SubscriptionRecord): SubscriptionChange {
  switch (record.type) {
    case "membership": {
      const { groupId, state, carried = false, side = [], askedAt = 0, laterAt = [] } = record;
      const value = { subscriptionGroupId: groupId, state: membershipNumbers[state], carried, side: [...side] };
      return { case: "setMembership", value: { ...value, askedSequence: BigInt(askedAt), laterSequences: laterAt.map(BigInt) } };
    }
    case "userDeleted":
      return { case: "userDeleted", value: {} };
    case "userMerged": {
      const { mergeId, sourceId, undoUntil } = record;
      return { case: "userMerged", value: { mergeId, sourceUserId: sourceId, undoUntil: BigInt(undoUntil) } };
    }
    case "mergeUndone":
      return { case: "mergeUndone", value: { mergeId: record.mergeId, sourceUserId: record.sourceId } };
  }
}

function causeOf(record: ConsentRecord) {
  const { sequence, part, at, requestId, actor, traceparent = "" } = record;
  return { sequence: BigInt(sequence), part, at: BigInt(at), requestId, actor, traceparent };
}

/** Of one user or address. */
type OneRecord = Exclude<ConsentRecord, { type: "memberships" }>;
type MembershipRecord = Extract<ConsentRecord, { type: "membership" }>;
type StatusRecord = Extract<ConsentRecord, { address: string }>;
type SubscriptionRecord = Exclude<OneRecord, StatusRecord | { type: "groups" }>;
type StatusChange = NonNullable<MessageInitShape<typeof lane.StatusRecordSchema>["change"]>;
type SubscriptionChange = NonNullable<MessageInitShape<typeof lane.SubscriptionRecordSchema>["change"]>;
