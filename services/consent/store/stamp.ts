/** The age of what lane records cause, for stores in which the newest write wins. */
import { type Aged, placeOf, placesPerRequest } from "../../../platform/age.ts";

/**
 * Rises with the mark, and leaves one age between two marks for what is done to a state without a record. 18 bits for
 * the part and one for that leave 44 for the sequence: 16 lives of a log that begins anew 2^40 higher.
 */
export function stampOf({ mark: [sequence, part], ahead = 0 }: Aged): bigint {
  return (BigInt(sequence) * BigInt(placesPerRequest) + BigInt(placeOf(part) + ahead)) * 2n;
}

/** Right after what the record of this mark caused, and before all that comes later. */
export function stampAfter(row: Aged): bigint {
  return stampOf(row) + 1n;
}
