/** Looks through all users: one at a time, of each company in turn, one for all callers of the same list, and none for callers who hung up. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { dropOldest } from "./drop-oldest.ts";

export interface SharedLooks {
  /**
   * The ids of a list; `find` runs alone, and once for all callers of the same list. `signal` aborts when its caller no longer waits.
   * Once no caller waits, the `stop` that `find` got aborts, and its turn is free again. Refuses OVERLOADED where too many wait, in all or
   * of the company.
   */
  result(of: ListOf, find: Find, signal?: AbortSignal): Promise<readonly string[]>;
}

interface ListOf {
  readonly companyId: string;
  /** Names the company too. */
  readonly list: string;
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

  function begin(companyId: string, find: Find): Look {
    const stop = new AbortController();
    return { ids: alone(companyId, find, stop.signal), stop, askers: 0, isFound: false, size: 0 };
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
    result({ companyId, list }, find, signal) {
      const known = looks.get(list);
      if (known) {
        wait(list, known, signal);
        return known.ids;
      }
      const look = begin(companyId, find);
      looks.set(list, look);
      dropOldest(looks, limits.scimResultsKept);
      void weigh(list, look);
      wait(list, look, signal);
      return look.ids;
    },
  };
}

type Alone = (companyId: string, find: Find, stop: AbortSignal) => Promise<readonly string[]>;

/**
 * Runs one `find` after the other, of each company in turn, so that none waits for all that another asks for. One whose `stop` aborts before
 * its turn never runs, and leaves the line at once.
 */
function openTurns(): Alone {
  /** What begins the turns of those who wait, by company, in the order of the companies' next turns. */
  const lines = new Map<string, readonly (() => void)[]>();
  let isBusy = false;

  function waiting(): number {
    return [...lines.values()].reduce((sum, line) => sum + line.length, isBusy ? 1 : 0);
  }
  function keep(companyId: string, line: readonly (() => void)[]): void {
    if (line.length > 0) lines.set(companyId, line);
    else lines.delete(companyId);
  }
  function turnOf(companyId: string, stop: AbortSignal): Promise<void> {
    if (!isBusy) {
      isBusy = true;
      return Promise.resolve();
    }
    return new Promise((begin, reject) => {
      keep(companyId, [...lines.get(companyId) ?? [], begin]);
      stop.addEventListener("abort", () => {
        keep(companyId, (lines.get(companyId) ?? []).filter((other) => other !== begin));
        reject(stop.reason as Error);
      });
    });
  }
  function next(): void {
    const [first] = lines;
    isBusy = first !== undefined;
    if (first === undefined) return;
    const [companyId, [begin, ...others]] = first;
    // Behind all other companies
    lines.delete(companyId);
    keep(companyId, others);
    begin?.();
  }
  return async (companyId, find, stop) => {
    const own = lines.get(companyId)?.length ?? 0;
    if (waiting() >= limits.scimScansWaitingMax || own >= limits.scimScansWaitingOfCompanyMax) {
      throw new Refusal("OVERLOADED", "Too many lists are being looked for");
    }
    await turnOf(companyId, stop);
    try {
      stop.throwIfAborted();
      return await find(stop);
    } finally {
      next();
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
