/** Writes as the log keeps them: what an RPC asks stands there as it came, and what is not whole never gets there. */
import { create, fromBinary, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { directClient } from "../../../platform/rpc/direct.ts";
import {
  type EngagementReportSchema,
  IntakeRecordSchema,
  type SessionReportSchema,
  type UserKey,
  type UserSelectorSchema,
} from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import * as wire from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { trackUsersSync } from "./track-users-sync.ts";
import { allApplied } from "../domain/read/applied.fixture.ts";
import type { Applied } from "../domain/ports.ts";
import { profileRoutes } from "./routes.ts";
import { trackUsers } from "./track-users.ts";

const scope = { workspaceId: "w", requestId: "r", actor: "key_1", route: "/users" };
const ann: MessageInitShape<typeof UserSelectorSchema> = { key: { key: { case: "externalId", value: "ann" } }, prioritization: [1] };
const nobody: MessageInitShape<typeof UserSelectorSchema> = { key: {} };
const strange: MessageInitShape<typeof UserSelectorSchema> = { ...ann, prioritization: [99 as 1] };

/** Earlier than what a date holds. */
const noTime = -8_640_000_000_000_001n;

function openWorld(applied: Partial<Applied> = {}) {
  const records: Uint8Array[] = [];
  const log = { partitions: 1, append: (_: number, record: Uint8Array) => Promise.resolve(records.push(record)) };
  const rejected = { look: () => Promise.resolve(), namesIn: () => undefined, close: () => Promise.resolve() };
  const deps = { intake: { log }, applied: allApplied(applied), clock: fakeClock(), newJobId: () => "job", rejected };
  return { records, deps, client: directClient(wire.ProfileService, profileRoutes(deps as never)) };
}

test("what an RPC asks stands in the log as it came", async () => {
  const { records, client } = openWorld();
  await client.mergeUsers({ scope, updates: [{ source: ann, target: ann }] });
  const { body, origin, workspaceId, idempotency } = fromBinary(IntakeRecordSchema, records[0] ?? new Uint8Array());
  expect([workspaceId, origin?.requestId, origin?.actor, idempotency]).toEqual(["w", "r", "key_1", undefined]);
  const shown = toJson(IntakeRecordSchema, create(IntakeRecordSchema, { body }));
  const user = { key: { externalId: "ann" }, prioritization: ["PRIORITY_IDENTIFIED"] };
  expect(shown).toEqual({ mergeUsers: { jobId: "job", updates: [{ source: user, target: user }] } });
});

const long = "x".repeat(256);
const longId = "x".repeat(988);
const alias = { alias: { label: "l", name: "n" } };

function by(key: UserKey["key"]): MessageInitShape<typeof UserSelectorSchema> {
  return { key: { key } };
}
const session: MessageInitShape<typeof SessionReportSchema> = { user: ann.key, appId: "x".repeat(255) };
const badSessions: [string, typeof session][] = [
  ["of no app", { appId: "" }],
  ["of an app with a long id", { appId: long }],
  ["on a device with a long model", { device: { deviceId: "d", model: long } }],
  ["on a device with a long os", { device: { deviceId: "d", os: long } }],
];
const engagement: MessageInitShape<typeof EngagementReportSchema> = { user: ann.key, channel: 1, messageId: "m", interaction: "opened" };
const badEngagements: [string, typeof engagement][] = [
  ["with no message", { messageId: "" }],
  ["with a message with a long id", { messageId: long }],
  ["with a message with a long name", { name: long }],
  ["of no kind", { interaction: "" }],
  ["of a kind with a long name", { interaction: long }],
  ["in no channel", { channel: 0 }],
];

type Ask = (client: Client<typeof wire.ProfileService>) => Promise<unknown>;

const unwhole: Record<string, Ask> = {
  "a merge without a source": (client) => client.mergeUsers({ scope, updates: [{ target: ann }] }),
  "a merge into nobody": (client) => client.mergeUsers({ scope, updates: [{ source: ann, target: nobody }] }),
  "an unknown priority": (client) => client.deleteUsers({ scope, users: [ann, strange] }),
  "nobody identified": (client) => client.identifyUsers({ scope, identifications: [{ externalId: "x" }] }),
  "nobody admitted": (client) => client.admitUser({ scope }),
  "nobody's session": (client) => client.reportSession({ scope, report: {} }),
  "nobody's engagement": (client) => client.reportEngagement({ scope, report: {} }),
  "a session at no time": (client) => client.reportSession({ scope, report: { user: ann.key, startedAt: noTime } }),
  "an engagement at no time": (client) => client.reportEngagement({ scope, report: { user: ann.key, at: noTime } }),
  ...Object.fromEntries(badSessions.map(([what, report]): [string, Ask] => [
    `a session ${what}`,
    (client) => client.reportSession({ scope, report: { ...session, ...report } }),
  ])),
  ...Object.fromEntries(badEngagements.map(([what, report]): [string, Ask] => [
    `an engagement ${what}`,
    (client) => client.reportEngagement({ scope, report: { ...engagement, ...report } }),
  ])),
  "an alias of no name": (client) => client.createAliases({ scope, aliases: [{ externalId: "ann" }] }),
  "an alias that could be another": (client) => client.createAliases({ scope, aliases: [{ alias: { label: "a\u0000b", name: "c" } }] }),
  "an alias that no row can be named by": (client) => client.createAliases({ scope, aliases: [{ alias: { label: long, name: "c" } }] }),
  "an alias for a user who cannot be": (client) => client.createAliases({ scope, aliases: [{ ...alias, externalId: longId }] }),
  "an alias renamed to nothing": (client) => client.updateAliases({ scope, renames: [{ label: "l", oldName: "n" }] }),
  "an external id renamed to nothing": (client) => client.renameExternalIds({ scope, renames: [{ currentExternalId: "ann" }] }),
  "an external id renamed to one that no row can be named by": (client) =>
    client.renameExternalIds({ scope, renames: [{ currentExternalId: "ann", newExternalId: longId }] }),
  "no external id removed": (client) => client.removeExternalIds({ scope, externalIds: [""] }),
  "a user identified as nobody": (client) => client.identifyUsers({ scope, identifications: [{ user: ann }] }),
  "a deletion by a platform id that is none": (client) => client.deleteUsers({ scope, users: [by({ case: "platformId", value: "zz" })] }),
  "a deletion by an email that is none": (client) => client.deleteUsers({ scope, users: [by({ case: "email", value: "ann" })] }),
  "no workspace": (client) => client.deleteUsers({ scope: {}, users: [ann] }),
};

test.each(Object.entries(unwhole))("%s is refused, and nothing is in the log", async (_, ask) => {
  const { records, client } = openWorld();
  const refused = await ask(client).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refusal);
  expect((refused as Refusal).reason).toBe("INPUT_INVALID");
  expect(records).toEqual([]);
});

