/** Marks of records, and of the states that have them in. */
import { isAfter, type Mark } from "../age.ts";

export function markOf({ sequence, part }: { readonly sequence: number; readonly part: number }): Mark {
  return [sequence, part];
}

/** Whether a state whose last record has the mark `last` holds the record of `mark` already; undefined: it never had one. */
export function isIn(mark: Mark, last: Mark | undefined): boolean {
  return last !== undefined && !isAfter(mark, last);
}

/** Whether a state with the mark `now` was changed since it had `before`; undefined: it was not there. */
export function hasMoved(now: Mark, before: Mark | undefined): boolean {
  return before === undefined ? now[1] >= 0 : now[0] !== before[0] || now[1] !== before[1];
}
