/** The order of a list: by the value of one attribute, then by user name. */
import { Refusal } from "../../../platform/refusal.ts";
import { type AttributePath, attributePath, lastOf, withValue } from "./attribute-path.ts";
import { comparedText } from "./compared-value.ts";
import { valuesAt } from "./evaluate-filter.ts";
import { asList, type Fields, isFields, member } from "./fields.ts";
import { quoted } from "./check-values.ts";

export interface Order {
  readonly descending: boolean;
  /** Absent: by user name, which an index has. */
  readonly path?: AttributePath;
}

/** Refuses INPUT_INVALID for what users cannot be sorted by. Without `sortBy` the order is ascending, by user name. */
export function orderOf(sortBy: string, descending: boolean): Order {
  if (sortBy === "") return { descending: false };
  const named = attributePath(sortBy);
  const path = named && withValue(named);
  if (path === undefined) throw new Refusal("INPUT_INVALID", `Users cannot be sorted by '${quoted(sortBy)}'`);
  return path.length === 1 && path[0].isUserName ? { descending } : { descending, path };
}

/** What the user is sorted by: of several values the primary or the first (RFC 7644 section 3.4.2.3). */
export function sortValue(resource: Fields, path: AttributePath): string {
  const [{ name }, second, ...rest] = path;
  const values = asList(member(resource, name));
  const chosen = values.find((value) => isFields(value) && member(value, "primary") === true) ?? values[0];
  const value = second && isFields(chosen) ? valuesAt(chosen, [second, ...rest])[0] : chosen;
  return value === undefined || value === null ? "" : comparedText(lastOf(path), "gt", String(value));
}

export interface Ranked {
  readonly id: string;
  readonly key: string;
  readonly value: string;
}

/** Users without a value come last, or first in a descending list. */
export function ranking(descending: boolean): (left: Ranked, right: Ranked) => number {
  const sign = descending ? -1 : 1;
  return (left, right) => sign * (byValue(left.value, right.value) || byText(left.key, right.key));
}

function byValue(left: string, right: string): number {
  if ((left === "") !== (right === "")) return left === "" ? 1 : -1;
  return byText(left, right);
}

function byText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
