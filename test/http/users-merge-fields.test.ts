/** POST /users/merge, rule 4 field by field: what moves to a target that lacks it, sessions, devices and engagement that others report. */
import { expect, test } from "vitest";
import { EngagementReport_Channel } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { partSuite } from "../part-client.ts";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const heddle = heddleSuite({ env: { HEDDLE_RPC_PORT: "0" } });
const day = 86_400_000;
const profile = partSuite(heddle, "PROFILE", ProfileService);

const named = (externalId: string) => ({ key: { case: "externalId" as const, value: externalId } });

async function session(externalId: string, appId: string, at: number, deviceId?: string): Promise<void> {
  const device = deviceId === undefined ? {} : { device: { deviceId, model: "Phone", os: "OS 1" } };
  await profile.client.reportSession({
    scope: profile.scope(),
    report: { user: named(externalId), appId, startedAt: BigInt(at), ...device },
  });
}

async function engagement(externalId: string, channel: EngagementReport_Channel, interaction: string, at: number): Promise<void> {
  const report = { user: named(externalId), channel, messageId: `message-${channel}`, name: "Welcome", interaction, at: BigInt(at) };
  await profile.client.reportEngagement({ scope: profile.scope(), report });
}

async function two(source: object = {}, target: object = {}): Promise<[string, string]> {
  const [sourceId, targetId] = [fresh("source"), fresh("target")];
  await heddle.track({ attributes: [{ external_id: sourceId, ...source }, { external_id: targetId, ...target }] });
  return [sourceId, targetId];
}

test("POST /users/merge: each standard field moves to a target that has none, and overwrites none", async () => {
  const person = (name: string, language: string) => ({
    first_name: name,
    last_name: name,
    email: freshEmail(),
    gender: name === "Ann" ? "F" : "M",
    dob: name === "Ann" ? "1980-01-02" : "1990-03-04",
    phone: freshPhone(),
    time_zone: name === "Ann" ? "Europe/Rome" : "Europe/Berlin",
    home_city: name,
    country: language.toUpperCase(),
    language,
  });
  const [ann, ben] = [person("Ann", "it"), person("Ben", "de")];
  const [one, empty] = await two(ann);
  await heddle.merge(one, empty);
  expect(await heddle.user(empty)).toMatchObject(ann);
  expect((await heddle.find({ phone: ann.phone })).map((user) => user.external_id)).toEqual([empty]);
  const [other, full] = await two(person("Ann", "it"), ben);
  await heddle.merge(other, full);
  expect(await heddle.user(full)).toMatchObject(ben);
});

test("POST /users/merge: counts by day of events and purchases are summed", async () => {
  const [source, target] = await two();
  const [first, then] = [Date.now() - 3 * day, Date.now() - 2 * day].map((at) => new Date(at).toISOString());
  const shown = [first, then].map((time) => String(time).slice(0, 10));
  await heddle.track({
    events: [[source, first], [source, then], [target, then]].map(([external_id, time]) => ({ external_id, name: "e", time })),
    purchases: [[source, first], [target, first]].map(([external_id, time]) => ({
      external_id,
      product_id: "p",
      currency: "USD",
      price: 1,
      time,
    })),
  });
  await heddle.merge(source, target);
  const [user] = await heddle.find({ external_ids: [target], fields_to_export: ["custom_events_daily", "purchases_daily"] });
  expect(user).toMatchObject({
    custom_events_daily: [{ name: "e", days: { [String(shown[0])]: 1, [String(shown[1])]: 2 } }],
    purchases_daily: [{ name: "p", days: { [String(shown[0])]: 2 } }],
  });
});

test("POST /users/merge: of an app that both have sessions are summed, its first is the earliest and its last the latest", async () => {
  const [source, target] = await two();
  const start = Date.UTC(2026, 0, 1);
  for (const [user, at, device] of [[source, 0, "d1"], [source, 5, "d1"], [target, 2, "d2"]] as const) {
    await session(user, "both", start + at * day, device);
  }
  await session(source, "source alone", start + day);
  await session(target, "target alone", start + day);
  await heddle.merge(source, target);
  const user = await heddle.user(target);
  const [apps, devices] = [user["apps"], user["devices"]] as [{ app_id: string }[], { device_id: string }[]];
  const times = (from: number, to: number) => ({
    first_used: new Date(start + from * day).toISOString(),
    last_used: new Date(start + to * day).toISOString(),
  });
  expect(apps.toSorted((a, b) => a.app_id.localeCompare(b.app_id))).toEqual([
    { app_id: "both", sessions: 3, ...times(0, 5) },
    // The summary of an app is among what is filled in where it is missing (rule 4); with nothing of its own to sum (rule 7)
    { app_id: "source alone", sessions: 1, ...times(1, 1) },
    { app_id: "target alone", sessions: 1, ...times(1, 1) },
  ]);
  expect(devices.map(({ device_id }) => device_id).toSorted()).toEqual(["d1", "d2"]);
  expect([user.date_of_first_session, user.date_of_last_session]).toEqual([times(0, 5).first_used, times(0, 5).last_used]);
});

