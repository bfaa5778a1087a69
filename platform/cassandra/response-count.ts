/**
 * How often the driver counts the responses of a node. Of two replicas it takes the one with fewer requests under way, unless that one has many and
 * hardly answered lately; for that it wakes the process five times a second for each session and node, which was a quarter of what the processes of a mesh did
 * while nothing happens, and nothing turns it off (4.10.0).
 */
import { clearInterval, setInterval } from "node:timers";
import { limits } from "../limits.ts";

/** A node as the driver has it. */
export interface CountedHost {
  _healthResponseCounter: number;
  _healthResponseCountTimer: ReturnType<typeof setInterval> | null;
  readonly pool: { getAndResetResponseCounter(): number };
  /** Begins to count where the node becomes one that is used. */
  setDistance(distance: unknown): unknown;
}

/** From now on its responses are counted once in `cassandraCountMs`. */
export function countSeldom(host: CountedHost): void {
  const setDistance = host.setDistance.bind(host);
  host.setDistance = (distance) => {
    const before = host._healthResponseCountTimer;
    const found = setDistance(distance);
    const isNew = host._healthResponseCountTimer !== before;
    if (isNew) replaceTimer(host);
    return found;
  };
  if (host._healthResponseCountTimer !== null) replaceTimer(host);
}

/** The driver ends the timer that stands here, whosever it is. */
function replaceTimer(host: CountedHost): void {
  clearInterval(host._healthResponseCountTimer ?? undefined);
  host._healthResponseCountTimer = setInterval(() => {
    host._healthResponseCounter = host.pool.getAndResetResponseCounter();
  }, limits.cassandraCountMs);
}
