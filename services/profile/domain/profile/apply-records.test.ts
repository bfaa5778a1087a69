/** Tests of the applier's pure step: what each change does, and that it does so exactly once. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { profileChange, recordsOf } from "../../../../test/arbitrary/profile-record.ts";
import { limits } from "../../../../platform/limits.ts";
import { profileFromRow, profileToRow } from "../../store/rows.ts";
import { applyRecord } from "./apply-records.ts";
import { dayMs, dayOf } from "./apply-summary.ts";
import type { Profile } from "./profile.ts";
import type { ProfileChange, ProfileRecord } from "./profile-record.ts";

const noon = Date.UTC(2026, 0, 1, 12);

test("applyRecord() creates a user with nothing but its id and times", () => {
  const profile = applied([{ type: "create" }]);
  expect(profile).toMatchObject({
    id: "u1",
    createdAt: noon,
    updatedAt: noon,
    externalId: null,
    aliases: [],
    email: null,
    phone: null,
    purchaseCount: 0,
  });
});

test("applyRecord() makes nobody but by create, and leaves nobody after delete", () => {
  expect(applyRecord(undefined, record({ type: "event", name: "a", time: noon }, 1))).toBeNull();
  expect(applyRecord(applied([{ type: "create" }]), record({ type: "delete" }, 2))).toBeNull();
});

test("applyRecord() skips what is at or below the mark", () => {
  const event: ProfileChange = { type: "event", name: "a", time: noon };
  const profile = applied([{ type: "create" }, event]);
  for (const mark of [[2, 0], [1, 9], [0, 0]] as const) applyRecord(profile, { ...record(event, 0), mark });
  expect(profile.events.get("a")?.count).toBe(1);
  applyRecord(profile, { ...record(event, 0), mark: [2, 1] });
  expect(profile.events.get("a")?.count).toBe(2);
});

test("applyRecord() refuses the two-sided changes of a merge", () => {
  const profile = applied([{ type: "create" }]);
  expect(() => applyRecord(profile, record({ type: "undo", mergeId: "m", sourceId: "u2" }, 2))).toThrow('got "undo"');
});

test("applyRecord() takes names as they are sent and leaves absent ones", () => {
  const alias = { label: "crm", name: "7" };
  const profile = applied([
    { type: "create" },
    { type: "identity", externalId: "ann", aliases: [alias], email: "a@example.com", phone: "+12025550101" },
    { type: "identity", email: null },
  ]);
  expect(profile).toMatchObject({ externalId: "ann", aliases: [alias], email: null, phone: "+12025550101" });
});

test("applyRecord() writes standard fields and takes them away with null", () => {
  const profile = applied([
    { type: "create" },
    { type: "attributes", fields: [["first_name", "Ann"], ["gender", "F"]] },
    { type: "attributes", fields: [["gender", null], ["home_city", "Ulm"]] },
  ]);
  expect([...profile.fields]).toEqual([["first_name", "Ann"], ["home_city", "Ulm"]]);
});

test("applyRecord() keeps first, last and count of an event over all time, in whatever order they come", () => {
  const times = [noon, noon - 400 * dayMs, noon - dayMs];
  const profile = applied([{ type: "create" }, ...times.map((time) => ({ type: "event", name: "a", time }) as const)]);
  expect(profile.events.get("a")).toMatchObject({ first: noon - 400 * dayMs, last: noon, count: 3 });
});

test("applyRecord() counts a purchase of quantity n as n, and its revenue by currency in exact cents", () => {
  const buy = { type: "purchase", productId: "cd", currency: "USD", revenueCents: 2 ** 53 - 1, quantity: 3, time: noon } as const;
  const profile = applied([{ type: "create" }, buy, buy, { ...buy, currency: "EUR", revenueCents: 1, quantity: 1 }]);
  expect(profile.purchases.get("cd")).toEqual({ first: noon, last: noon, count: 7, days: new Map([[dayOf(noon), 7]]) });
  expect(profile.purchaseCount).toBe(7);
  expect([...profile.revenue]).toEqual([["USD", 18014398509481982n], ["EUR", 1n]]);
});

test("applyRecord() keeps counts of the last 30 days before its now, whole days of UTC", () => {
  const today = dayOf(noon);
  const times = [0, 0, 1, limits.dayCountsKept, limits.dayCountsKept + 1].map((ago) => noon - ago * dayMs);
  const profile = applied([{ type: "create" }, ...times.map((time) => ({ type: "event", name: "a", time }) as const)]);
  expect([...profile.events.get("a")?.days ?? []]).toEqual([[today, 2], [today - 1, 1], [today - limits.dayCountsKept, 1]]);
  applyRecord(profile, { ...record({ type: "event", name: "a", time: noon }, 9), now: noon + dayMs });
  expect([...profile.events.get("a")?.days ?? []]).toEqual([[today, 3], [today - 1, 1]]);
});

test("applyRecord() forgets days of the summary it touches alone", () => {
  const profile = applied([{ type: "create" }, { type: "event", name: "a", time: noon }, { type: "event", name: "b", time: noon }]);
  applyRecord(profile, { ...record({ type: "event", name: "a", time: noon + 90 * dayMs }, 9), now: noon + 90 * dayMs });
  expect(profile.events.get("a")?.days.size).toBe(1);
  expect([...profile.events.get("b")?.days.keys() ?? []]).toEqual([dayOf(noon)]);
});

test("applyRecord() counts sessions by app and moves the session dates outwards", () => {
  const profile = applied([{ type: "create" }, session("web", 0), session("web", -2), session("ios", 5)]);
  expect(profile.apps.get("web")).toEqual({ sessions: 2, firstSession: noon - 2 * dayMs, lastSession: noon });
  expect(profile.apps.get("ios")).toEqual({ sessions: 1, firstSession: noon + 5 * dayMs, lastSession: noon + 5 * dayMs });
  expect(profile.fields.get("date_of_first_session")).toBe("2025-12-30T12:00:00.000Z");
  expect(profile.fields.get("date_of_last_session")).toBe("2026-01-06T12:00:00.000Z");
});

test("applyRecord() lets the newest session describe the device", () => {
  const profile = applied([{ type: "create" }, session("ios", 0, "18"), session("ios", 3, "19"), session("ios", 1, "17")]);
  expect([...profile.devices]).toEqual([["d", { model: "m", os: "19", lastSeen: noon + 3 * dayMs }]]);
});

test("applyRecord() keeps the latest of each interaction", () => {
  const message = { type: "engagement", channel: "campaign", messageId: "c1", name: "Spring" } as const;
  const profile = applied([
    { type: "create" },
    { ...message, interaction: "received", at: noon + dayMs },
    { ...message, interaction: "received", at: noon },
    { ...message, interaction: "opened", at: noon + 2 * dayMs },
  ]);
  expect(profile.engagements.get("campaign:c1")).toEqual({
    name: "Spring",
    latest: new Map([["received", noon + dayMs], ["opened", noon + 2 * dayMs]]),
  });
});

test("applyRecord() gives the same row however the records are cut into batches", () => {
  fc.assert(
    fc.property(
      fc.array(profileChange, { maxLength: 30, size: "max" }),
      fc.array(fc.boolean(), { minLength: 31, maxLength: 31 }),
      (changes, cuts) => {
        const records = recordsOf("u1", changes);
        let stored: Profile | undefined;
        records.forEach((one, at) => {
          stored = applyRecord(stored, one) ?? undefined;
          if (stored && cuts[at]) stored = profileFromRow(profileToRow(stored));
        });
        expect(rowOf(stored)).toBe(rowOf(whole(records)));
      },
    ),
  );
});

test("applyRecord() changes nothing when any stretch already applied is replayed", () => {
  fc.assert(fc.property(fc.array(profileChange, { maxLength: 20, size: "max" }), fc.nat(20), fc.nat(20), (changes, upTo, back) => {
    const records = recordsOf("u1", changes);
    const prefix = records.slice(0, upTo + 1);
    const again = [...prefix, ...prefix.slice(Math.max(0, prefix.length - back)), ...records.slice(prefix.length)];
    expect(rowOf(whole(again))).toBe(rowOf(whole(records)));
  }));
});

test("applyRecord() counts as many events and purchases as there were", () => {
  fc.assert(fc.property(fc.array(profileChange, { maxLength: 60, size: "max" }), (changes) => {
    const profile = whole(recordsOf("u1", changes));
    const events = changes.filter((change) => change.type === "event");
    const purchases = changes.filter((change) => change.type === "purchase");
    expect(total(profile?.events)).toBe(events.length);
    expect(total(profile?.purchases)).toBe(purchases.reduce((sum, { quantity }) => sum + quantity, 0));
    expect(profile?.purchaseCount).toBe(total(profile?.purchases));
    const cents = [...profile?.revenue.values() ?? []].reduce((sum, amount) => sum + amount, 0n);
    expect(cents).toBe(purchases.reduce((sum, { revenueCents }) => sum + BigInt(revenueCents), 0n));
    for (const [name, summary] of profile?.events ?? []) {
      const times = events.filter((event) => event.name === name).map(({ time }) => time);
      expect([summary.first, summary.last]).toEqual([Math.min(...times), Math.max(...times)]);
    }
  }));
});

function session(appId: string, days: number, os?: string): ProfileChange {
  const report = { type: "session", appId, startedAt: noon + days * dayMs } as const;
  return os === undefined ? report : { ...report, device: { deviceId: "d", model: "m", os } };
}

function record(change: ProfileChange, sequence: number): ProfileRecord {
  return { userId: "u1", mark: [sequence, 0], now: noon, change };
}

function applied(changes: readonly ProfileChange[]): Profile {
  const profile = whole(changes.map((change, at) => record(change, at + 1)));
  if (!profile) throw new Error("Expected a profile");
  return profile;
}

function whole(records: readonly ProfileRecord[]): Profile | undefined {
  return records.reduce<Profile | undefined>((profile, one) => applyRecord(profile, one) ?? undefined, undefined);
}

function rowOf(profile: Profile | undefined): string | undefined {
  return profile && profileToRow(profile);
}

function total(summaries: Profile["events"] | undefined): number {
  return [...summaries?.values() ?? []].reduce((sum, { count }) => sum + count, 0);
}
