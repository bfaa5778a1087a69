/** Place of what a record says: in the intake log, and within the record's effects. */
export type Mark = readonly [sequence: number, part: number];

export function markOf({ sequence, part }: { readonly sequence: number; readonly part: number }): Mark {
  return [sequence, part];
}

export function isBefore(a: Mark, b: Mark): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}

/** Whether a state whose last record has the mark `last` holds the record of `mark` already; undefined: it never had one. */
export function isIn(mark: Mark, last: Mark | undefined): boolean {
  return last !== undefined && !isBefore(last, mark);
}

/** Whether a state with the mark `now` was changed since it had `before`; undefined: it was not there. */
export function hasMoved(now: Mark, before: Mark | undefined): boolean {
  return before === undefined ? now[1] >= 0 : now[0] !== before[0] || now[1] !== before[1];
}
