/** What becomes of a profile that is full: objects are dropped and noted, and it stays usable. */
import { expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import { profileFromRow, profileToRow } from "../../store/rows.ts";
import { freeze, takeIn } from "../merge/apply-merge.ts";
import { applyRecord } from "./apply-records.ts";
import { mergeProfiles } from "../merge/merge-profiles.ts";
import type { Profile } from "./profile.ts";
import type { ProfileChange } from "./profile-record.ts";
import { ownEntries } from "../../../../platform/own-entries.ts";

let sequence = 0;

function apply(profile: Profile | undefined, change: ProfileChange): Profile {
  sequence += 1;
  const after = applyRecord(profile, { userId: "u", mark: [sequence, 0], now: sequence, change });
  if (after === null) throw new Error("Expected a profile");
  return after;
}

/** About 480 KB of attributes that no other object has. */
function attributes(block: number): ProfileChange {
  const value = Object.fromEntries(Array.from({ length: 360 }, (_, at) => [`k${at}`, "x".repeat(255)]));
  const custom = Array.from({ length: 5 }, (_, at) => [`a${block}_${at}`, { op: "set" as const, value }] as const);
  return { type: "attributes", custom };
}

function event(name: string): ProfileChange {
  return { type: "event", name, time: 0 };
}

function full(): Profile {
  let profile = apply(undefined, { type: "create" });
  profile = apply(profile, event("known"));
  for (let block = 0; block < 40; block += 1) profile = apply(profile, attributes(block));
  return profile;
}

test("objects beyond the room are dropped whole, noted, and what is there stays", () => {
  const profile = full();
  expect(profile.custom.size % 5).toBe(0);
  expect(profile.custom.has("a0_0")).toBe(true);
  expect(profile.dropped?.count).toBe(40 - profile.custom.size / 5);
  const bytes = Buffer.byteLength(profileToRow(profile));
  expect(bytes).toBeLessThan(limits.profileBytesMax * 1.05);
  expect(bytes).toBeGreaterThan(limits.profileBytesMax - limits.objectBytesMax);
  expect(profileFromRow(profileToRow(profile))).toEqual(profile);
});

test("attributes beyond the number that a profile has are noted", () => {
  const names = Array.from(
    { length: limits.attributesPerProfileMax + 1 },
    (_, at) => [`n${at}`, { op: "set" as const, value: 1 }] as const,
  );
  const profile = apply(apply(undefined, { type: "create" }), { type: "attributes", custom: names });
  expect([profile.custom.size, profile.dropped?.count]).toEqual([limits.attributesPerProfileMax, 1]);
  const nothingToAdd = { op: "members", add: [], remove: ["x"] } as const;
  expect(apply(profile, { type: "attributes", custom: [["new", nothingToAdd]] }).dropped?.count).toBe(1);
});

test("a merge brings no more attributes than a profile may have, and notes the others", () => {
  const [target, source] = ["t", "s"].map((user) => {
    const profile = apply(undefined, { type: "create" });
    const custom = ownEntries(profile, "custom");
    for (let at = 0; at < limits.attributesPerProfileMax - 1; at += 1) custom.set(`${at < 10 ? "both" : user}${at}`, user);
    return profile;
  });
  if (target === undefined || source === undefined) throw new Error("Expected two profiles");
  const merged = mergeProfiles(target, source, 9);
  expect([merged.custom.size, merged.custom.get("both0"), merged.custom.get("s10")]).toEqual([limits.attributesPerProfileMax, "t", "s"]);
  expect(merged.dropped?.count).toBe(limits.attributesPerProfileMax - 12);
});

test("however records are cut into batches, the row is the same", () => {
  sequence = 0;
  const atOnce = profileToRow(full());
  sequence = 0;
  let text = profileToRow(apply(undefined, { type: "create" }));
  for (const change of [event("known"), ...Array.from({ length: 40 }, (_, block) => attributes(block))]) {
    text = profileToRow(apply(profileFromRow(text), change));
  }
  expect(text).toBe(atOnce);
});

test("a full profile still counts what it knows, takes names, gives room back, and is larger from an older build without harm", () => {
  let profile = full();
  ownEntries(profile, "custom").set("older", "x".repeat(limits.profileBytesMax));
  profile = profileFromRow(profileToRow(profile));
  const dropped = profile.dropped?.count ?? 0;
  profile = apply(profile, event("known"));
  profile = apply(profile, { type: "identity", externalId: "ann" });
  profile = apply(profile, event("new"));
  expect([profile.events.get("known")?.count, profile.externalId, profile.events.has("new")]).toEqual([2, "ann", false]);
  expect(profile.dropped?.count).toBe(dropped + 1);
  profile = apply(profile, { type: "attributes", custom: [["older", { op: "unset" }], ["a0_0", { op: "unset" }]] });
  profile = apply(profile, event("new"));
  expect([profile.custom.has("older"), profile.events.has("new"), profile.dropped?.count]).toEqual([false, true, dropped + 1]);
});

test("a merge of two large profiles takes what there is room for, adds all counts of known events, and can be frozen", () => {
  const [target, source] = [full(), full()];
  for (let at = 0; at < 100; at += 1) ownEntries(source, "custom").set(`other${at}`, "y".repeat(100_000));
  ownEntries(source, "events").set("other", { first: 0, last: 0, count: 5, days: new Map() });
  sequence += 1;
  const change = { type: "await" as const, mergeId: "m", sourceId: "s", undoUntil: Infinity };
  const awaiting = { userId: "u", mark: [sequence, 1] as const, now: sequence, change };
  const frozen = freeze({ source, target }, awaiting);
  const merged = takeIn(target, source, awaiting);
  expect(merged.events.get("known")?.count).toBe(2);
  expect(merged.dropped?.count).toBeGreaterThan(frozen.targetBefore.dropped?.count ?? 0);
  expect(Buffer.byteLength(profileToRow(merged))).toBeLessThan(limits.profileBytesMax * 1.05);
});
