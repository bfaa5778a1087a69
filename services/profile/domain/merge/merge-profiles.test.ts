/** Tests of the merge: the rules of POST /users/merge in the specification, each by its number. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { profileChange, recordsOf } from "../../../../test/arbitrary/profile-record.ts";
import { profileToRow } from "../../store/rows.ts";
import { applyRecord } from "../profile/apply-records.ts";
import { dayMs, dayOf } from "../profile/apply-summary.ts";
import { copyProfile, mergeProfiles } from "./merge-profiles.ts";
import type { Device } from "../record/intake-record.ts";
import type { Profile } from "../profile/profile.ts";
import type { ProfileChange } from "../profile/profile-record.ts";
import type { FieldValue, StandardField } from "../record/track-object.ts";

const noon = Date.UTC(2026, 0, 1, 12);
const older = "2025-01-01T00:00:00.000Z";
const newer = "2025-06-01T00:00:00.000Z";

const filled: readonly (readonly [StandardField, FieldValue, FieldValue])[] = [
  ["first_name", "Ann", "Bo"],
  ["last_name", "Ash", "Birch"],
  ["gender", "F", "M"],
  ["dob", "1990-01-01", "1991-01-01"],
  ["time_zone", "Europe/Berlin", "Asia/Tokyo"],
  ["home_city", "Ulm", "Nara"],
  ["country", "DE", "JP"],
  ["language", "de", "ja"],
  ["current_location", { longitude: 1, latitude: 2 }, { longitude: 3, latitude: 4 }],
  ["image_url", "https://a.example", "https://b.example"],
  ["push_tokens", [{ app_id: "a", token: "1" }], [{ app_id: "b", token: "2" }]],
  ["facebook", { id: "1" }, { id: "2" }],
  ["twitter", { id: 1 }, { id: 2 }],
];

test.each(filled)("mergeProfiles() rule 4: fills %s when missing and keeps it otherwise", (field, own, other) => {
  expect(fieldAfter(field, undefined, other)).toEqual(other);
  expect(fieldAfter(field, own, other)).toEqual(own);
  expect(fieldAfter(field, own, undefined)).toEqual(own);
});

const fieldRules: readonly (readonly [string, StandardField, FieldValue | undefined, FieldValue | undefined, FieldValue | undefined])[] = [
  ["6: first session is the earliest", "date_of_first_session", newer, older, older],
  ["6: first session is the earliest", "date_of_first_session", older, newer, older],
  ["6: last session is the latest", "date_of_last_session", older, newer, newer],
  ["6: last session is the latest", "date_of_last_session", newer, older, newer],
  ["6: a Last_X_at moves when the orphan's is more recent", "marked_email_as_spam_at", older, newer, newer],
  ["6: a Last_X_at moves when the orphan's is more recent", "marked_email_as_spam_at", newer, older, newer],
  ["6: dates missing are filled", "marked_email_as_spam_at", undefined, older, older],
  ["consent: the orphan's unsubscribe stays", "push_subscribe", "opted_in", "unsubscribed", "unsubscribed"],
  ["consent: an unsubscribe is not lifted", "push_subscribe", "unsubscribed", "opted_in", "unsubscribed"],
  ["consent: otherwise the own value is kept", "push_subscribe", "subscribed", "opted_in", "subscribed"],
  ["consent: otherwise it is filled", "push_subscribe", undefined, "opted_in", "opted_in"],
  ["consent: tracking switched off stays off", "email_open_tracking_disabled", false, true, true],
  ["consent: tracking switched off stays off", "email_click_tracking_disabled", true, false, true],
];

test.each(fieldRules)("mergeProfiles() rule %s (%s)", (...[, field, own, other, expected]) => {
  expect(fieldAfter(field, own, other)).toEqual(expected);
});

test("mergeProfiles() rule 4: keeps custom attributes and adds missing ones", () => {
  const target = user("t", [{
    type: "attributes",
    custom: [["a", { op: "set", value: 1 }], ["constructor", { op: "set", value: "own" }]],
  }]);
  const source = user("s", [{
    type: "attributes",
    custom: [["a", { op: "set", value: 2 }], ["b", { op: "set", value: 3 }], ["constructor", { op: "set", value: "x" }]],
  }]);
  expect([...mergeProfiles(target, source, noon).custom]).toEqual([["a", 1], ["constructor", "own"], ["b", 3]]);
});

test("mergeProfiles() rules 4, 5, 6: adds event counts, also by day, and keeps earliest and latest", () => {
  const target = user("t", [{ type: "event", name: "a", time: noon }, { type: "event", name: "own", time: noon }]);
  const source = user("s", [
    { type: "event", name: "a", time: noon - 3 * dayMs },
    { type: "event", name: "a", time: noon },
    { type: "event", name: "other", time: noon - dayMs },
  ]);
  const today = dayOf(noon);
  expect([...mergeProfiles(target, source, noon).events]).toEqual([
    ["a", { first: noon - 3 * dayMs, last: noon, count: 3, days: new Map([[today, 2], [today - 3, 1]]) }],
    ["own", { first: noon, last: noon, count: 1, days: new Map([[today, 1]]) }],
    ["other", { first: noon - dayMs, last: noon - dayMs, count: 1, days: new Map([[today - 1, 1]]) }],
  ]);
});

test("mergeProfiles() rules 5, 6: adds purchases, their number and cents by currency", () => {
  const buy = { type: "purchase", productId: "cd", currency: "USD", revenueCents: 999, quantity: 2, time: noon } as const;
  const target = user("t", [buy]);
  const source = user("s", [{ ...buy, time: noon - dayMs, quantity: 1, revenueCents: 1 }, { ...buy, currency: "EUR", productId: "book" }]);
  const merged = mergeProfiles(target, source, noon);
  expect(merged.purchases.get("cd")).toMatchObject({ first: noon - dayMs, last: noon, count: 3 });
  expect([merged.purchaseCount, ...merged.revenue]).toEqual([5, ["USD", 1000n], ["EUR", 999n]]);
});

test("mergeProfiles() forgets days that are out of the window at the merge", () => {
  const target = user("t", [{ type: "event", name: "a", time: noon }]);
  const source = user("s", [{ type: "event", name: "b", time: noon }]);
  const merged = mergeProfiles(target, source, noon + 90 * dayMs);
  expect(merged.events.get("b")).toEqual({ first: noon, last: noon, count: 1, days: new Map() });
});

test("mergeProfiles() rules 5, 6, 7: combines the sessions of an app that both have", () => {
  const target = user("t", [session("web", 0), session("web", 1)]);
  const merged = mergeProfiles(target, user("s", [session("web", -3), session("web", 9)]), noon);
  expect([...merged.apps]).toEqual([["web", { sessions: 4, firstSession: noon - 3 * dayMs, lastSession: noon + 9 * dayMs }]]);
});

test("mergeProfiles() rules 4, 7: an app of the source alone comes over whole", () => {
  const merged = mergeProfiles(user("t", []), user("s", [session("ios", 0)]), noon);
  expect([...merged.apps]).toEqual([["ios", { sessions: 1, firstSession: noon, lastSession: noon }]]);
});

test("mergeProfiles() rule 4: fills devices; of a known one only the time it was seen moves", () => {
  const target = user("t", [session("a", 0, { deviceId: "d", model: "m", os: "18" })]);
  const source = user("s", [
    session("a", 1, { deviceId: "d", model: "m", os: "19" }),
    session("a", 0, { deviceId: "e", model: "m", os: "17" }),
  ]);
  const merged = mergeProfiles(target, source, noon);
  expect([...merged.devices]).toEqual([["d", { model: "m", os: "18", lastSeen: noon + dayMs }], ["e", {
    model: "m",
    os: "17",
    lastSeen: noon,
  }]]);
});

test("mergeProfiles() rules 4, 6: fills campaigns and canvases, their dates take the most recent", () => {
  const own = { type: "engagement", channel: "canvas", messageId: "c", name: "Own" } as const;
  const other = { ...own, name: "Other" } as const;
  const target = user("t", [{ ...own, interaction: "received", at: noon }, { ...own, interaction: "opened", at: noon + 5 * dayMs }]);
  const source = user("s", [
    { ...other, interaction: "received", at: noon + 2 * dayMs },
    { ...other, interaction: "opened", at: noon + dayMs },
    { ...other, messageId: "d", name: "New", interaction: "clicked", at: noon },
  ]);
  expect([...mergeProfiles(target, source, noon).engagements]).toEqual([
    ["canvas:c", { name: "Own", latest: new Map([["received", noon + 2 * dayMs], ["opened", noon + 5 * dayMs]]) }],
    ["canvas:d", { name: "New", latest: new Map([["clicked", noon]]) }],
  ]);
});

test("mergeProfiles() leaves names and mark alone, keeps the older creation, and is an update", () => {
  const target = user("t", [{ type: "identity", externalId: "ann", email: null }]);
  const source = user("s", [{
    type: "identity",
    externalId: "bob",
    email: "b@example.com",
    phone: "+12025550101",
    aliases: [{ label: "a", name: "b" }],
  }]);
  source.createdAt = noon - 5 * dayMs;
  const merged = mergeProfiles(target, source, noon + dayMs);
  expect(merged).toMatchObject({
    id: "t",
    mark: [1, 1],
    externalId: "ann",
    email: null,
    phone: null,
    aliases: [],
    createdAt: noon - 5 * dayMs,
    updatedAt: noon + dayMs,
  });
});

test("mergeProfiles() sums exactly, takes first = min and last = max, and keeps what the target has", () => {
  const changes = fc.array(profileChange, { maxLength: 25, size: "max" });
  fc.assert(fc.property(changes, changes, (targetChanges, sourceChanges) => {
    const [target, source] = [random("t", targetChanges), random("s", sourceChanges)];
    const merged = mergeProfiles(copyProfile(target), source, target.updatedAt);
    expectSummed(merged.events, target.events, source.events);
    expectSummed(merged.purchases, target.purchases, source.purchases);
    expect(merged.purchaseCount).toBe(target.purchaseCount + source.purchaseCount);
    for (const currency of new Set([...target.revenue.keys(), ...source.revenue.keys()])) {
      expect(merged.revenue.get(currency)).toBe((target.revenue.get(currency) ?? 0n) + (source.revenue.get(currency) ?? 0n));
    }
    expect(new Map([...source.custom, ...target.custom])).toEqual(new Map(merged.custom));
    expect(sessions(merged)).toBe(sessions(target) + sessions(source));
  }));
});

test("mergeProfiles() changes nothing of the source, nor does what happens to the target later", () => {
  const changes = fc.array(profileChange, { maxLength: 20, size: "max" });
  fc.assert(fc.property(changes, changes, changes, (targetChanges, sourceChanges, laterChanges) => {
    const source = random("s", sourceChanges);
    const before = profileToRow(source);
    const target = mergeProfiles(random("t", targetChanges), source, noon);
    for (const record of recordsOf("t", laterChanges, 1000)) applyRecord(target, record);
    expect(profileToRow(source)).toBe(before);
  }));
});

function expectSummed(merged: Profile["events"], target: Profile["events"], source: Profile["events"]): void {
  expect(new Set(merged.keys())).toEqual(new Set([...target.keys(), ...source.keys()]));
  for (const [name, { first, last, count }] of merged) {
    const sides = [target.get(name), source.get(name)].filter((side) => side !== undefined);
    expect({ first, last, count }).toEqual({
      first: Math.min(...sides.map((side) => side.first)),
      last: Math.max(...sides.map((side) => side.last)),
      count: sides.reduce((sum, side) => sum + side.count, 0),
    });
  }
}

function session(appId: string, days: number, device?: Device): ProfileChange {
  const report = { type: "session", appId, startedAt: noon + days * dayMs } as const;
  return device === undefined ? report : { ...report, device };
}

function sessions(profile: Profile): number {
  return [...profile.apps.values()].reduce((sum, app) => sum + app.sessions, 0);
}

function fieldAfter(field: StandardField, own: FieldValue | undefined, other: FieldValue | undefined): FieldValue | undefined {
  return mergeProfiles(withField(field, own), withField(field, other), noon).fields.get(field);
}

function withField(field: StandardField, value: FieldValue | undefined): Profile {
  return user("u", value === undefined ? [] : [{ type: "attributes", fields: [[field, value]] }]);
}

function random(id: string, changes: readonly ProfileChange[]): Profile {
  return applyAll(recordsOf(id, changes));
}

function user(id: string, changes: readonly ProfileChange[]): Profile {
  return applyAll(recordsOf(id, changes).map((record) => ({ ...record, now: noon })));
}

function applyAll(records: ReturnType<typeof recordsOf>): Profile {
  let profile: Profile | undefined;
  for (const record of records) profile = applyRecord(profile, record) ?? undefined;
  if (!profile) throw new Error("Expected a profile");
  return profile;
}
