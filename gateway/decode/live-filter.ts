/** The query of a live view to what it shows. */
import type { LiveFilter } from "../console/live/filter.ts";
import { invalid } from "./fields.ts";
import { onlyValue, queryOf } from "./query.ts";

/** Throws INPUT_INVALID. */
export function filterOf(query: string): LiveFilter {
  const sent = queryOf(query);
  const values = names.map((name) => [name, onlyValue(sent, name)] as const);
  const tooLong = values.find(([, value]) => value !== undefined && value.length > valueCharsMax);
  if (tooLong) throw invalid(`'${tooLong[0]}' must have at most ${valueCharsMax} characters`);
  const filter = Object.fromEntries(values.filter(([, value]) => value !== undefined)) as LiveFilter;
  if (filter.status !== undefined && !/^(?:taken|refused|[1-5]\d\d)$/.test(filter.status)) {
    throw invalid("'status' must be 'taken', 'refused' or a number from 100 to 599");
  }
  return filter;
}

const names = ["route", "status", "reason", "event"];
const valueCharsMax = 255;
