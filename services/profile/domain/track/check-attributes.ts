/** Checks one element of `attributes`. */
import { hasAtMostChars } from "../../../../platform/text.ts";
import { limits } from "../../../../platform/limits.ts";
import { checkConsent } from "./check-consent.ts";
import { checkCustom } from "./check-custom.ts";
import { fieldRules } from "./check-fields.ts";
import type { Draft, RawObject } from "../values/check-json.ts";
import { checkPushTokenImport } from "./check-push-tokens.ts";
import { checkFlag } from "../values/check-text.ts";
import { checkEmail, checkPhone, checkUser, emailText } from "./check-user.ts";
import { FieldFaults, Verdict, verdictsOf } from "../values/check-verdict.ts";
import type { AttributeObject, CustomChange, FieldValue, StandardField } from "../record/track-object.ts";
import type { UserKey } from "../record/user-key.ts";

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
 * A field that cannot be taken goes to `faults`, and the others are taken; an object of which nothing is left is refused.
 */
export function checkAttributes(raw: RawObject, faults: FieldFaults = new FieldFaults(), groups?: ReadonlySet<string>): AttributeObject {
  const user = checkUser(raw);
  checkPushTokenImport(raw, user);
  const updateOnly = checkFlag(raw, "_update_existing_only") ?? user.by === "alias";
  const object: Draft<AttributeObject> = { kind: "attribute", user, updateOnly };
  const bare = Object.keys(object).length;
  writeAddresses(object, raw, faults);
  const consent = checkConsent(raw, faults, groups);
  if (consent !== undefined) object.consent = consent;
  writeValues(object, raw, faults);
  if (faults.refusal !== undefined && Object.keys(object).length === bare) throw faults.refusal;
  return object;
}

/** Everything that is wrong with an object that is refused. */
export function attributesVerdicts(raw: RawObject, groups?: ReadonlySet<string>): string[] {
  const faults = new FieldFaults();
  const object: Draft<AttributeObject> = { kind: "attribute", user: noUser, updateOnly: false };
  const refused = verdictsOf([
    () => checkUser(raw),
    () => checkFlag(raw, "_update_existing_only"),
    () => checkFlag(raw, "push_token_import") === true && checkPushTokenImport(raw, checkUser(raw)),
    () => writeAddresses(object, raw, faults),
    () => checkConsent(raw, faults, groups),
    () => writeValues(object, raw, faults),
  ]);
  return [...new Set([...refused, ...faults.list.map(({ text }) => text)])];
}

/** An email that is none refuses the object (api-facts 2.4); an empty one is a field that is not taken. */
function writeAddresses(object: Draft<AttributeObject>, raw: RawObject, faults: FieldFaults): void {
  const { email, phone } = raw;
  if (email === "") faults.add("email", new Verdict(emailText));
  else if (email !== undefined && object.user.by !== "email") object.email = email === null ? null : checkEmail(email);
  if (phone === undefined || object.user.by === "phone") return;
  try {
    object.phone = phone === null ? null : checkPhone(phone);
  } catch (error) {
    faults.add("phone", error);
  }
}

function writeValues(object: Draft<AttributeObject>, raw: RawObject, faults: FieldFaults): void {
  const mergeObjects = checkFlag(raw, "_merge_objects") === true;
  const fields: [StandardField, FieldValue | null][] = [];
  const custom: [string, CustomChange][] = [];
  for (const name of Object.keys(raw)) {
    if (otherNames.has(name)) continue;
    try {
      if (isStandardField(name)) {
        fields.push([name, checkField(name, raw[name], faults)]);
      } else {
        custom.push([name, checkCustom(checkAttributeName(name), raw[name], { mergeObjects, faults })]);
      }
    } catch (error) {
      faults.add(name, error);
    }
  }
  if (fields.length > 0) object.fields = fields;
  if (custom.length > limits.attributesPerObjectMax) {
    throw new Verdict(`The object must have at most ${limits.attributesPerObjectMax} custom attributes`);
  }
  if (custom.length > 0) object.custom = custom;
}

function isStandardField(name: string): name is StandardField {
  return fieldRules.has(name);
}

function checkField(name: StandardField, value: unknown, faults: FieldFaults): FieldValue | null {
  return value === null ? null : fieldRules.get(name)?.(value, faults) ?? null;
}

/** The key of no user: where every error is reported, email and phone are data. */
const noUser: UserKey = { by: "platformId", id: "" };

function checkAttributeName(name: string): string {
  if (name !== "" && hasAtMostChars(name, limits.attributeNameCharsMax)) return name;
  throw new Verdict(`The name of an attribute must have 1 to ${limits.attributeNameCharsMax} characters`);
}
