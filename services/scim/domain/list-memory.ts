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
  const results = new Map<string, Result>();
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

  /** A failure is told to those who wait, and forgotten. */
  async function weigh(list: string, result: Result): Promise<void> {
    try {
      result.size = (await result.ids).length;
      dropOverweight(results);
    } catch {
      results.delete(list);
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
      if (known) return known.ids;
      const result: Result = { ids: alone(find), size: 0 };
      results.set(list, result);
      dropOldest(results, limits.scimResultsKept);
      void weigh(list, result);
      return result.ids;
    },
  };
}

interface Result {
  readonly ids: Promise<readonly string[]>;
  /** Of those found; 0 as long as they are looked for. */
  size: number;
}

/** The oldest go until what is kept is no more than the memory it may take. */
function dropOverweight(results: Map<string, Result>): void {
  let kept = [...results.values()].reduce((sum, { size }) => sum + size, 0);
  for (const [list, { size }] of results) {
    if (kept <= limits.scimResultIdsKeptMax) return;
    if (size === 0) continue;
    results.delete(list);
    kept -= size;
  }
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const name of map.keys()) {
    if (map.size <= max) return;
    map.delete(name);
  }
}
