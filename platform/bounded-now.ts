/** The time that may end what cannot be begun again: keys, undo windows, rows. A wall clock that jumps ahead is doubted first. */
import type { Clock } from "./clock.ts";
import { limits } from "./limits.ts";

export interface BoundedNow {
  /**
   * Unix milliseconds, never less than `stored`: what was last decided by, as far as that is written down; 0: nothing was.
   * A wall clock that is ahead of the last answer, or at the start of `stored`, by `clockLeapMsMax` more than the monotonic
   * clock went on is believed once it has been so for `clockDoubtMs`. Until then time goes on by the monotonic clock.
   */
  after(stored: number): number;
}

/** `onLeap` hears of each jump that is doubted, but for one at the start: a process that starts may have been away for long. */
export function createBoundedNow(clock: Clock, onLeap: (aheadMs: number) => void = () => {}): BoundedNow {
  let last: { readonly now: number; readonly at: number } | undefined;
  /** Where the wall clock has been since, against the monotonic one. */
  let doubt: { readonly offset: number; readonly since: number } | undefined;

  function isDoubtful(wall: number, expected: number, at: number): boolean {
    const aheadMs = wall - expected;
    if (aheadMs <= limits.clockLeapMsMax) {
      doubt = undefined;
      return false;
    }
    const offset = wall - at;
    if (doubt === undefined || Math.abs(offset - doubt.offset) > limits.clockLeapMsMax) {
      doubt = { offset, since: at };
      if (last !== undefined) onLeap(Math.floor(aheadMs));
    }
    if (at - doubt.since < limits.clockDoubtMs) return true;
    doubt = undefined;
    return false;
  }

  return {
    after(stored) {
      const wall = clock.now();
      const at = clock.monotonic();
      // What is stored another process may have believed, whose clock was right for long
      const witnessed = Math.min(stored, wall);
      const expected = last === undefined ? witnessed || wall : Math.max(last.now + at - last.at, witnessed);
      last = { now: isDoubtful(wall, expected, at) ? expected : wall, at };
      return Math.max(stored, Math.floor(last.now));
    },
  };
}
