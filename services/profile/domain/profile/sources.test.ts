/** Provenance: after any change a field says which record set it, also through merges, undo and the row. */
import { expect, test } from "vitest";
import { profileFromRow, profileToRow } from "../../store/rows.ts";
import { freeze, type MergeRecord, takeBack, takeIn } from "../merge/apply-merge.ts";
import { applyRecord } from "./apply-records.ts";
import type { Profile } from "./profile.ts";
import type { ProfileChange, ProfileRecord } from "./profile-record.ts";

function record(sequence: number, change: ProfileChange, userId = "u1"): ProfileRecord {
  return { userId, mark: [sequence, 0], now: sequence * 1_000, change };
}

function profileOf(records: readonly ProfileRecord[]): Profile {
  let profile: Profile | undefined;
  for (const one of records) profile = applyRecord(profile, one) ?? undefined;
  if (profile === undefined) throw new Error("Expected a profile, got nothing");
  return profile;
}

const attributes = { type: "attributes" } as const;

test("each field says the record that set it last; one that was taken away says nothing", () => {
  const { sources } = profileOf([
    record(1, { type: "create" }),
    record(2, { type: "identity", externalId: "ann", email: "ann@example.com" }),
    record(3, { ...attributes, fields: [["first_name", "Ann"], ["gender", "F"]], custom: [["plan", { op: "set", value: "free" }]] }),
    record(4, { ...attributes, fields: [["first_name", "Anna"], ["gender", null]], custom: [["visits", { op: "increment", by: 1 }]] }),
    record(5, { ...attributes, custom: [["visits", { op: "increment", by: 2 }], ["plan", { op: "increment", by: 1 }]] }),
    record(6, { ...attributes, custom: [["gone", { op: "set", value: 1 }]] }),
    record(7, { ...attributes, custom: [["gone", { op: "unset" }]] }),
    record(8, { type: "identity", email: "ann@example.com", phone: "+14155550100" }),
    record(9, { type: "event", name: "e", time: 0 }),
    record(10, { type: "session", appId: "app", startedAt: 0 }),
  ]);
  expect(sources.names).toEqual(new Map([["external_id", 2], ["email", 2], ["phone", 8]]));
  expect(sources.fields).toEqual(new Map([["first_name", 4], ["date_of_first_session", 10], ["date_of_last_session", 10]]));
  // An increment of a text has no effect
  expect(sources.custom).toEqual(new Map([["plan", 3], ["visits", 5]]));
});

test("a merge brings fields with whoever set them, notes itself, and an undo takes both back", () => {
  const source = profileOf([
    record(1, { type: "create" }, "s"),
    record(2, { ...attributes, fields: [["first_name", "Sue"], ["country", "DE"]], custom: [["plan", { op: "set", value: "pro" }]] }, "s"),
  ]);
  const target = profileOf([
    record(3, { type: "create" }, "t"),
    record(4, { ...attributes, fields: [["first_name", "Tim"]] }, "t"),
  ]);
  const before = profileToRow(target);
  const awaiting = record(9, { type: "await", mergeId: "m1", sourceId: "s", undoUntil: 99_000 }, "t") as MergeRecord<"await">;
  const frozen = freeze({ source, target }, awaiting);
  const merged = takeIn(target, source, awaiting);
  expect(merged.sources.fields).toEqual(new Map([["first_name", 4], ["country", 2]]));
  expect(merged.sources.custom).toEqual(new Map([["plan", 2]]));
  expect(merged.merges).toEqual([{ mergeId: "m1", sourceId: "s", sequence: 9, at: 9_000 }]);
  const undo = record(10, { type: "undo", mergeId: "m1", sourceId: "s" }, "t") as MergeRecord<"undo">;
  const taken = takeBack(frozen, undo);
  expect(taken.target.merges).toEqual([]);
  expect(profileFromRow(before).sources).toEqual(taken.target.sources);
});

test("a row keeps provenance exactly, and rows from before it are read", () => {
  const profile = profileOf([
    record(1, { type: "create" }),
    record(40, {
      ...attributes,
      fields: [["first_name", "Ann"]],
      custom: [["a", { op: "set", value: 1 }], ["b", { op: "set", value: 2 }]],
    }),
    record(77, { ...attributes, custom: [["a", { op: "set", value: 3 }]] }),
  ]);
  const text = profileToRow(profile);
  expect(profileFromRow(text)).toEqual(profile);
  expect(profileToRow(profileFromRow(text))).toBe(text);
  const { from: _, ...older } = JSON.parse(text);
  const read = profileFromRow(JSON.stringify(older));
  expect(read.sources.fields.size + read.sources.custom.size).toBe(0);
  expect(applyRecord(read, record(78, { ...attributes, custom: [["b", { op: "set", value: 5 }]] }))?.sources.custom).toEqual(
    new Map([["b", 78]]),
  );
});
