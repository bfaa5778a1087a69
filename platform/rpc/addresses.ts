/** The addresses of a service: calls go round them, and one that fails rests before it is tried again. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

export interface Addresses<Item> {
  readonly size: number;
  /** The next in turn that is not in `except` and does not rest; where all rest, the next that is not in `except`. */
  pick(except: ReadonlySet<Item>): Item | undefined;
  worked(item: Item): void;
  /** It rests for twice as long as the last time, unless it worked between, or is no address any more. */
  failed(item: Item): void;
}

/** `current` may give others from call to call, and never none. */
export function roundRobin<Item>(current: () => readonly Item[], clock: Clock): Addresses<Item> {
  const rests = new Map<Item, Rest>();
  let turn = 0;
  function restOf(item: Item, now: number): "none" | "over" | "rests" {
    const rest = rests.get(item);
    if (rest === undefined) return "none";
    return rest.until <= now ? "over" : "rests";
  }
  return {
    get size() {
      return current().length;
    },
    pick(except) {
      const items = current();
      const now = clock.monotonic();
      turn %= items.length;
      const inTurn = [...items.slice(turn), ...items.slice(0, turn)];
      turn += 1;
      const free = inTurn.filter((item) => !except.has(item));
      const item = free.find((item) => restOf(item, now) !== "rests");
      if (item === undefined) return items.every((item) => restOf(item, now) === "rests") ? free[0] : undefined;
      const rest = rests.get(item);
      // One call alone finds out whether an address is back; the others go on avoiding it meanwhile
      if (rest) Object.assign(rest, { until: now + rest.restMs, tried: true });
      return item;
    },
    worked(item) {
      rests.delete(item);
    },
    failed(item) {
      if (!current().includes(item)) return;
      const last = rests.get(item);
      if (last && !last.tried) return;
      const restMs = last === undefined ? limits.rpcAddressRestMsMin : Math.min(last.restMs * 2, limits.rpcAddressRestMsMax);
      rests.set(item, { restMs, until: clock.monotonic() + restMs, tried: false });
    },
  };
}

interface Rest {
  restMs: number;
  until: number;
  /** A call was sent since, so a failure is news. */
  tried: boolean;
}
