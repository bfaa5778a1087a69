/** Tests of the exported user: api-facts section 3, POST /users/export/ids. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { profileChange, recordsOf } from "../../../../test/arbitrary/profile-record.ts";
import { applyRecord } from "../profile/apply-records.ts";
import type { Profile } from "../profile/profile.ts";
import type { ProfileChange } from "../profile/profile-record.ts";
import { exportFields, renderProfile } from "./render-profile.ts";
import type { JsonObject } from "../record/track-object.ts";

const id = "5eea769d45bb2e1467418f92";
const noon = Date.UTC(2026, 0, 1, 12);
const dayMs = 86_400_000;

test("renderProfile() of a new user shows ids, defaults and nothing that is empty", () => {
  expect(JSON.stringify(renderProfile(user([])))).toBe(JSON.stringify({
    created_at: "2026-01-01T12:00:00.000Z",
    user_aliases: [],
    braze_id: id,
    platform_id: id,
    random_bucket: renderProfile(user([]))["random_bucket"],
    total_revenue: 0,
    push_subscribe: "subscribed",
    email_subscribe: "subscribed",
  }));
});

test("renderProfile() shows every field under its name", () => {
  const profile = user([
    { type: "identity", externalId: "ann", aliases: [{ label: "crm", name: "7" }], email: "a@example.com", phone: "+12025550101" },
    {
      type: "attributes",
      fields: [
        ["first_name", "Ann"],
        ["last_name", "Ash"],
        ["home_city", "Ulm"],
        ["country", "DE"],
        ["language", "de"],
        ["dob", "1990-01-31"],
        ["gender", "F"],
        ["time_zone", "Europe/Berlin"],
        ["current_location", { longitude: 10.5, latitude: -20 }],
        ["push_subscribe", "opted_in"],
        ["email_open_tracking_disabled", true],
        ["push_tokens", [{ app_id: "a", token: "t" }]],
      ],
      custom: [["score", { op: "set", value: 5 }]],
    },
    { type: "event", name: "login", time: noon - dayMs },
    { type: "event", name: "login", time: noon },
    { type: "purchase", productId: "cd", currency: "USD", revenueCents: 1177, quantity: 2, time: noon },
    { type: "session", appId: "ios", startedAt: noon, device: { deviceId: "d1", model: "Phone", os: "19" } },
    { type: "engagement", channel: "campaign", messageId: "c1", name: "Spring", interaction: "received", at: noon },
    { type: "engagement", channel: "campaign", messageId: "c1", name: "Spring", interaction: "opened", at: noon + dayMs },
    { type: "engagement", channel: "canvas", messageId: "w1", name: "Welcome", interaction: "received", at: noon },
  ]);
  expect(renderProfile(profile, { emailSubscribe: "opted_in" })).toEqual({
    created_at: "2026-01-01T12:00:00.000Z",
    external_id: "ann",
    user_aliases: [{ alias_name: "7", alias_label: "crm" }],
    braze_id: id,
    platform_id: id,
    random_bucket: expect.any(Number),
    first_name: "Ann",
    last_name: "Ash",
    email: "a@example.com",
    dob: "1990-01-31",
    home_city: "Ulm",
    country: "DE",
    phone: "+12025550101",
    language: "de",
    time_zone: "Europe/Berlin",
    last_coordinates: [10.5, -20],
    gender: "F",
    total_revenue: 11.77,
    date_of_first_session: "2026-01-01T12:00:00.000Z",
    date_of_last_session: "2026-01-01T12:00:00.000Z",
    push_subscribe: "opted_in",
    email_subscribe: "opted_in",
    email_open_tracking_disabled: true,
    custom_attributes: { score: 5 },
    custom_events: [{ name: "login", first: "2025-12-31T12:00:00.000Z", last: "2026-01-01T12:00:00.000Z", count: 2 }],
    purchases: [{ name: "cd", first: "2026-01-01T12:00:00.000Z", last: "2026-01-01T12:00:00.000Z", count: 2 }],
    devices: [{ model: "Phone", os: "19", device_id: "d1", last_seen: "2026-01-01T12:00:00.000Z" }],
    push_tokens: [{ app_id: "a", token: "t" }],
    apps: [{ app_id: "ios", sessions: 1, first_used: "2026-01-01T12:00:00.000Z", last_used: "2026-01-01T12:00:00.000Z" }],
    campaigns_received: [{
      name: "Spring",
      api_campaign_id: "c1",
      last_received: "2026-01-01T12:00:00.000Z",
      last_opened: "2026-01-02T12:00:00.000Z",
    }],
    canvases_received: [{ name: "Welcome", api_canvas_id: "w1", last_received_message: "2026-01-01T12:00:00.000Z" }],
  });
});

test("renderProfile() shows only the fields asked for, in its own order, and ignores unknown names", () => {
  const shown = renderProfile(user([]), { fields: ["platform_id", "created_at", "external_id", "toString", "nonsense"] });
  expect(Object.keys(shown)).toEqual(["created_at", "platform_id"]);
});

const extensionFields = ["appboy_id", "custom_events_daily", "purchases_daily", "revenue_by_currency", "purchase_count", "updated_at"];

test("renderProfile() shows extension fields only where they are named", () => {
  const profile = user([
    { type: "event", name: "login", time: noon },
    { type: "event", name: "login", time: noon - dayMs },
    { type: "purchase", productId: "cd", currency: "EUR", revenueCents: 250, quantity: 3, time: noon },
  ]);
  const plain = renderProfile(profile);
  expect(extensionFields.filter((name) => Object.hasOwn(plain, name))).toEqual([]);
  expect(renderProfile(profile, { fields: extensionFields })).toEqual({
    appboy_id: profile.id,
    custom_events_daily: [{ name: "login", days: { "2025-12-31": 1, "2026-01-01": 1 } }],
    purchases_daily: [{ name: "cd", days: { "2026-01-01": 3 } }],
    revenue_by_currency: { EUR: 2.5 },
    purchase_count: 3,
    updated_at: "2026-01-01T12:00:00.000Z",
  });
});

test("renderProfile() converts revenue by the declared rates", () => {
  const buy = { type: "purchase", productId: "cd", revenueCents: 1000, quantity: 1, time: noon } as const;
  const profile = user([{ ...buy, currency: "USD" }, { ...buy, currency: "EUR" }, { ...buy, currency: "SEK" }]);
  expect(renderProfile(profile, { currencyRates: { EUR: "1.0855" } })["total_revenue"]).toBe(20.86);
});

test("renderProfile() gives times as text, at the top, in arrays and nested", () => {
  const at = { $time: "2026-01-01T00:00:00.000Z" };
  const profile = user([{
    type: "attributes",
    custom: [["at", { op: "set", value: at }], ["list", { op: "set", value: [at, 1] }], ["of", { op: "set", value: { deep: { at } } }]],
  }]);
  expect(renderProfile(profile)["custom_attributes"]).toEqual({ at: at.$time, list: [at.$time, 1], of: { deep: { at: at.$time } } });
});

test("renderProfile() shows names that mean something to the language", () => {
  const names = ["constructor", "toString", "__proto__", "hasOwnProperty", "toJSON"];
  const nested = JSON.parse('{"__proto__":{"a":1}}') as JsonObject;
  const profile = user([{ type: "attributes", custom: names.map((name) => [name, { op: "set", value: nested }] as const) }]);
  const text = JSON.stringify(renderProfile(profile, { fields: ["custom_attributes"] }));
  expect(text).toBe(`{"custom_attributes":{${names.map((name) => `"${name}":{"__proto__":{"a":1}}`).join(",")}}}`);
});

test("renderProfile() gives every id a random_bucket of 0 to 9999, always the same, and spreads them", () => {
  const buckets = Array.from(
    { length: 20_000 },
    (_, at) =>
      Number(renderProfile({ ...user([]), id: at.toString(16).padStart(24, "0") }, { fields: ["random_bucket"] })["random_bucket"]),
  );
  expect(Math.min(...buckets)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...buckets)).toBeLessThan(10_000);
  expect(new Set(buckets).size).toBeGreaterThan(8000);
});

test("renderProfile() never changes the profile, and what it gives is JSON", () => {
  fc.assert(fc.property(fc.array(profileChange, { maxLength: 20, size: "max" }), (changes) => {
    const shown = renderProfile(user(changes), { fields: [...exportFields, ...extensionFields], currencyRates: { EUR: "1.1" } });
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
    expect(Object.keys(shown)).toEqual([...exportFields, ...extensionFields].filter((name) => Object.hasOwn(shown, name)));
  }));
});

function user(changes: readonly ProfileChange[]): Profile {
  let profile: Profile | undefined;
  for (const record of recordsOf(id, changes)) profile = applyRecord(profile, { ...record, now: noon }) ?? undefined;
  if (!profile) throw new Error("Expected a profile");
  return profile;
}
