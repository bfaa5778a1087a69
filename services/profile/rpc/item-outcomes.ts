/** What became of the elements of a request, in the form of answers. A repeat has the outcomes of the first request. */
import type { RecordOutcome } from "../domain/ports.ts";

/** The elements that were taken. */
export function takenItems<Item>({ items = [] }: RecordOutcome, asked: readonly Item[]): Item[] {
  const taken = new Set(items.filter((item) => item.ok).map((item) => item.index));
  return asked.filter((_, index) => taken.has(index));
}

export function itemErrors({ items = [] }: RecordOutcome, inputArray: string): { type: string; inputArray: string; index: number }[] {
  return items.filter((item) => !item.ok).map(({ reason, index }) => ({ type: reason, inputArray, index }));
}
