/** Every body type survives the way through the log. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UnknownVersion } from "../../../platform/record-version.ts";
import { IntakeRecordSchema } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { ChangeGroupsSchema } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { IntakeBody } from "../domain/record/intake-record.ts";
import type { EmailMark, PhoneMark, TrackObject } from "../domain/record/track-object.ts";
import type { Priority, UserKey } from "../domain/record/user-key.ts";
import { encodeRecord } from "./record-message.fixture.ts";
import { decodeRecord } from "./record-message.ts";

const text = fc.string({ unit: "binary", maxLength: 20 });
const name = fc.string({ unit: "binary", minLength: 1, maxLength: 20 });
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex"));
const alias = fc.record({ label: text, name: text });
const userKey: fc.Arbitrary<UserKey> = fc.oneof(
  fc.record({ by: fc.constant("externalId" as const), id: text }),
  fc.record({ by: fc.constant("alias" as const), label: text, name: text }),
  fc.record({ by: fc.constant("platformId" as const), id: text }),
  fc.record({ by: fc.constant("email" as const), address: text }),
  fc.record({ by: fc.constant("phone" as const), number: text }),
);
const priority = fc.constantFrom<Priority>("identified", "unidentified", "most_recently_updated", "least_recently_updated");
const selector = fc.record({ key: userKey, prioritization: fc.array(priority, { maxLength: 3 }) });
const trackObject: fc.Arbitrary<TrackObject> = fc.record({
  kind: fc.constant("event" as const),
  user: userKey,
  updateOnly: fc.boolean(),
  name: fc.string({ unit: "grapheme" }),
  time,
});
const device = fc.record({ deviceId: text, model: text, os: text });

const bodies: Record<IntakeBody["type"], fc.Arbitrary<IntakeBody>> = {
  track: fc.record({ type: fc.constant("track" as const), objects: fc.array(trackObject) }),
  createAliases: fc.record({
    type: fc.constant("createAliases" as const),
    aliases: fc.array(fc.record({ externalId: name, alias }, { requiredKeys: ["alias"] })),
  }),
  renameAliases: fc.record({
    type: fc.constant("renameAliases" as const),
    renames: fc.array(fc.record({ label: text, oldName: text, newName: text })),
  }),
  mergeUsers: fc.record({
    type: fc.constant("mergeUsers" as const),
    jobId: text,
    updates: fc.array(fc.record({ source: selector, target: selector })),
  }),
  identifyUsers: fc.record({
    type: fc.constant("identifyUsers" as const),
    jobId: text,
    identifications: fc.array(fc.record({ user: selector, externalId: text })),
  }),
  deleteUsers: fc.record({ type: fc.constant("deleteUsers" as const), users: fc.array(selector) }),
  renameExternalIds: fc.record({
    type: fc.constant("renameExternalIds" as const),
    renames: fc.array(fc.record({ current: text, next: text })),
  }),
  removeExternalIds: fc.record({ type: fc.constant("removeExternalIds" as const), externalIds: fc.array(text) }),
  undoMerge: fc.record({ type: fc.constant("undoMerge" as const), jobId: text, index: fc.nat() }),
  admitUser: fc.record({ type: fc.constant("admitUser" as const), user: userKey }),
  reportSession: fc.record(
    { type: fc.constant("reportSession" as const), user: userKey, appId: text, startedAt: time, device },
    { requiredKeys: ["type", "user", "appId", "startedAt"] },
  ),
  reportEngagement: fc.record({
    type: fc.constant("reportEngagement" as const),
    user: userKey,
    channel: fc.constantFrom("campaign" as const, "canvas" as const),
    messageId: text,
    name: text,
    interaction: text,
    at: time,
  }),
  setMemberships: fc.record({
    type: fc.constant("setMemberships" as const),
    updates: fc.array(fc.record({
      groupId: text,
      state: fc.constantFrom("subscribed" as const, "unsubscribed" as const),
      externalIds: fc.array(text),
      emails: fc.array(text),
      phones: fc.array(text),
      userIds: fc.array(text),
    })),
  }),
  setEmailStatuses: fc.record({
    type: fc.constant("setEmailStatuses" as const),
    emails: fc.array(text),
    status: fc.constantFrom("opted_in" as const, "subscribed" as const, "unsubscribed" as const),
  }),
  markEmails: fc.record({
    type: fc.constant("markEmails" as const),
    emails: fc.array(text),
    mark: fc.constantFrom<EmailMark>("blocklisted", "hard_bounced", "spam", "bounce_removed", "spam_removed"),
  }),
  changeGroups: fc.record({
    type: fc.constant("changeGroups" as const),
    change: fc.string({ maxLength: 20 }).map((id) =>
      toBinary(ChangeGroupsSchema, create(ChangeGroupsSchema, { change: { case: "archive", value: id } }))
    ),
  }),
  markPhones: fc.record({
    type: fc.constant("markPhones" as const),
    phones: fc.array(text),
    mark: fc.constantFrom<PhoneMark>("provider_error", "deactivated", "removed"),
  }),
};

const idempotency = fc.record({
  keyHash: hash,
  bodyHash: hash,
  keepMs: fc.nat(),
  answer: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")),
});

describe("decodeRecord()", () => {
  test.each(Object.entries(bodies))("gives back what encodeRecord() took, in the bytes of the generated code: %s", (_, body) => {
    const entry = fc.record(
      { workspaceId: name, requestId: text, actor: text, receivedAt: time, body, idempotency },
      { requiredKeys: ["workspaceId", "requestId", "actor", "receivedAt", "body"] },
    );
    fc.assert(
      fc.property(entry, fc.integer({ min: 1 }), (original, sequence) => {
        const bytes = encodeRecord(original);
        expect(Buffer.from(toBinary(IntakeRecordSchema, fromBinary(IntakeRecordSchema, bytes)))).toEqual(bytes);
        const restored = decodeRecord(sequence, bytes);
        expect(JSON.stringify(restored.body)).toBe(JSON.stringify(original.body));
        expect(restored).toEqual({ ...original, sequence });
      }),
      { numRuns: 50 },
    );
  });

  test("keeps a lone surrogate in a track object", () => {
    const objects: TrackObject[] = [
      { kind: "event", user: { by: "externalId", id: "a" }, updateOnly: false, name: "\ud800", time: 1 },
    ];
    const entry = { workspaceId: "w", requestId: "", actor: "", receivedAt: 1, body: { type: "track" as const, objects } };
    expect(decodeRecord(1, encodeRecord(entry)).body).toEqual({ type: "track", objects });
  });

  test("reads versions 0 to 2, and knows a record of a newer build", () => {
    const entry = { workspaceId: "w", requestId: "", actor: "", receivedAt: 1, body: { type: "deleteUsers" as const, users: [] } };
    function versioned(version: number): Uint8Array {
      return toBinary(IntakeRecordSchema, { ...fromBinary(IntakeRecordSchema, encodeRecord(entry)), version });
    }
    for (const version of [0, 1, 2]) expect(decodeRecord(1, versioned(version))).toEqual({ ...entry, sequence: 1 });
    expect(() => decodeRecord(1, versioned(99))).toThrow(UnknownVersion);
  });

  test("memberships of users by id have a version of their own, which the build before does not take for those of nobody", () => {
    function versionOf(userIds: string[]): number {
      const update = { groupId: "g", state: "unsubscribed" as const, externalIds: ["a"], emails: [], phones: [], userIds };
      const body = { type: "setMemberships" as const, updates: [{ ...update, userIds: [] }, update] };
      const bytes = encodeRecord({ workspaceId: "w", requestId: "", actor: "", receivedAt: 1, body });
      return fromBinary(IntakeRecordSchema, bytes).version;
    }
    expect([versionOf([]), versionOf(["0123456789abcdef01234567"])]).toEqual([0, 2]);
  });

  test.each([
    ["bytes that are no message", Uint8Array.of(255, 255), /./],
    ["no workspace", new Uint8Array(), "Expected an intake record with a workspace"],
  ])("throws on %s", (_, bytes, message) => {
    expect(() => decodeRecord(1, bytes)).toThrow(message);
  });
});
