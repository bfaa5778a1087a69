/** The standard fields `facebook` and `twitter`. */
import { limits } from "../../../../platform/limits.ts";
import { isObject, type RawObject } from "../values/check-json.ts";
import { checkText, idText } from "../values/check-text.ts";
import { Verdict } from "../values/check-verdict.ts";
import type { FieldValue, Json } from "../record/track-object.ts";

/** Reads one key of the object; the value is neither absent nor null. */
type KeyRule = (field: string, value: unknown) => Json;

const facebookRules: readonly (readonly [string, KeyRule])[] = [["id", checkId], ["likes", checkLikes], ["num_friends", checkCount]];
const twitterRules: readonly (readonly [string, KeyRule])[] = [
  ["id", checkCount],
  ["screen_name", checkShortText],
  ["followers_count", checkCount],
  ["friends_count", checkCount],
  ["statuses_count", checkCount],
];

/** `{ id, likes[], num_friends }`, every key optional; other keys are dropped. None is null. */
export function checkFacebook(value: unknown): FieldValue | null {
  return checkKeys("facebook", value, facebookRules);
}

/** `{ id, screen_name, followers_count, friends_count, statuses_count }`, every key optional; other keys are dropped. None is null. */
export function checkTwitter(value: unknown): FieldValue | null {
  return checkKeys("twitter", value, twitterRules);
}

function checkKeys(field: string, value: unknown, rules: readonly (readonly [string, KeyRule])[]): FieldValue | null {
  if (!isObject(value)) throw new Verdict(`'${field}' must be an object`);
  const raw: RawObject = value;
  const sent = rules.filter(([key]) => raw[key] !== undefined && raw[key] !== null);
  return sent.length === 0 ? null : Object.fromEntries(sent.map(([key, rule]) => [key, rule(`${field}.${key}`, raw[key])]));
}

function checkId(field: string, value: unknown): string {
  return checkText(field, idText(value), limits.stringValueCharsMax);
}

function checkShortText(field: string, value: unknown): string {
  return checkText(field, value, limits.stringValueCharsMax);
}

function checkCount(field: string, value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Verdict(`'${field}' must be a whole number`);
}

function checkLikes(field: string, value: unknown): string[] {
  if (!Array.isArray(value) || value.length > limits.likesPerObjectMax) {
    throw new Verdict(`'${field}' must be an array of at most ${limits.likesPerObjectMax} strings`);
  }
  return value.map((like) => checkShortText(field, like));
}
