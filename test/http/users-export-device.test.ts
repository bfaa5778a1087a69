/** POST /users/export/ids by `device_id`: whose device it is, through push tokens and sessions, merges, undo, deletes and a restart. */
import { expect, test } from "vitest";
import { limits } from "../../platform/limits.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { partSuite } from "../part-client.ts";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite({ env: { HEDDLE_RPC_PORT: "0" } });
const path = "/users/export/ids";
const profile = partSuite(heddle, "PROFILE", ProfileService);

function freshDevice(): string {
  return fresh("device-");
}

function tokens(...devices: string[]) {
  return devices.map((device_id) => ({ app_id: "app", token: `token of ${device_id}`, device_id }));
}

async function withTokens(id: string, ...devices: string[]): Promise<void> {
  await heddle.track({ attributes: [{ external_id: id, push_tokens: tokens(...devices) }] });
}

async function session(externalId: string, deviceId: string): Promise<void> {
  const user = { key: { case: "externalId" as const, value: externalId } };
  const device = { deviceId, model: "Phone", os: "OS 1" };
  const report = { user, appId: "app", startedAt: BigInt(Date.UTC(2026, 0, 1)), device };
  await profile.client.reportSession({ scope: profile.scope(), report });
}

async function userOf(device_id: string): Promise<string | null | undefined> {
  const users = await heddle.find({ device_id });
  expect(users.length).toBeLessThan(2);
  return users[0]?.external_id;
}

test("device_id finds the user of the device, by a push token or a session, beside users of other names", async () => {
  const [ann, ben, cyd] = [fresh("ann"), fresh("ben"), fresh("cyd")];
  const [phone, tablet] = [freshDevice(), freshDevice()];
  await heddle.track({ attributes: [{ external_id: ben, a: 1 }, { external_id: cyd, a: 1 }] });
  await withTokens(ann, phone);
  await session(ben, tablet);
  expect([await userOf(phone), await userOf(tablet)]).toEqual([ann, ben]);
  const users = await heddle.find({ external_ids: [cyd], device_id: tablet, fields_to_export: ["external_id"] });
  expect(users).toEqual([{ external_id: cyd }, { external_id: ben }]);
  expect((await heddle.user(ben))["devices"]).toMatchObject([{ device_id: tablet }]);
});

test("a device_id that nobody has, or that can be none, is in invalid_user_ids beside those who are found", async () => {
  const id = fresh();
  await withTokens(id, freshDevice());
  for (const device_id of [freshDevice(), "x".repeat(limits.deviceIdBytesMax + 1), "nul\u0000nul"]) {
    const answer = await heddle.post(path, { device_id, external_ids: [id] });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.users?.map(({ external_id }) => external_id)).toEqual([id]);
    expect(answer.body.invalid_user_ids).toEqual([device_id]);
  }
});

test("a device means who was heard of on it last, and goes on meaning it when the token is taken away", async () => {
  const [ann, ben] = [fresh("ann"), fresh("ben")];
  const device = freshDevice();
  await withTokens(ann, device);
  await withTokens(ben, device);
  expect(await userOf(device)).toBe(ben);
  await session(ann, device);
  expect(await userOf(device)).toBe(ann);
  await heddle.track({ attributes: [{ external_id: ann, push_tokens: null }] });
  expect(await userOf(device)).toBe(ann);
  const both = { external_id: ben, push_tokens: tokens(device) };
  await heddle.track({ attributes: [both, { ...both, external_id: ann }, both] });
  expect(await userOf(device)).toBe(ben);
});

test("what is sent for a user that does not exist makes one that its device finds, and an update alone makes none", async () => {
  const [device, other] = [freshDevice(), freshDevice()];
  const email = `${fresh()}@example.com`;
  await heddle.track({ attributes: [{ email, push_token_import: true, push_tokens: tokens(device) }] });
  expect(await heddle.find({ device_id: device })).toMatchObject([{ email }]);
  await heddle.track({ attributes: [{ external_id: fresh(), _update_existing_only: true, push_tokens: tokens(other) }] });
  expect(await heddle.find({ device_id: other })).toEqual([]);
});

test("a merge moves devices to the target, and an undo gives each side its own, with what was sent to it since", async () => {
  const [source, target] = [fresh("source"), fresh("target")];
  const [first, second, third] = [freshDevice(), freshDevice(), freshDevice()];
  const alias = { alias_label: fresh(), alias_name: "of the source" };
  await withTokens(source, first);
  await withTokens(target, second);
  await heddle.accept("/users/alias/new", { user_aliases: [{ external_id: source, ...alias }] });
  const job_id = await heddle.merge(source, target);
  expect([await userOf(first), await userOf(second)]).toEqual([target, target]);
  await heddle.track({
    attributes: [{ user_alias: alias, push_tokens: tokens(third) }, { external_id: target, push_tokens: tokens(first) }],
  });
  expect([await userOf(first), await userOf(third)]).toEqual([target, target]);
  await heddle.track({ attributes: [{ user_alias: alias, push_tokens: tokens(second) }] });
  await heddle.accept("/users/merge/undo", { job_id, index: 0 });
  // A device finds the user last heard of on it: the target on the source's device, and the source on the target's
  expect([await userOf(first), await userOf(second), await userOf(third)]).toEqual([target, source, source]);
});

test("an undo leaves a device with who was heard of on it meanwhile", async () => {
  const [source, target, other] = [fresh("source"), fresh("target"), fresh("other")];
  const device = freshDevice();
  await withTokens(source, device);
  await withTokens(target, freshDevice());
  const job_id = await heddle.merge(source, target);
  await withTokens(other, device);
  await heddle.accept("/users/merge/undo", { job_id, index: 0 });
  expect(await userOf(device)).toBe(other);
  await heddle.merge(other, source);
  expect(await userOf(device)).toBe(source);
});

test("a delete frees the devices of a user, and not one that another has taken over", async () => {
  const [ann, ben] = [fresh("ann"), fresh("ben")];
  const [own, taken] = [freshDevice(), freshDevice()];
  await withTokens(ann, own, taken);
  await withTokens(ben, taken);
  await heddle.accept("/users/delete", { external_ids: [ann] });
  expect([await userOf(own), await userOf(taken)]).toEqual([undefined, ben]);
  await withTokens(ann, own);
  expect(await userOf(own)).toBe(ann);
});

test("a user is found by its last devices, as many as a user may have", async () => {
  const id = fresh();
  const devices = Array.from({ length: limits.devicesPerUserMax + 2 }, freshDevice);
  await withTokens(id, ...devices.slice(0, 3));
  for (let at = 3; at < devices.length; at += limits.pushTokensPerObjectMax) {
    await withTokens(id, ...devices.slice(at, at + limits.pushTokensPerObjectMax));
  }
  const [first, second, third] = devices;
  expect([await userOf(String(first)), await userOf(String(second)), await userOf(String(third))]).toEqual([undefined, undefined, id]);
  expect(await userOf(String(devices.at(-1)))).toBe(id);
});

test("devices are known after kill -9 and a restart", async () => {
  const id = fresh();
  const device = freshDevice();
  await withTokens(id, device);
  await heddle.heddle.restart("SIGKILL");
  expect(await userOf(device)).toBe(id);
});
