/** Calls about one partition that come while one of it is under way go together in the next: a statement costs more than a row does. */
import { isPassing } from "../passing.ts";

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

/**
 * `run` does several items, in order, and doing one again is harmless. What it fails with and does not pass may come from one of them:
 * each is tried alone then, and keeps its own failure. A call holds items of `sizeMax` together, or a single one. The caller bounds
 * how many wait.
 */
export function gather<Item, Result>(
  run: (items: readonly Item[]) => Promise<Result>,
  sizeMax: number,
): Gathering<Item, Result> {
  const lines = new Map<string, Waiting<Item, Result>[]>();

  async function drain(partition: string, line: Waiting<Item, Result>[]): Promise<void> {
    while (line.length > 0) await settle(next(line));
    lines.delete(partition);
  }

  function next(line: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
    let size = 0;
    const end = line.findIndex((waiting, at) => {
      size += waiting.size;
      return at > 0 && size > sizeMax;
    });
    return line.splice(0, end === -1 ? line.length : end);
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
        const line = lines.get(partition);
        if (line !== undefined) return void line.push({ item, size, resolve, reject });
        const begun = [{ item, size, resolve, reject }];
        lines.set(partition, begun);
        void drain(partition, begun);
      }),
  };
}
