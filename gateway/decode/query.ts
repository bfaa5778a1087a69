/** Query strings as clients write them: single values, repeated ones, and arrays as `name[]=` or `name[0]=` (api-facts 4); or as a body. */
import type { Fields } from "../../platform/fields.ts";
import type { Call } from "../routing/route.ts";
import { bodyFields, invalid, isFilled } from "./fields.ts";

/** The values of each name, in order; at least one. Names come without their brackets; an empty value counts as not sent. */
export type Query = ReadonlyMap<string, readonly string[]>;

/** What a read asks for: its query, or the same names in the body of the form by POST, each with a value or a list of them. */
export function queryOfCall({ query, body }: Pick<Call, "query" | "body">): Query {
  return body.length === 0 ? queryOf(query) : queryOfBody(bodyFields(body));
}

function queryOfBody(fields: Fields): Query {
  return new Map(
    Object.entries(fields).flatMap(([name, value]) => {
      const values = [value].flat().filter(isFilled);
      return values.length === 0 ? [] : [[name, values.map((each) => textOf(name, each))] as const];
    }),
  );
}

/** Whole numbers are taken as text (api-facts 2.3). */
function textOf(name: string, value: unknown): string {
  if (typeof value === "string" || Number.isSafeInteger(value)) return String(value);
  throw invalid(`'${name}' must be a string or an array of strings`);
}

/** Throws INPUT_INVALID for what is no percent-encoded UTF-8. */
export function queryOf(text: string): Query {
  const query = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    const mark = pair.indexOf("=");
    const name = decoded(mark < 0 ? pair : pair.slice(0, mark)).replace(/\[\d*\]$/, "");
    const text = mark < 0 ? "" : pair.slice(mark + 1);
    const value = addressNames.has(name) ? percentDecoded(text) : decoded(text);
    if (name === "" || value === "") continue;
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

/** The value of a name that may be sent once only; undefined where it was not sent. */
export function onlyValue(query: Query, name: string): string | undefined {
  const values = query.get(name) ?? [];
  if (values.length > 1) throw invalid(`'${name}' may be sent once only`);
  return values[0];
}

/** A whole number within limits, `fallback` where none was sent. */
export function wholeOf(query: Query, name: string, of: { readonly min: number; readonly max: number; readonly fallback: number }): number {
  const text = onlyValue(query, name);
  if (text === undefined) return of.fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= of.min && value <= of.max) return value;
  throw invalid(`'${name}' must be a whole number from ${of.min} to ${of.max}`);
}

/** How many results to skip. */
export function offsetOf(query: Query): number {
  return wholeOf(query, "offset", { min: 0, max: 999_999_999, fallback: 0 });
}

/** In an address a plus that was sent as it is stands for itself. */
const addressNames: ReadonlySet<string> = new Set(["email", "phone", "phone_numbers"]);

export function decoded(text: string): string {
  return percentDecoded(text.replaceAll("+", " "));
}

export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid("The query string must be percent-encoded UTF-8");
  }
}