test("POST /users/merge: engagement with campaigns and canvases of both is there, with the latest dates", async () => {
  const [source, target] = await two();
  const start = Date.UTC(2026, 0, 1);
  const { CAMPAIGN, CANVAS } = EngagementReport_Channel;
  await engagement(source, CAMPAIGN, "received", start + 5 * day);
  await engagement(target, CAMPAIGN, "received", start);
  await engagement(source, CAMPAIGN, "opened", start);
  await engagement(target, CAMPAIGN, "opened", start + 3 * day);
  await engagement(source, CANVAS, "received", start + day);
  await heddle.merge(source, target);
  const user = await heddle.user(target);
  const at = (days: number) => new Date(start + days * day).toISOString();
  expect(user.campaigns_received).toMatchObject([{ name: "Welcome", last_received: at(5), last_opened: at(3) }]);
  expect(user.canvases_received).toMatchObject([{ name: "Welcome", last_received_message: at(1) }]);
});

test("POST /users/merge: push tokens move to a target that has none", async () => {
  const [source, target] = await two({ push_tokens: [{ app_id: "app-1", token: "t0ken" }] });
  await heddle.merge(source, target);
  expect((await heddle.user(target)).push_tokens).toMatchObject([{ app_id: "app-1" }]);
});

test("POST /users/merge: either side holds exactly one identifier", async () => {
  const good = { external_id: "a" };
  for (const bad of [{ external_id: "b", email: "b@example.com", prioritization: ["identified"] }, {}, undefined]) {
    for (const update of [{ identifier_to_merge: bad, identifier_to_keep: good }, { identifier_to_merge: good, identifier_to_keep: bad }]) {
      const answer = await heddle.post("/users/merge", { merge_updates: [update] });
      expect([answer.status, answer.body.message], JSON.stringify(update)).toEqual([400, expect.stringMatching(/\S/)]);
    }
  }
});

test("POST /users/merge: the order of the priorities counts", async () => {
  for (
    const [prioritization, chosen] of [
      [["identified", "most_recently_updated"], "identified"],
      [["most_recently_updated", "identified"], "alias"],
      [["most_recently_updated", "identified", "most_recently_updated"], "alias"],
    ] as const
  ) {
    const [email, target] = [freshEmail(), fresh()];
    await heddle.track({ attributes: [{ external_id: fresh(), email, who: "identified" }, { external_id: target, a: 1 }] });
    const alias = { alias_label: "order", alias_name: fresh() };
    await heddle.track({ attributes: [{ user_alias: alias, _update_existing_only: false, email, who: "alias" }] });
    await heddle.accept("/users/merge", {
      merge_updates: [{ identifier_to_merge: { email, prioritization }, identifier_to_keep: { external_id: target } }],
    });
    expect((await heddle.user(target)).custom_attributes?.["who"]).toBe(chosen);
  }
});

test("POST /users/merge takes 50 merges in one request", async () => {
  const pairs = await Promise.all(Array.from({ length: 25 }, () => [fresh("source"), fresh("target")] as const));
  await heddle.track({ attributes: pairs.flat().map((external_id) => ({ external_id, from: external_id })) });
  const missing = Array.from({ length: 25 }, () => [fresh(), fresh()] as const);
  const answer = await heddle.post("/users/merge", {
    merge_updates: [...pairs, ...missing].map(([source, target]) => ({
      identifier_to_merge: { external_id: source },
      identifier_to_keep: { external_id: target },
    })),
  });
  expect([answer.status, answer.body.message]).toEqual([202, "success"]);
  expect(await heddle.find({ external_ids: pairs.map(([source]) => source) })).toEqual([]);
  expect(await heddle.find({ external_ids: pairs.map(([, target]) => target) })).toHaveLength(25);
});

test("POST /users/merge of a user that was deleted changes nothing", async () => {
  const [source, target] = await two({ from: "source" }, { own: 1 });
  await heddle.accept("/users/delete", { external_ids: [source] });
  await heddle.merge(source, target);
  expect((await heddle.user(target)).custom_attributes).toEqual({ own: 1 });
  await heddle.accept("/users/delete", { external_ids: [target] });
  const [other] = await two({ own: 2 });
  await heddle.merge(other, target);
  expect((await heddle.user(other)).custom_attributes).toEqual({ own: 2 });
  expect(await heddle.find({ external_ids: [source, target] })).toEqual([]);
});
