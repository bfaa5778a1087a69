/** Tests of profile rows: what is written comes back, to the last bit of it. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { profileChange, recordsOf } from "../../../test/arbitrary/profile-record.ts";
import { UnknownVersion } from "../../../platform/record-version.ts";
import { applyRecord } from "../domain/profile/apply-records.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { CustomValue, JsonObject } from "../domain/record/track-object.ts";
import { profileFromRow, profileToRow } from "./rows.ts";

test("profileFromRow() gives back what profileToRow() wrote, and its text is the same again", () => {
  fc.assert(fc.property(fc.array(profileChange, { maxLength: 30, size: "max" }), (changes) => {
    const profile = user(changes);
    const read = profileFromRow(profileToRow(profile));
    expect(read).toEqual(profile);
    expect(profileToRow(read)).toBe(profileToRow(profile));
  }));
});

test("profileToRow() keeps names, cents and special keys exactly", () => {
  const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as JsonObject;
  const profile: Profile = {
    ...user([]),
    custom: new Map<string, CustomValue>([["__proto__", value], ["constructor", "\uD800 \u0000 \u{1F600}"]]),
    revenue: new Map([["USD", 10n ** 30n], ["EUR", -1n]]),
  };
  const read = profileFromRow(profileToRow(profile));
  expect([...read.custom.keys()]).toEqual(["__proto__", "constructor"]);
  expect(JSON.stringify(read.custom.get("__proto__"))).toBe('{"__proto__":{"a":1},"constructor":2}');
  expect(read.custom.get("constructor")).toBe("\uD800 \u0000 \u{1F600}");
  expect(read.revenue).toEqual(profile.revenue);
});

test("profileFromRow() refuses the row of a newer version, for which a build is awaited that reads it", () => {
  const newer = profileToRow(user([])).replace('"v":1', '"v":2');
  expect(() => profileFromRow(newer)).toThrow(
    new UnknownVersion('Expected a profile row of version 1, got "2": run the build that wrote it, or a newer one'),
  );
});

function user(changes: Parameters<typeof recordsOf>[1]): Profile {
  let profile: Profile | undefined;
  for (const record of recordsOf("5eea769d45bb2e1467418f92", changes)) profile = applyRecord(profile, record) ?? undefined;
  if (!profile) throw new Error("Expected a profile");
  return profile;
}
