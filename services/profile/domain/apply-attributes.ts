/** What an attributes object does to a profile: standard fields, then custom attributes, in the order of the request. */
import { applyCustom } from "./apply-custom.ts";
import type { Profile } from "./profile.ts";
import type { ProfileChange } from "./profile-record.ts";

/**
 * null takes a field away. Email, phone and consent are not here: they leave the resolver as records of their own.
 * `sequence`: the place of the request in the log, which set what changes here.
 */
export function applyAttributes(profile: Profile, change: AttributesChange, sequence: number): void {
  const { fields, custom, sources } = profile;
  for (const [field, value] of change.fields ?? []) {
    if (value === null) {
      fields.delete(field);
      sources.fields.delete(field);
    } else {
      fields.set(field, value);
      sources.fields.set(field, sequence);
    }
  }
  for (const [name, customChange] of change.custom ?? []) {
    const before = custom.get(name);
    applyCustom(custom, name, customChange);
    const after = custom.get(name);
    if (after === before) continue;
    if (after === undefined) sources.custom.delete(name);
    else sources.custom.set(name, sequence);
  }
}

type AttributesChange = Extract<ProfileChange, { type: "attributes" }>;
