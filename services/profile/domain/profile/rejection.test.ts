/** Who is rejected, by what, and how an operator's word and merges change it. */
import { expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import { profileFromRow, profileToRow } from "../../store/rows.ts";
import { freeze, takeBack, takeIn } from "../merge/apply-merge.ts";
import { applyRecord } from "./apply-records.ts";
import { checkTrack } from "../track/check-track.ts";
import { copyProfile } from "../merge/merge-profiles.ts";
import type { Profile, Rejection, Summary } from "./profile.ts";
import type { ProfileChange } from "./profile-record.ts";
import { noteRejection, rejectedKeys } from "./rejection.ts";
import { nameOf } from "../record/user-key.ts";

let sequence = 0;

function apply(profile: Profile | undefined, change: ProfileChange): Profile {
  sequence += 1;
  const after = applyRecord(profile, { userId: "u", mark: [sequence, 0], now: sequence, change });
  if (after === null) throw new Error("Expected a profile");
  return after;
}

interface Had {
  readonly events?: number;
  readonly products?: number;
  readonly sessions?: readonly number[];
}

function userOf({ events = 0, products = 0, sessions = [] }: Had, prefix = "n"): Profile {
  const profile = apply(undefined, { type: "create" });
  profile.events = summaries(events, prefix);
  profile.purchases = summaries(products, prefix);
  profile.apps = new Map(sessions.map((count, at) => [`app ${at}`, { sessions: count, firstSession: 0, lastSession: 0 }]));
  noteRejection(profile);
  return profile;
}

function summaries(count: number, prefix: string): Map<string, Summary> {
  return new Map(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, { first: 0, last: 0, count: 1, days: new Map() }]));
}

test("the thresholds are the published ones", () => {
  const { eventNamesPerUserMax, productIdsPerUserMax, sessionsPerUserMax } = limits;
  expect([eventNamesPerUserMax, productIdsPerUserMax, sessionsPerUserMax]).toEqual([20_000, 20_000, 5_000_000]);
});

test.each<[Had, Rejection | undefined]>([
  [{}, undefined],
  [{ events: 20_000, products: 20_000, sessions: [4_999_999, 1] }, undefined],
  [{ events: 20_001 }, { counted: "event_names", count: 20_001, max: 20_000 }],
  [{ products: 20_001 }, { counted: "product_ids", count: 20_001, max: 20_000 }],
  [{ sessions: [5_000_000, 1] }, { counted: "sessions", count: 5_000_001, max: 5_000_000 }],
  [{ events: 30_000, sessions: [6_000_000] }, { counted: "event_names", count: 30_000, max: 20_000 }],
])("%j: %j", (had, expected) => {
  expect(userOf(had).rejected).toEqual(expected);
});

test("one event name more crosses; the same again never does, and what is there stays", () => {
  let profile = userOf({ events: 20_000 });
  profile = apply(profile, { type: "event", name: "n0", time: 0 });
  expect(profile.rejected).toBeUndefined();
  profile = apply(profile, { type: "event", name: "one more", time: 0 });
  expect(profile.rejected).toMatchObject({ counted: "event_names" });
  expect(profile.events.size).toBe(20_001);
});

test("admitted: twice of what there was, by each count, also after a round through the row", () => {
  let profile = apply(userOf({ events: 20_001, products: 5 }), { type: "admit" });
  expect(profile.rejected).toBeUndefined();
  profile = profileFromRow(profileToRow(profile));
  profile.events = summaries(40_001, "n");
  profile = apply(profile, { type: "event", name: "40,002", time: 0 });
  expect(profile.rejected).toBeUndefined();
  profile = apply(profile, { type: "event", name: "40,003", time: 0 });
  expect(profile.rejected).toEqual({ counted: "event_names", count: 40_003, max: 40_002 });
  profile = profileFromRow(profileToRow(profile));
  expect(profile.rejected).toEqual({ counted: "event_names", count: 40_003, max: 40_002 });
  profile.events = summaries(1, "n");
  profile.purchases = summaries(20_001, "p");
  noteRejection(profile);
  expect(profile.rejected).toEqual({ counted: "product_ids", count: 20_001, max: 20_000 });
  // A user with little gets no lower limit than others
  expect(apply(userOf({ events: 20_000 }), { type: "admit" }).rejected).toBeUndefined();
});

test("a target that becomes too large by a merge is rejected, keeps all, and is not once the merge is taken back", () => {
  const [source, target] = [userOf({ events: 15_000 }, "source"), userOf({ events: 15_000 }, "target")];
  sequence += 1;
  const change = { type: "await" as const, mergeId: "m", sourceId: "s", undoUntil: 1e15 };
  const awaiting = { userId: "u", mark: [sequence, 0] as const, now: sequence, change };
  const frozen = freeze({ source, target }, awaiting);
  const merged = takeIn(copyProfile(target), source, awaiting);
  expect(merged.events.size).toBe(30_000);
  expect(merged.rejected).toMatchObject({ count: 30_000 });
  sequence += 1;
  const undo = { type: "undo" as const, mergeId: "m", sourceId: "s" };
  const back = takeBack(frozen, { userId: "u", mark: [sequence, 0], now: sequence, change: undo });
  expect([back.target.rejected, back.source.rejected]).toEqual([undefined, undefined]);
});

test("a user who takes in an admitted one may have as much as that", () => {
  const source = apply(userOf({ events: 30_000 }), { type: "admit" });
  const target = apply(userOf({ products: 25_000 }), { type: "admit" });
  sequence += 1;
  const change = { type: "await" as const, mergeId: "m", sourceId: "s", undoUntil: 0 };
  const merged = takeIn(target, source, { userId: "u", mark: [sequence, 0], now: sequence, change });
  expect([merged.events.size, merged.purchases.size, merged.rejected]).toEqual([30_000, 25_000, undefined]);
});

const names = { id: "a".repeat(24), externalId: "x", aliases: [{ label: "l", name: "n" }] };
const rejected = new Set(rejectedKeys(names).map(nameOf));
const noLimits = { objectsPerArrayMax: 0, objectsMax: 0, objectsPerUserMax: 0, rejected };
const text = "provided external_id is blacklisted and disallowed";

test("objects of a rejected user get the published entry by each of its names; all others are taken", () => {
  const time = "2026-01-01";
  const report = checkTrack({
    attributes: [{ external_id: "other", color: "red" }, { external_id: "x", color: "red", dob: "never" }],
    events: [{ user_alias: { alias_label: "l", alias_name: "n" }, name: "e", time }, { braze_id: "A".repeat(24), name: "e", time }],
    purchases: [
      { external_id: "X", product_id: "p", currency: "USD", price: 1, time },
      { external_id: "x", product_id: "p", currency: "USD", price: 1, time },
    ],
  }, noLimits);
  expect(report.errors).toEqual([
    { type: text, inputArray: "attributes", index: 1 },
    { type: text, inputArray: "events", index: 0 },
    { type: text, inputArray: "events", index: 1 },
    { type: text, inputArray: "purchases", index: 1 },
  ]);
  expect([report.attributesProcessed, report.eventsProcessed, report.purchasesProcessed]).toEqual([1, 0, 1]);
});

test("of a rejected user alone nothing is valid", () => {
  const refused = expect.objectContaining({
    reason: "NOTHING_VALID",
    details: { errors: [{ type: text, input_array: "attributes", index: 0 }] },
  });
  expect(() => checkTrack({ attributes: [{ external_id: "x", color: "red" }] }, noLimits)).toThrow(refused);
});
