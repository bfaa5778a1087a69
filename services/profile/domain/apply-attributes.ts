/** What an attributes object does to a profile: standard fields, then custom attributes, in the order of the request. */
import { applyCustom } from "./apply-custom.ts";
import { limits } from "../../../platform/limits.ts";
import type { Profile } from "./profile.ts";
import { noted } from "./profile-room.ts";
import type { ProfileChange } from "./profile-record.ts";
import type { CustomChange } from "./track-object.ts";

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
  let hasNoRoom = false;
  for (const [name, customChange] of change.custom ?? []) {
    const before = custom.get(name);
    applyCustom(custom, name, customChange);
    const after = custom.get(name);
    if (after === before) {
      if (after === undefined && isFull(custom, customChange)) hasNoRoom = true;
      continue;
    }
    if (after === undefined) sources.custom.delete(name);
    else sources.custom.set(name, sequence);
  }
  if (hasNoRoom) profile.dropped = noted(profile.dropped, sequence);
}

function isFull(custom: Profile["custom"], { op }: CustomChange): boolean {
  return op !== "unset" && custom.size >= limits.attributesPerProfileMax;
}

type AttributesChange = Extract<ProfileChange, { type: "attributes" }>;
