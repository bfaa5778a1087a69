/** The thread in slices: work of many that could all go on at once leaves it to others, such as calls that came meanwhile, again and again. */
import { nextTick } from "node:process";
import { setImmediate } from "node:timers";
import type { Clock } from "./clock.ts";
import { WaitingLine } from "./waiting-line.ts";

export interface TimeSlices {
  /**
   * Resolves, one caller after the other, for a piece of work: what it does until it waits for a store or the like is done before the next caller's
   * begins. Where the pieces since the event loop turned took as long as a slice together, it turns first. Callers have their turns
   * as in waiting-line.ts; `isUrgent` is asked as long as one waits.
   */
  next(isUrgent?: () => boolean): Promise<void>;
  /** As `next`, before all who wait: for what others wait for. */
  nextFirst(): Promise<void>;
}

export function createTimeSlices(clock: Pick<Clock, "monotonic">, sliceMs: number): TimeSlices {
  const waiting = new WaitingLine();
  /** When the first piece since the event loop turned began; undefined: there was none. */
  let began: number | undefined;
  let isGoingOn = false;

  function turned(): void {
    began = undefined;
    goOn();
  }

  /** Comes back when all that the piece could do at once is done. */
  function goOn(): void {
    const now = clock.monotonic();
    if (began === undefined && !waiting.isEmpty) {
      began = now;
      setImmediate(turned);
    }
    isGoingOn = !waiting.isEmpty && now - (began ?? now) < sliceMs;
    if (!isGoingOn) return;
    waiting.next();
    // Ticks run one after the other, and then the microtasks: a tick that one of these asks for comes when there are no more
    queueMicrotask(() => nextTick(goOn));
  }

  // Where a slice is over, the turn of the event loop goes on
  function added(turn: Promise<void>): Promise<void> {
    if (!isGoingOn) goOn();
    return turn;
  }

  return {
    next: (isUrgent) => added(waiting.wait(isUrgent)),
    nextFirst: () => added(waiting.waitFirst()),
  };
}
