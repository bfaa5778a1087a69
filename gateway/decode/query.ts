/** Query strings as clients write them: single values, repeated ones, and arrays as `name[]=` or `name[0]=` (api-facts 4). */
import { invalid } from "./fields.ts";

/** The values of each name, in order. Names come without their brackets; an empty value counts as not sent. */
export type Query = ReadonlyMap<string, readonly string[]>;

/** Throws INPUT_INVALID for what is no percent-encoded UTF-8. */
export function queryOf(text: string): Query {
  const query = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    const mark = pair.indexOf("=");
    const name = decoded(mark < 0 ? pair : pair.slice(0, mark)).replace(/\[\d*\]$/, "");
    const value = mark < 0 ? "" : decoded(pair.slice(mark + 1));
    if (name === "" || value === "") continue;
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

/** Addresses have no blanks: one stands for a plus that was sent as it is. */
export function addressesIn(query: Query, name: string): readonly string[] {
  return (query.get(name) ?? []).map((value) => value.replaceAll(" ", "+"));
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw invalid("The query string must be percent-encoded UTF-8");
  }
}
