/** Records that were applied, as others hear of them. */
import { create as createMessage, fromBinary, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
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
import type { ProfileChange, ProfileRecord } from "../domain/profile/profile-record.ts";
import { createOutgoing } from "./outgoing.ts";
import { eventsOf } from "./profile-events.ts";
import { updatedMessage } from "./updated-message.ts";

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

test("eventsOf() tells merges, undos and deletes with the names that go or come with them, and of whom ended nothing else", () => {
  const gone = { externalIds: ["S", "old"], emails: ["s@example.com"], phones: ["+4915112345678"], aliases: [{ label: "l", name: "n" }] };
  const events = eventsOf("ws_1", [
    record("s", 1),
    record("s", 2, { type: "handoff", mergeId: "m1", targetId: "t", undoUntil: 0 }),
    { ...record("t", 3, { type: "await", mergeId: "m1", sourceId: "s", undoUntil: 0, gone }), externalId: "T" },
    { ...record("t", 4, { type: "undo", mergeId: "m1", sourceId: "s", sourceExternalId: "S" }), externalId: "T" },
    record("d", 5),
    record("d", 6, { type: "delete", gone: { ...gone, more: true } }),
  ]);
  const names = { ...gone, aliases: [expect.objectContaining({ label: "l", name: "n" })] };
  expect(events.map(read)).toMatchObject([
    {
      subject: "profile.user.merged.v1",
      key: "t",
      mergeId: "m1",
      sourceUserId: "s",
      targetUserId: "t",
      mergedAt: BigInt(now),
      targetExternalId: "T",
      gone: {
        ...names,
        more: false,
      },
    },
    {
      subject: "profile.user.unmerged.v1",
      key: "t",
      mergeId: "m1",
      sourceUserId: "s",
      targetUserId: "t",
      unmergedAt: BigInt(now),
      sourceExternalId: "S",
      targetExternalId: "T",
    },
    {
      subject: "profile.user.deleted.v1",
      key: "d",
      userId: "d",
      place: placeOf(6),
      deletedAt: BigInt(now),
      gone: {
        ...names,
        more: true,
      },
    },
    { subject: "profile.user.updated.v1", key: "t", users: [{ userId: "t", externalId: "T", place: placeOf(4), more: true }] },
  ]);
});

test("eventsOf() tells what records of an earlier build say, without the names that they do not have", () => {
  const [deleted, updated] = eventsOf("ws_1", [record("a", 1), record("d", 2, { type: "delete" })]);
  expect(updated && read(updated)).toMatchObject({ key: "a", users: [{ userId: "a", externalId: "" }] });
  expect(deleted && read(deleted)).toMatchObject({ userId: "d" });
  expect(deleted && read(deleted)).not.toHaveProperty("gone");
});

test("eventsOf() reports a merge before what the target took later: a user's places never fall", () => {
  const records = [record("t", 3, { type: "await", mergeId: "m1", sourceId: "s", undoUntil: 0 }), record("t", 6)];
  expect(eventsOf("ws_1", records).map(read)).toMatchObject([
    { subject: "profile.user.merged.v1", key: "t", place: placeOf(3) },
    { subject: "profile.user.updated.v1", key: "t", users: [{ userId: "t", place: placeOf(6) }] },
  ]);
});

test("eventsOf() has a key for each event: the user, or of several users the workspace", () => {
  expect(eventsOf("ws_1", [record("a", 1), record("b", 2)]).map(({ key }) => key)).toEqual(["ws_1"]);
});

const email = { type: "identity", email: "a@example.com" } as const;
const whole = { type: "identity", externalId: "A", aliases: [], email: null, phone: "+4915112345678" } as const;
const event: ProfileChange = { type: "event", name: "sign up", time: 1 };
const purchase: ProfileChange = { type: "purchase", productId: "sku", currency: "EUR", revenueCents: 1, quantity: 1, time: 1 };
const session: ProfileChange = { type: "session", appId: "app", startedAt: 1 };
const device = { deviceId: "d", model: "", os: "" };
const engagement = { type: "engagement", messageId: "m", name: "M", interaction: "opened", at: 1 } as const;
const set = { op: "set", value: 1 } as const;
const merge = { mergeId: "m", sourceId: "s" };

test.each<[what: string, changes: readonly ProfileChange[], told: object]>([
  ["nothing of a user who is made without names", [create], {}],
  ["a name that is given, and one that is taken away", [email, { type: "identity", phone: null }], { fields: ["email", "phone"] }],
  ["of all names at once those that there are", [whole], { fields: ["external_id", "phone"] }],
  ["fields by the names of an export", [{
    type: "attributes",
    fields: [["first_name", "Ann"], ["current_location", { latitude: 1, longitude: 2 }]],
  }], { fields: ["first_name", "last_coordinates"] }],
  ["custom attributes, whatever was done to them", [{
    type: "attributes",
    custom: [["color", set], ["__proto__", { op: "unset" }], ["count", { op: "increment", by: 1 }]],
  }], { fields: ["custom_attributes"], customAttributes: ["color", "__proto__", "count"] }],
  ["an event", [event], { fields: ["custom_events"], customEvents: ["sign up"] }],
  ["a purchase", [purchase], { fields: ["purchases", "total_revenue"], products: ["sku"] }],
  ["a session", [session], { fields: ["apps", "date_of_first_session", "date_of_last_session"] }],
  ["a session with a device", [{ type: "session", appId: "app", startedAt: 1, device }], {
    fields: ["apps", "date_of_first_session", "date_of_last_session", "devices"],
  }],
  ["a campaign", [{ ...engagement, channel: "campaign" }], { fields: ["campaigns_received"] }],
  ["a canvas", [{ ...engagement, channel: "canvas" }], { fields: ["canvases_received"] }],
  ["each name once", [event, purchase, event, email, email], {
    fields: ["custom_events", "purchases", "total_revenue", "email"],
    customEvents: ["sign up"],
    products: ["sku"],
  }],
  ["that anything may have come with another user", [{ type: "await", ...merge, undoUntil: 0 }, event], {
    fields: ["custom_events"],
    customEvents: ["sign up"],
    more: true,
  }],
  ["and gone", [{ type: "undo", ...merge }], { more: true }],
])("eventsOf() names %s", (_, changes, told) => {
  const records = changes.map((change, at) => record("a", at + 1, change));
  const updated = eventsOf("ws_1", records).at(-1);
  const none = { fields: [], customAttributes: [], customEvents: [], products: [], more: false };
  expect(updated && read(updated)).toMatchObject({ users: [{ userId: "a", ...none, ...told }] });
});

test("eventsOf() names as many as a message holds, and says that there are more", () => {
  const many = Array.from({ length: limits.eventNamesMax + 50 }, (_, at) => [`attribute ${at}`, set] as const);
  const [updated] = eventsOf("ws_1", [record("a", 1, { type: "attributes", custom: many }), record("a", 2, event)]);
  const [user] = updated === undefined ? [] : fromBinary(ProfileUserUpdatedSchema, updated.body).users;
  expect(user?.more).toBe(true);
  expect((user?.fields.length ?? 0) + (user?.customAttributes.length ?? 0)).toBe(limits.eventNamesMax);
  const long = many.map(([name]) => [name.padEnd(255, "\u{1f600}"), set] as const);
  const [longest] = eventsOf("ws_1", [record("a", 1, { type: "attributes", custom: long })]);
  expect(longest?.body.byteLength).toBeLessThan(4 * limits.eventNamesCharsMax);
  expect(longest && fromBinary(ProfileUserUpdatedSchema, longest.body).users[0]?.more).toBe(true);
});

test("what is updated is the message that the generated code writes, whatever it says", () => {
  const name = fc.string({ unit: "grapheme", maxLength: 40 });
  const names = fc.array(name, { maxLength: 5 });
  const mark = fc.tuple(fc.nat({ max: Number.MAX_SAFE_INTEGER }), fc.nat());
  const changed = fc.record({ fields: names, customAttributes: names, customEvents: names, products: names, more: fc.boolean() });
  const user = fc.record({ userId: name, mark, externalId: name, names: changed });
  fc.assert(fc.property(name, name, fc.array(user, { maxLength: 4 }), (eventId, workspaceId, users) => {
    const told = users.map(({ mark: [sequence, part], names: all, ...one }) => ({
      ...one,
      ...all,
      place: { sequence: BigInt(sequence), part },
    }));
    const message = createMessage(ProfileUserUpdatedSchema, { eventId, workspaceId, users: told });
    expect(updatedMessage(eventId, workspaceId, users)).toEqual(Buffer.from(toBinary(ProfileUserUpdatedSchema, message)));
  }));
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

test("createOutgoing() publishes in order, what waits in one go, and fails until it is reset", async () => {
  const calls: string[][] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const outgoing = createOutgoing((events) => {
    calls.push(events.map(({ eventId }) => eventId));
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    return gate.promise;
  });
  const deleted = (id: string) => eventsOf("ws", [record(id, 1, { type: "delete" })]);
  const first = outgoing.send(deleted("a"));
  await expect.poll(() => calls.length).toBe(1);
  const [second, third] = [outgoing.send(deleted("b")), outgoing.send(deleted("c"))];
  expect(outgoing.waiting).toBe(2);
  gates[0]?.resolve();
  await first;
  await expect.poll(() => calls.length).toBe(2);
  gates[1]?.reject(new Refusal("LOG_UNAVAILABLE", "away"));
  await expect(second).rejects.toThrow("away");
  await expect(third).rejects.toThrow("away");
  await expect(outgoing.settled()).rejects.toThrow("away");
  outgoing.reset();
  const again = outgoing.send(deleted("b"));
  await expect.poll(() => calls.length).toBe(3);
  gates[2]?.resolve();
  await again;
  expect(calls).toEqual([["deleted-a"], ["deleted-b", "deleted-c"], ["deleted-b"]]);
});
