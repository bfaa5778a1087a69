/** What an attributes object does to a profile: standard fields, then custom attributes, in the order of the request. */
import { adds, applyCustom } from "./apply-custom.ts";
import { limits } from "../../../../platform/limits.ts";
import { ownEntries } from "../../../../platform/own-entries.ts";
import type { Profile } from "./profile.ts";
import { noted } from "./profile-room.ts";
import type { ProfileChange } from "./profile-record.ts";

/**
 * null takes a field away. Email, phone and consent are not here: they leave the resolver as records of their own.
 * `sequence`: the place of the request in the log, which set what changes here.
 */
export function applyAttributes(profile: Profile, change: AttributesChange, sequence: number): void {
  if (change.fields !== undefined) applyFields(profile, change.fields, sequence);
  if (change.custom === undefined) return;
  const custom = ownEntries(profile, "custom");
  const customSources = ownEntries(profile.sources, "custom");
  let hasNoRoom = false;
  for (const [name, customChange] of change.custom) {
    const before = custom.get(name);
    applyCustom(custom, name, customChange);
    const after = custom.get(name);
    if (after === before) {
      if (after === undefined && custom.size >= limits.attributesPerProfileMax && adds(customChange)) hasNoRoom = true;
      continue;
    }
    if (after === undefined) customSources.delete(name);
    else customSources.set(name, sequence);
  }
  if (hasNoRoom) profile.dropped = noted(profile.dropped, sequence);
}

function applyFields(profile: Profile, changes: NonNullable<AttributesChange["fields"]>, sequence: number): void {
  const fields = ownEntries(profile, "fields");
  const sources = ownEntries(profile.sources, "fields");
  for (const [field, value] of changes) {
    if (value === null) {
      fields.delete(field);
      sources.delete(field);
    } else {
      fields.set(field, value);
      sources.set(field, sequence);
    }
  }
}

type AttributesChange = Extract<ProfileChange, { type: "attributes" }>;
