/** What an attributes object does to a profile: standard fields, then custom attributes, in the order of the request. */
import { applyCustom } from "./apply-custom.ts";
import type { Profile } from "./profile.ts";
import type { ProfileChange } from "./profile-record.ts";

/** null takes a field away. Email, phone and consent are not here: they leave the resolver as records of their own. */
export function applyAttributes(profile: Profile, change: AttributesChange): void {
  for (const [field, value] of change.fields ?? []) {
    if (value === null) profile.fields.delete(field);
    else profile.fields.set(field, value);
  }
  for (const [name, customChange] of change.custom ?? []) applyCustom(profile.custom, name, customChange);
}

type AttributesChange = Extract<ProfileChange, { type: "attributes" }>;
