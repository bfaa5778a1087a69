/** Calls about one partition that come while others of it are under way go together in the next: a statement costs more than a row does. */
import { isPassing } from "../faults/passing.ts";

export interface Gathering<Item, Result> {
  /** The partition's next call that has room takes the item along. `size`: how much of a call it fills. */
  call(partition: string, item: Item, size: number): Promise<Result>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly size: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Of a partition. */
interface Line<Item, Result> {
  readonly waiting: Waiting<Item, Result>[];
  /** Of those that wait. */
  size: number;
  underWay: number;
}

/**
 * `run` does several items, in any order with other calls, and doing one again is harmless. What it fails with and does not pass may
 * come from one of them: each is tried alone then, and keeps its own failure. A call holds items of `sizeMax` together, or a single
 * one; of a partition up to `atOnceMax` go at a time while as much waits as fills one; what is less waits until none is under way. The caller
 * bounds how many wait.
 */
export function gather<Item, Result>(
  run: (items: readonly Item[]) => Promise<Result>,
  { sizeMax, atOnceMax }: { readonly sizeMax: number; readonly atOnceMax: number },
): Gathering<Item, Result> {
  const lines = new Map<string, Line<Item, Result>>();

  function start(partition: string, line: Line<Item, Result>): void {
    while (line.waiting.length > 0 && line.underWay < atOnceMax && (line.underWay === 0 || line.size >= sizeMax)) void go(partition, line);
  }

  async function go(partition: string, line: Line<Item, Result>): Promise<void> {
    const group = next(line);
    line.underWay += 1;
    await settle(group);
    line.underWay -= 1;
    start(partition, line);
    if (line.underWay === 0) lines.delete(partition);
  }

  function next(line: Line<Item, Result>): Waiting<Item, Result>[] {
    let size = 0;
    const end = line.waiting.findIndex((waiting, at) => {
      size += waiting.size;
      return at > 0 && size > sizeMax;
    });
    const group = line.waiting.splice(0, end === -1 ? line.waiting.length : end);
    for (const waiting of group) line.size -= waiting.size;
    return group;
  }

  async function settle(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const result = await run(group.map(({ item }) => item));
      for (const { resolve } of group) resolve(result);
    } catch (error) {
      if (group.length === 1 || isPassing(error)) { for (const { reject } of group) reject(error); }
      else for (const one of group) await settle([one]);
    }
  }

  return {
    call: (partition, item, size) =>
      new Promise((resolve, reject) => {
        const line = lines.get(partition) ?? { waiting: [], size: 0, underWay: 0 };
        lines.set(partition, line);
        line.waiting.push({ item, size, resolve, reject });
        line.size += size;
        start(partition, line);
      }),
  };
}
