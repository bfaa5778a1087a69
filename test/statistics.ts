/** Medians of measured times, and how far they may be from those of many more runs. */

export function median(values: readonly number[]): number {
  return quantile(values.toSorted((a, b) => a - b), 0.5);
}

/** One standard error of a median: 1.25 times that of a mean, the deviation taken from the middle half, which outliers do not move. */
export function errorOfMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return 1.25 * (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.35 / Math.sqrt(sorted.length);
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(sorted.length * part)] ?? 0;
}
