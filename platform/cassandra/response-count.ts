/**
 * How many responses of a node the driver counted lately. Of two replicas it takes the one with fewer requests under way, unless that one has many and
 * hardly answered lately; to know that it wakes the process five times a second for each session and node, whether it is asked or not, and nothing turns
 * it off (4.10.0). Here it is counted when it is asked.
 */
import { clearInterval } from "node:timers";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

/** A node as the driver has it. */
export interface CountedHost {
  _healthResponseCounter: number;
  _healthResponseCountTimer: NodeJS.Timeout | null;
  readonly pool: { getAndResetResponseCounter(): number };
  /** Begins to count where the node becomes one that is used. */
  setDistance(distance: unknown): unknown;
  /** Asked of a node that has many requests under way. */
  getResponseCount(): number;
}

/** From now on nothing wakes for it: a count is of the time since it was asked before, and holds for `cassandraCountMs`. Once more changes nothing. */
export function countOnDemand(host: CountedHost, clock: Clock): void {
  if (counted.has(host)) return;
  counted.add(host);
  const [setDistance, getResponseCount] = [host.setDistance.bind(host), host.getResponseCount.bind(host)];
  let countedAt = -Infinity;
  host.setDistance = (distance) => {
    const found = setDistance(distance);
    stopTimer(host);
    return found;
  };
  host.getResponseCount = () => {
    const now = clock.monotonic();
    if (now - countedAt >= limits.cassandraCountMs) {
      host._healthResponseCounter = host.pool.getAndResetResponseCounter();
      countedAt = now;
    }
    return getResponseCount();
  };
  stopTimer(host);
}

const counted = new WeakSet<CountedHost>();

function stopTimer(host: CountedHost): void {
  clearInterval(host._healthResponseCountTimer ?? undefined);
  host._healthResponseCountTimer = null;
}
