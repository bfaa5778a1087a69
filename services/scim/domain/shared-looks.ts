/** Looks through all users: one at a time, one for all callers of the same list, and none for callers who hung up. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { dropOldest } from "./drop-oldest.ts";

export interface SharedLooks {
  /**
   * The ids of a list; `find` runs alone, and once for all callers of the same list. `signal` aborts when its caller no longer waits.
   * Once no caller waits, the `stop` that `find` got aborts, and its turn is free again. Refuses OVERLOADED where too many wait.
   */
  result(list: string, find: Find, signal?: AbortSignal): Promise<readonly string[]>;
}

/** Rejects with the reason of `stop` soon after it aborted. */
type Find = (stop: AbortSignal) => Promise<readonly string[]>;

interface Look {
  readonly ids: Promise<readonly string[]>;
  readonly stop: AbortController;
  /** Callers who did not hang up. */
  askers: number;
  isFound: boolean;
  /** Of those found; 0 as long as they are looked for. */
  size: number;
}

/** What was found is kept, within limits, for callers who ask again. */
export function openSharedLooks(): SharedLooks {
  const looks = new Map<string, Look>();
  const alone = openTurns();

  function begin(find: Find): Look {
    const stop = new AbortController();
    return { ids: alone(find, stop.signal), stop, askers: 0, isFound: false, size: 0 };
  }
  function forget(list: string, look: Look): void {
    if (looks.get(list) === look) looks.delete(list);
  }
  /** The callers who wait get a failure; it is not kept. */
  async function weigh(list: string, look: Look): Promise<void> {
    try {
      look.size = (await look.ids).length;
      look.isFound = true;
      dropOverweight(looks);
    } catch {
      forget(list, look);
    }
  }
  /** Counts one more caller who waits; after the last has gone, the next caller begins anew. */
  function wait(list: string, look: Look, signal: AbortSignal | undefined): void {
    look.askers += 1;
    if (!signal || look.isFound) return;
    function hangUp(): void {
      look.askers -= 1;
      if (look.askers > 0 || look.isFound) return;
      forget(list, look);
      look.stop.abort(new Refusal("DEADLINE_EXCEEDED"));
    }
    function heed(): void {
      signal?.removeEventListener("abort", hangUp);
    }
    if (signal.aborted) return hangUp();
    signal.addEventListener("abort", hangUp);
    look.ids.then(heed, heed);
  }
  return {
    result(list, find, signal) {
      const known = looks.get(list);
      if (known) {
        wait(list, known, signal);
        return known.ids;
      }
      const look = begin(find);
      looks.set(list, look);
      dropOldest(looks, limits.scimResultsKept);
      void weigh(list, look);
      wait(list, look, signal);
      return look.ids;
    },
  };
}

type Alone = (find: Find, stop: AbortSignal) => Promise<readonly string[]>;

/** Runs one `find` after the other; one whose `stop` aborts before its turn never runs, and leaves the line at once. */
function openTurns(): Alone {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (find, stop) => {
    if (waiting >= limits.scimScansWaitingMax) throw new Refusal("OVERLOADED", "Too many lists are being looked for");
    waiting += 1;
    let isInLine = true;
    function leave(): void {
      if (isInLine) waiting -= 1;
      isInLine = false;
    }
    async function turn(): Promise<readonly string[]> {
      stop.throwIfAborted();
      return await find(stop);
    }
    stop.addEventListener("abort", leave);
    const mine = last.then(turn, turn);
    last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      leave();
    }
  };
}

/** The oldest go until what is kept is no more than the memory it may take. */
function dropOverweight(looks: Map<string, Look>): void {
  let kept = [...looks.values()].reduce((sum, { size }) => sum + size, 0);
  for (const [list, { size }] of looks) {
    if (kept <= limits.scimResultIdsKeptMax) return;
    if (size === 0) continue;
    looks.delete(list);
    kept -= size;
  }
}
