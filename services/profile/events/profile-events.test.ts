/** Records that were applied, as others hear of them. */
import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import {
  ProfileUserDeletedSchema,
  ProfileUserMergedSchema,
  ProfileUserUnmergedSchema,
  ProfileUserUpdatedSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_event_pb.ts";
import type { ProfileChange, ProfileRecord } from "../domain/profile-record.ts";
import { createOutgoing } from "./outgoing.ts";
import { eventsOf } from "./profile-events.ts";

const now = Date.UTC(2026, 0, 1);
const create: ProfileChange = { type: "create" };
const schemas = {
  "profile.user.updated.v1": ProfileUserUpdatedSchema,
  "profile.user.merged.v1": ProfileUserMergedSchema,
  "profile.user.unmerged.v1": ProfileUserUnmergedSchema,
  "profile.user.deleted.v1": ProfileUserDeletedSchema,
};

function record(userId: string, sequence: number, change: ProfileChange = create): ProfileRecord {
  return { userId, mark: [sequence, 0], now, change };
}

function read(event: PublishedEvent): unknown {
  return { subject: event.subject, key: event.key, ...fromBinary(schemas[event.subject as keyof typeof schemas], event.body) };
}

const placeOf = (sequence: number) => expect.objectContaining({ sequence: BigInt(sequence), part: 0 });

test("eventsOf() tells each user once, with the last place", () => {
  const [event, ...more] = eventsOf("ws_1", [record("a", 1), record("b", 2), record("a", 3)]);
  expect(more).toEqual([]);
  expect(event && read(event)).toMatchObject({
    subject: "profile.user.updated.v1",
    workspaceId: "ws_1",
    users: [{ userId: "a", place: placeOf(3) }, { userId: "b", place: placeOf(2) }],
  });
});

test("eventsOf() tells merges, undos and deletes, and of whom ended nothing else", () => {
  const events = eventsOf("ws_1", [
    record("s", 1),
    record("s", 2, { type: "handoff", mergeId: "m1", targetId: "t", undoUntil: 0 }),
    record("t", 3, { type: "await", mergeId: "m1", sourceId: "s", undoUntil: 0 }),
    record("t", 4, { type: "undo", mergeId: "m1", sourceId: "s" }),
    record("d", 5),
    record("d", 6, { type: "delete" }),
  ]);
  expect(events.map(read)).toMatchObject([
    { subject: "profile.user.updated.v1", users: [{ userId: "t", place: placeOf(4) }] },
    { subject: "profile.user.merged.v1", key: "t", mergeId: "m1", sourceUserId: "s", targetUserId: "t", mergedAt: BigInt(now) },
    { subject: "profile.user.unmerged.v1", key: "t", mergeId: "m1", sourceUserId: "s", targetUserId: "t", unmergedAt: BigInt(now) },
    { subject: "profile.user.deleted.v1", key: "d", userId: "d", place: placeOf(6), deletedAt: BigInt(now) },
  ]);
});

test("eventsOf() gives the same records the same ids, and others others", () => {
  const records = [record("a", 1), record("d", 2, { type: "delete" })];
  expect(eventsOf("ws_1", records)).toEqual(eventsOf("ws_1", records));
  const ids = [...eventsOf("ws_1", records), ...eventsOf("ws_1", [record("a", 2)]), ...eventsOf("ws_2", [record("a", 1)])]
    .map(({ eventId }) => eventId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("eventsOf() tells very many users in several events, none larger than the least that a server takes, each user once", () => {
  const count = 30_000;
  const records = Array.from({ length: count }, (_, at) => record(at.toString(16).padStart(24, "0"), 2 ** 44 + at));
  const events = eventsOf("w", records);
  expect(events.length).toBeLessThan(60);
  for (const { body } of events) expect(body.byteLength).toBeLessThanOrEqual(limits.eventBytesMax);
  const users = events.flatMap(({ body }) => fromBinary(ProfileUserUpdatedSchema, body).users.map(({ userId }) => userId));
  expect(users).toEqual(records.map(({ userId }) => userId));
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
  expect(eventsOf("w", records)).toEqual(events);
});

test("createOutgoing() publishes in order, what waits in one go, and says so until it is told anew", async () => {
  const calls: string[][] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const outgoing = createOutgoing((events) => {
    calls.push(events.map(({ eventId }) => eventId));
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    return gate.promise;
  });
  const deleted = (id: string) => eventsOf("ws", [record(id, 1, { type: "delete" })]);
  const first = outgoing.tell(deleted("a"));
  await expect.poll(() => calls.length).toBe(1);
  const [second, third] = [outgoing.tell(deleted("b")), outgoing.tell(deleted("c"))];
  expect(outgoing.waiting).toBe(2);
  gates[0]?.resolve();
  await first;
  await expect.poll(() => calls.length).toBe(2);
  gates[1]?.reject(new Refusal("LOG_UNAVAILABLE", "away"));
  await expect(second).rejects.toThrow("away");
  await expect(third).rejects.toThrow("away");
  await expect(outgoing.settled()).rejects.toThrow("away");
  outgoing.reset();
  const again = outgoing.tell(deleted("b"));
  await expect.poll(() => calls.length).toBe(3);
  gates[2]?.resolve();
  await again;
  expect(calls).toEqual([["deleted-a"], ["deleted-b", "deleted-c"], ["deleted-b"]]);
});
