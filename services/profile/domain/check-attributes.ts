/** Checks one element of `attributes`. */
import { limits } from "../../../platform/limits.ts";
import { checkConsent } from "./check-consent.ts";
import { checkCustom } from "./check-custom.ts";
import { fieldRules } from "./check-fields.ts";
import type { Draft, RawObject } from "./check-json.ts";
import { checkPushTokenImport } from "./check-push-tokens.ts";
import { checkFlag, hasAtMostChars } from "./check-text.ts";
import { checkEmail, checkPhone, checkUser } from "./check-user.ts";
import { Verdict } from "./check-verdict.ts";
import type { AttributeObject, CustomChange, FieldValue, StandardField } from "./track-object.ts";

/** Names that are neither a standard field of the profile nor a custom attribute; `bio` is dropped silently. */
const otherNames: ReadonlySet<string> = new Set([
  "external_id",
  "user_alias",
  "platform_id",
  "braze_id",
  "email",
  "phone",
  "email_subscribe",
  "subscription_groups",
  "_update_existing_only",
  "_merge_objects",
  "push_token_import",
  "bio",
]);

/**
 * The attributes object that the client's object stands for, or a Verdict ("Attributes object"; api-facts 2.3 to 2.5).
 * With an alias it is update-only unless `_update_existing_only` is false. `email` and `phone` are data wherever they
 * are not the key. A custom attribute's name has 1 to 255 characters, any characters; a leading `$` too.
 */
export function checkAttributes(raw: RawObject): AttributeObject {
  const user = checkUser(raw);
  checkPushTokenImport(raw, user);
  const updateOnly = checkFlag(raw, "_update_existing_only") ?? user.by === "alias";
  const object: Draft<AttributeObject> = { kind: "attribute", user, updateOnly };
  writeAddresses(object, raw);
  const consent = checkConsent(raw);
  if (consent !== undefined) object.consent = consent;
  writeValues(object, raw);
  return object;
}

function writeAddresses(object: Draft<AttributeObject>, raw: RawObject): void {
  const { email, phone } = raw;
  if (email !== undefined && object.user.by !== "email") object.email = email === null ? null : checkEmail(email);
  if (phone !== undefined && object.user.by !== "phone") object.phone = phone === null ? null : checkPhone(phone);
}

function writeValues(object: Draft<AttributeObject>, raw: RawObject): void {
  const mergeObjects = checkFlag(raw, "_merge_objects") === true;
  const fields: [StandardField, FieldValue | null][] = [];
  const custom: [string, CustomChange][] = [];
  for (const name of Object.keys(raw)) {
    if (otherNames.has(name)) continue;
    if (isStandardField(name)) {
      const value = checkField(name, raw[name]);
      if (value !== undefined) fields.push([name, value]);
    } else {
      const change = checkCustom(checkAttributeName(name), raw[name], mergeObjects);
      if (change !== undefined) custom.push([name, change]);
    }
  }
  if (fields.length > 0) object.fields = fields;
  if (custom.length > 0) object.custom = custom;
}

function isStandardField(name: string): name is StandardField {
  return fieldRules.has(name);
}

function checkField(name: StandardField, value: unknown): FieldValue | null | undefined {
  return value === null ? null : fieldRules.get(name)?.(value);
}

function checkAttributeName(name: string): string {
  if (name !== "" && hasAtMostChars(name, limits.attributeNameCharsMax)) return name;
  throw new Verdict(`The name of an attribute must have 1 to ${limits.attributeNameCharsMax} characters`);
}
