/** JSON bodies as objects and lists of objects; what is wrong with their shape is said in words. */
import { type Fields, isFields } from "../../platform/fields.ts";
import { parseJson } from "../../platform/json.ts";
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";

/** The body as an object. Throws the refusals of platform/json.ts, and INPUT_INVALID for any other JSON value. */
export function bodyFields(body: Uint8Array): Fields {
  const value = parseJson(body, { depthMax: limits.jsonDepthMax, weightMax: limits.jsonWeightMax });
  if (!isFields(value)) throw invalid("The request body must be a JSON object");
  return value;
}

/** Of a request whose path says all of it: nothing, or an object without fields. Throws as bodyFields(), and INPUT_INVALID for a field, which would have no effect. */
export function checkNoFields(body: Uint8Array): void {
  if (body.byteLength === 0) return;
  const [field] = Object.keys(bodyFields(body));
  if (field !== undefined) throw invalid(`This request takes no fields, but has '${field}'`);
}

/** A field that counts as not sent is absent or null. */
export function isSent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** A list or identifier that names users: what is empty (`[]`, `""`) counts as not sent, beside a filled one and alone. */
export function isFilled(value: unknown): boolean {
  return isSent(value) && value !== "" && !(Array.isArray(value) && value.length === 0);
}

/** The list of a field that must have one to fifty entries. `tooMany` is the text of the endpoint. */
export function listOf(value: unknown, texts: { notAList: string; tooMany: string }): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(texts.notAList);
  if (value.length === 0) throw invalid(`${texts.notAList} with at least one element`);
  if (value.length > limits.itemsPerRequestMax) throw new Refusal("BATCH_TOO_LARGE", texts.tooMany);
  return value;
}

/** As listOf, and every entry is an object. */
export function objectsOf(value: unknown, texts: { notAList: string; tooMany: string }): readonly Fields[] {
  const list = listOf(value, texts);
  if (!list.every(isFields)) throw invalid(texts.notAList);
  return list;
}

/** Half of a surrogate pair is no text: a store may keep another character in its place. */
export function wellFormed(text: string, field: string): string {
  if (text.isWellFormed()) return text;
  throw invalid(`'${field}' must not hold half of a surrogate pair`);
}

export function invalid(text: string): Refusal {
  return new Refusal("INPUT_INVALID", text);
}
