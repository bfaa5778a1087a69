/** How the simulations read their entries, what throws in them, and everything that a store and events show afterwards. */
import { create, fromBinary, type MessageInitShape, toJsonString } from "@bufbuild/protobuf";
import { StatusRecordSchema, type SubscriptionRecord, SubscriptionRecordSchema } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { ProfileUserUpdatedSchema } from "../../../proto/gen/heddle/profile/v1/profile_event_pb.ts";
import { type PureSteps, pureSteps } from "../apply/pure-steps.ts";
import { isAfter, type RecordId } from "../../../platform/age.ts";
import {
  addCounts,
  type Count,
  countedKey,
  type CountedTimes,
  type CountRow,
  type Counts,
  minutesKey,
  noCounts,
  totalKey,
  totalOf,
  type UserTotal,
} from "../domain/counts/count-rows.ts";
import { newestKey } from "../domain/identity/row-keys.ts";
import type { Identities } from "../domain/identity/identities.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { IntakeRecord } from "../domain/record/intake-record.ts";
import type { IdentityStore, ProfileStore } from "../domain/ports.ts";
import { type Resolution, resolveBatch } from "../domain/resolve/batch.ts";
import type { ResolveOptions } from "../domain/resolve/effects.ts";
import { profileFromRow, profileToRow } from "../store/rows.ts";

/** Each record has the time at which it was received as its now, so that nothing depends on when it is resolved. */
export function resolveAtReceipt(view: Identities, records: readonly IntakeRecord[], options: ResolveOptions): Resolution {
  const [first] = records;
  if (first === undefined) return { resolved: [] };
  return resolveBatch(view, [first], { ...options, now: first.receivedAt });
}

export function decodeEntry(sequence: number, body: Uint8Array): IntakeRecord {
  return { ...JSON.parse(Buffer.from(body).toString()), sequence } as IntakeRecord;
}

export interface Seen {
  readonly profiles: readonly string[];
  readonly identities: readonly string[];
}

/** What was sent of a service: one user or address of one record each. */
export function consentOf(service: "subscription" | "messaging-status", bodies: readonly Uint8Array[]): string[] {
  if (service === "messaging-status") return bodies.map((body) => toJsonString(StatusRecordSchema, fromBinary(StatusRecordSchema, body)));
  return bodies.map((body) => fromBinary(SubscriptionRecordSchema, body)).flatMap(eachUser).map((one) => {
    return toJsonString(SubscriptionRecordSchema, create(SubscriptionRecordSchema, one));
  });
}

function eachUser(record: SubscriptionRecord): MessageInitShape<typeof SubscriptionRecordSchema>[] {
  const { workspaceId, cause, change } = record;
  if (change.case !== "setMemberships") return [record];
  const { userIds, subscriptionGroupId, state } = change.value;
  return userIds.map((userId, at) => ({
    workspaceId,
    userId,
    ...(cause && { cause: { ...cause, part: cause.part + at } }),
    change: { case: "setMembership", value: { subscriptionGroupId, state } },
  }));
}

export async function look(
  { profiles, identities }: { profiles: ProfileStore; identities: IdentityStore },
  keys: readonly (readonly [string, IdentityKey])[],
): Promise<Seen> {
  const rows: string[] = [];
  for (const workspaceId of ["v", "w"]) rows.push(...(await profiles.page(workspaceId, "", 1_000)).map(profileToRow));
  const names: string[] = [];
  for (const [workspaceId, key] of keys) {
    const found = await identities.load(workspaceId, [key]);
    names.push(`${workspaceId} ${JSON.stringify([...found])}`);
  }
  return { profiles: rows, identities: names };
}

/** By workspace: how many users there are, and the names and numbers that charts show, in order of the names. */
export type Counted = readonly (readonly [workspaceId: string, users: number, counts: readonly (readonly [string, Count])[]])[];

export function sortedCounts(counts: Counts): readonly (readonly [string, Count])[] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** All minutes that are stored. */
export async function countedIn({ identities }: { identities: IdentityStore }): Promise<Counted> {
  return await Promise.all(["v", "w"].map(async (workspaceId) => {
    const times = (await identities.load(workspaceId, [countedKey])).get(countedKey) as CountedTimes | undefined;
    const rows = await identities.load(workspaceId, [newestKey, ...(times?.hours ?? []).map(minutesKey)]);
    const sum = [...rows.values()].reduce((all: CountRow, row) => addCounts(all, 0, totalOf(row as CountRow)), noCounts);
    const users = (await identities.load(workspaceId, [totalKey])).get(totalKey) as UserTotal | undefined;
    return [workspaceId, users?.count ?? 0, sortedCounts(totalOf(sum))] as const;
  }));
}

/** Users whose last change no event reports, and merges that can be taken back and that no event reports. */
export function untold(
  events: readonly Pick<PublishedEvent, "subject" | "eventId" | "body">[],
  rows: readonly string[],
  openMerges: readonly string[],
): string[] {
  const places = new Map<string, RecordId>();
  for (const { subject, body } of events) {
    if (subject !== "profile.user.updated.v1") continue;
    for (const { userId, place } of fromBinary(ProfileUserUpdatedSchema, body).users) {
      const mark: RecordId = [Number(place?.sequence), place?.part ?? 0];
      if (isAfter(mark, places.get(userId) ?? [-1, 0])) places.set(userId, mark);
    }
  }
  const ids = new Set(events.map(({ eventId }) => eventId));
  return [
    ...rows.map(profileFromRow).filter(({ id, mark }) => isAfter(mark, places.get(id) ?? [-1, 0])).map(({ id }) => id),
    ...openMerges.filter((mergeId) => !ids.has(`merged-${mergeId}`)),
  ];
}

/** Steps that throw at some events, after having changed the profile, until they are mended. */
export function failingSteps(isMended: () => boolean): PureSteps {
  return {
    ...pureSteps,
    applyRecord(profile, record) {
      const after = pureSteps.applyRecord(profile, record);
      if (!isMended() && record.change.type === "event" && record.change.name === "bad") throw new Error("planted");
      return after;
    },
  };
}
