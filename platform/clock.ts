/** Time from outside: the clock port and the system's clock. */

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Milliseconds that never step back; only differences mean anything. */
  monotonic(): number;
  /** Calls back once after `ms`; the returned function cancels. Never keeps the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
