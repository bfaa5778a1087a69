/** What is remembered between the pages of a list, so that a page never looks through all users again. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";

export interface ListMemory {
  /** The nearest known place at or before `index` in the list of all users; only as long as nothing changed. */
  anchor(list: string, index: number): Anchor | undefined;
  remember(list: string, anchor: Anchor): void;
  /** The ids of a list that had to be looked for; `find` runs alone, and once for all who ask for the same list. */
  result(list: string, find: () => Promise<readonly string[]>): Promise<readonly string[]>;
}

/** `key` is that of the user at `index`, which counts from 1. */
export interface Anchor {
  readonly index: number;
  readonly key: string;
}

/** `list` names company, state and question: a change of the company makes another list of it. */
export function openListMemory(): ListMemory {
  const anchors = new Map<string, Anchor>();
  const results = new Map<string, Promise<readonly string[]>>();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function alone(find: () => Promise<readonly string[]>): Promise<readonly string[]> {
    if (waiting >= limits.scimScansWaitingMax) throw new Refusal("OVERLOADED", "Too many lists are being looked for");
    waiting += 1;
    const mine = last.then(find, find);
    last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      waiting -= 1;
    }
  }

  return {
    anchor(list, index) {
      let nearest: Anchor | undefined;
      for (const [name, anchor] of anchors) {
        if (!name.startsWith(`${list} `) || anchor.index > index) continue;
        if (nearest === undefined || anchor.index > nearest.index) nearest = anchor;
      }
      return nearest;
    },
    remember(list, anchor) {
      const name = `${list} ${anchor.index}`;
      anchors.delete(name);
      anchors.set(name, anchor);
      dropOldest(anchors, limits.scimAnchorsKeptMax);
    },
    result(list, find) {
      const known = results.get(list);
      if (known) return known;
      const found = alone(find);
      results.set(list, found);
      // A failure is told to those who wait, and forgotten
      found.catch(() => results.delete(list));
      dropOldest(results, limits.scimResultsKept);
      return found;
    },
  };
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const name of map.keys()) {
    if (map.size <= max) return;
    map.delete(name);
  }
}