test("more elements than any request over HTTP has are refused, those of all lists together, and nothing is in the log", async () => {
  const { records, client } = openWorld();
  const aliases = Array.from({ length: limits.requestElementsMax }, () => alias);
  await expect(client.createAliases({ scope, aliases: [...aliases, alias] })).rejects.toMatchObject({ reason: "BATCH_TOO_LARGE" });
  const target = { ...ann, prioritization: aliases.map(() => 1 as const) };
  await expect(client.mergeUsers({ scope, updates: [{ source: ann, target }] })).rejects.toMatchObject({ reason: "BATCH_TOO_LARGE" });
  expect(records).toEqual([]);
});

test("names stand in the log in the form in which they are kept, however a caller spells them", async () => {
  const { records, client } = openWorld();
  const keys = [["email", "Ann@Example.COM"], ["phone", "(212) 555-0123"], ["platformId", "0123456789ABCDEF01234567"]] as const;
  const users = keys.map(([name, value]) => by({ case: name, value }));
  await client.deleteUsers({ scope, users });
  await client.reportEngagement({ scope, report: { ...engagement, user: users[0]?.key } });
  const [deleted, reported] = records.map((record) => fromBinary(IntakeRecordSchema, record).body.value);
  const ann = { key: { case: "email", value: "ann@example.com" } };
  const others = [{ case: "phone", value: "+12125550123" }, { case: "platformId", value: "0123456789abcdef01234567" }];
  expect(deleted).toMatchObject({ users: [{ key: ann }, ...others.map((key) => ({ key: { key } }))] });
  expect(reported).toMatchObject({ user: ann, messageId: "m" });
});

test("what is tracked is taken in its turn, and nothing is in the log where that is refused", async () => {
  const { records, deps } = openWorld();
  const full = { ...deps, unapplied: { inTurn: () => Promise.reject(new Refusal("BEHIND")) } };
  const bodyJson = Buffer.from(JSON.stringify({ attributes: [{ external_id: "ann" }] }));
  const tracked = trackUsers(full as never, create(wire.TrackUsersRequestSchema, { scope, bodyJson }));
  const synced = trackUsersSync(full as never, create(wire.TrackUsersSyncRequestSchema, { scope, bodyJson }));
  for (const asked of [tracked, synced]) await expect(asked).rejects.toMatchObject({ reason: "BEHIND" });
  expect(records).toEqual([]);
});

test("where a user cannot be read once the object is in the log, the outcome is unknown", async () => {
  const { records, deps } = openWorld();
  const identities = { load: () => Promise.reject(new Refusal("STORE_UNAVAILABLE")) };
  const full = { ...deps, identities, unapplied: { inTurn: (_: string, _bytes: number, work: () => unknown) => work() } };
  const bodyJson = Buffer.from(JSON.stringify({ attributes: [{ external_id: "ann" }] }));
  const synced = trackUsersSync(full as never, create(wire.TrackUsersSyncRequestSchema, { scope, bodyJson }));
  await expect(synced).rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN" });
  expect(records).toHaveLength(1);
});

test("who admits a user has the answer once that is applied, not when it is decided: only then data of the user is taken", async () => {
  const { client } = openWorld({ wait: () => Promise.resolve(false), outcome: () => ({ items: [{ index: 0, ok: true, reason: "" }] }) });
  const asked = client.admitUser({ scope, user: { key: { case: "externalId", value: "ann" } } });
  await expect(asked).rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN" });
});

test("an outcome is told of a place in the workspace's own order alone", async () => {
  const { client } = openWorld({ outcome: () => ({ repeat: { kind: "first", answer: "" } }) });
  const own = Buffer.from("0:1").toString("base64url");
  expect(await client.awaitOutcome({ scope, position: own })).toMatchObject({ repeat: false });
  for (const position of ["", Buffer.from("7:1").toString("base64url")]) {
    await expect(client.awaitOutcome({ scope, position })).rejects.toMatchObject({ reason: "POSITION_INVALID" });
  }
});
