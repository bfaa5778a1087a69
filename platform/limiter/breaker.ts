/** A circuit breaker: after one failure nothing is tried but a probe in the background, until one succeeds. */
import type { Clock } from "../clock.ts";

export interface Breaker {
  /** Whether the dependency is to be used. */
  readonly closed: boolean;
  /** A use of the dependency failed: it is not used until a probe succeeds. */
  trip(error: unknown): void;
  /** Probes now and not only when it is due; resolves when that probe has ended. */
  probe(): Promise<void>;
  end(): void;
}

/** Open at first, so that nothing waits for what was never reached: begin with `probe`. Probes never run side by side. */
export function openBreaker(deps: BreakerDeps): Breaker {
  const { clock, probeEveryMs, probe, changed } = deps;
  let closed = false;
  /** No state was reported yet. */
  let silent = true;
  let ended = false;
  let cancel: (() => void) | undefined;
  let probing: Promise<void> | undefined;

  function later(): void {
    cancel?.();
    if (!ended) cancel = clock.after(probeEveryMs, () => void tryNow());
  }
  function tryNow(): Promise<void> {
    probing ??= probeOnce().finally(() => (probing = undefined));
    return probing;
  }
  async function probeOnce(): Promise<void> {
    try {
      await probe();
    } catch (error) {
      if (silent && !ended) changed({ closed: false, error });
      silent = false;
      return later();
    }
    if (ended) return;
    closed = true;
    silent = false;
    changed({ closed: true });
  }
  return {
    get closed() {
      return closed;
    },
    trip(error) {
      if (!closed) return;
      closed = false;
      changed({ closed: false, error });
      later();
    },
    probe: tryNow,
    end() {
      ended = true;
      closed = false;
      cancel?.();
    },
  };
}

export interface BreakerDeps {
  readonly clock: Clock;
  readonly probeEveryMs: number;
  /** Rejects while the dependency cannot be used. */
  probe(): Promise<unknown>;
  /** Also when the first probe fails. */
  changed(state: { closed: true } | { closed: false; error: unknown }): void;
}
