/** Work on many whose failure comes from one of them: halved down to that one, while the others go on. */
import { isPassing } from "../faults/passing.ts";

export interface Halving<Item, Result> {
  /** Works on some, in order. Doing it again is harmless, also where it was done in part. */
  readonly work: (items: readonly Item[]) => Promise<Result>;
  /** What becomes of the one that it fails for. */
  readonly alone: (item: Item, error: unknown) => Promise<Result> | Result;
  /** What is thrown at once; what passes unless given. */
  readonly isThrown?: (error: unknown) => boolean;
}

/** Throws what is thrown at once, and what `alone` throws. */
export async function halved<Item, Result>(items: readonly Item[], deps: Halving<Item, Result>): Promise<Result[]> {
  try {
    return [await deps.work(items)];
  } catch (error) {
    const [first] = items;
    const { isThrown = isPassing } = deps;
    if (isThrown(error) || first === undefined) throw error;
    if (items.length === 1) return [await deps.alone(first, error)];
    const half = items.length >> 1;
    const before = await halved(items.slice(0, half), deps);
    return [...before, ...await halved(items.slice(half), deps)];
  }
}
