/** How old rows are that lane records leave, in places of the order of their records: what stores take ages from. */

/** Place of what a record says: in the log, and within the effects of that request. */
export type RecordId = readonly [sequence: number, part: number];

/** Whether what is said at `mark` came after what is said at `other`. */
export function isAfter(id: RecordId, other: RecordId): boolean {
  return id[0] > other[0] || (id[0] === other[0] && id[1] > other[1]);
}

export function recordIdOf({ sequence, part }: { readonly sequence: number; readonly part: number }): RecordId {
  return [sequence, part];
}

/** Whether a state whose last record has the mark `last` holds the record of `mark` already; undefined: it never had one. */
export function isIn(id: RecordId, last: RecordId | undefined): boolean {
  return last !== undefined && !isAfter(id, last);
}

/** Whether a state with the mark `now` was changed since it had `before`; undefined: it was not there. */
export function hasMoved(now: RecordId, before: RecordId | undefined): boolean {
  return before === undefined ? now[1] >= 0 : now[0] !== before[0] || now[1] !== before[1];
}

/** A row as the records of its user or address left it. */
export interface Aged {
  /** Of the last of them. */
  readonly mark: RecordId;
  /** How many places younger the row is than its mark says, as a request has no more; undefined: it is as old as that. */
  readonly ahead?: number | undefined;
}

/** Parts of a request that have a place of their own; those beyond share the last. */
export const placesPerRequest = 262_144;

export function placeOf(part: number): number {
  return Math.max(0, Math.min(part, placesPerRequest - 1));
}

/**
 * How far ahead of its mark a row is behind the record of `mark`: each record makes it younger, also where one request says
 * more than it has places. The row takes places of later requests then, which do the same, so that it is even with its mark
 * again a request or two later. The same records give the same ages, whichever process applies them and in what batches.
 */
export function aheadAt(id: RecordId, { mark: last, ahead = 0 }: Aged): number | undefined {
  const places = (last[0] - id[0]) * placesPerRequest + placeOf(last[1]) + ahead + 1 - placeOf(id[1]);
  return places > 0 ? places : undefined;
}
