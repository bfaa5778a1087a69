/** The age of what a lane record causes, for stores in which the newest write wins. */

/**
 * Rises with the mark, and leaves one age between two marks for what is done to a state without a record. 18 bits for
 * the part and one for that leave 44 for the sequence: 16 lives of a log that begins anew 2^40 higher. Parts beyond share
 * an age.
 */
export function stampOf([sequence, part]: readonly [sequence: number, part: number]): bigint {
  return (BigInt(sequence) * partsPerSequence + BigInt(Math.max(0, Math.min(part, Number(partsPerSequence) - 1)))) * 2n;
}

/** Right after what the record of this mark caused, and before all that comes later. */
export function stampAfter(mark: readonly [sequence: number, part: number]): bigint {
  return stampOf(mark) + 1n;
}

const partsPerSequence = 262_144n;
