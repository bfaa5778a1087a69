/** What counts, as a table; rows that keep the counts, and what of them a name too many is. */
import { expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import { countEffects } from "./count-effects.ts";
import { addCounts, type CountName, noCounts, otherEvents, plus, totalOf } from "./count-rows.ts";
import type { ConsentRecord } from "../ports.ts";
import type { ProfileChange } from "../profile/profile-record.ts";

const cause = { sequence: 1, part: 0, at: 0, requestId: "r", actor: "a" };
const purchase = { type: "purchase", productId: "p", time: 1 } as const;

function ofChanges(changes: readonly ProfileChange[]): object {
  const profiles = changes.map((change) => ({ userId: "u", mark: [1, 0] as const, now: 5, change }));
  return Object.fromEntries(countEffects([{ sequence: 1, profiles, consent: [], forgotten: [] }]));
}

function ofConsent(consent: readonly ConsentRecord[]): object {
  return Object.fromEntries(countEffects([{ sequence: 1, profiles: [], consent, forgotten: [] }]));
}

test.each<[string, readonly ProfileChange[], object]>([
  ["a new user", [{ type: "create" }, { type: "identity", externalId: "x" }], { "users:new": 1 }],
  ["a delete", [{ type: "delete" }], { "users:deleted": 1 }],
  [
    "both sides of a merge",
    [{ type: "handoff", mergeId: "m", targetId: "t", undoUntil: 9 }, { type: "await", mergeId: "m", sourceId: "s", undoUntil: 9 }],
    { "users:merged": 1 },
  ],
  ["a merge taken back", [{ type: "undo", mergeId: "m", sourceId: "s" }], { "users:unmerged": 1 }],
  ["events by name, whatever the name", [
    { type: "event", name: "a", time: 1 },
    { type: "event", name: "__proto__", time: 1 },
    { type: "event", name: "a", time: 2 },
  ], { "events:a": 2, "events:__proto__": 1 }],
  ["purchases by quantity, revenue by currency", [
    { ...purchase, currency: "EUR", revenueCents: 250, quantity: 2 },
    { ...purchase, currency: "USD", revenueCents: 100, quantity: 1 },
    { ...purchase, currency: "EUR", revenueCents: 1, quantity: 1 },
  ], { "purchases:": 4, "revenue:EUR": 251, "revenue:USD": 100 }],
  ["fields and what an operator admits", [{ type: "attributes", fields: [["country", "DE"]] }, { type: "admit" }], {}],
])("%s", (_, changes, expected) => {
  expect(ofChanges(changes)).toEqual(expected);
});

test.each<[string, readonly ConsentRecord[], object]>([
  ["one membership", [{ ...cause, type: "membership", userId: "u", groupId: "g", state: "subscribed" }], { "consent:group_subscribed": 1 }],
  ["a fan-out, user by user", [{ ...cause, type: "memberships", userIds: ["a", "b", "c"], groupId: "g", state: "unsubscribed" }], {
    "consent:group_unsubscribed": 3,
  }],
  ["an address", [
    { ...cause, type: "emailStatus", address: "a@b.c", status: "opted_in" },
    { ...cause, type: "emailMark", address: "a@b.c", mark: "hard_bounced" },
    { ...cause, type: "phoneMark", address: "+1", mark: "deactivated" },
  ], { "consent:email_opted_in": 1, "consent:email_hard_bounced": 1, "consent:phone_deactivated": 1 }],
  ["what only moves users", [{ ...cause, type: "userDeleted", userId: "u" }], {}],
])("consent: %s", (_, consent, expected) => {
  expect(ofConsent(consent)).toEqual(expected);
});

test("counts add up by slot and in total, and a row is never changed in place", () => {
  const first = addCounts(noCounts, 3, new Map<CountName, number>([["events:a", 2], ["users:new", 1]]));
  const before = structuredClone(first);
  const second = addCounts(
    addCounts(first, 4, new Map<CountName, number>([["events:b", 5]])),
    3,
    new Map<CountName, number>([["events:a", 1]]),
  );
  expect(first).toEqual(before);
  expect(second.slots.toSorted(([a], [b]) => a - b)).toEqual([[3, [3, 1]], [4, [0, 0, 5]]]);
  expect(Object.fromEntries(totalOf(second))).toEqual({ "events:a": 3, "users:new": 1, "events:b": 5 });
});

test("names of events beyond the limit are others, and nothing is lost", () => {
  let row = noCounts;
  for (let at = 0; at < limits.countedEventNamesMax + 10; at += 1) {
    row = addCounts(row, at % 60, new Map<CountName, number>([[`events:${at}`, 2]]));
  }
  const total = totalOf(row);
  expect(total.size).toBe(limits.countedEventNamesMax + 1);
  expect(total.get(otherEvents)).toBe(20);
});

test("sums stay exact where numbers are not", () => {
  const max = Number.MAX_SAFE_INTEGER;
  expect(plus(max, 2)).toBe("9007199254740993");
  expect(plus(plus(max, 2), 5)).toBe("9007199254740998");
  expect(plus(1, 2)).toBe(3);
});
