/** Reads who may call again and again while requests come. Where none does it rests, and reads once more before the next one is answered. */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { repeatedly } from "../../../platform/repeatedly.ts";

export interface Polling {
  /** See Access.awaitCurrent. */
  awaitCurrent(): Promise<void> | undefined;
  close(): void;
}

/** `refresh` never rejects. */
export function pollWhileUsed(clock: Clock, refresh: () => Promise<void>): Polling {
  let usedAt = clock.monotonic();
  let rests = false;
  let waking: Promise<void> | undefined;
  let stop = poll();

  function poll(): () => void {
    return repeatedly(clock, limits.accessRefreshMs, async () => {
      await refresh();
      rests = clock.monotonic() - usedAt >= limits.accessRestAfterMs;
      return rests ? limits.accessRestMs : limits.accessRefreshMs;
    });
  }
  return {
    awaitCurrent() {
      usedAt = clock.monotonic();
      if (rests) {
        rests = false;
        stop();
        stop = poll();
        waking = inTime(refresh(), clock).finally(() => waking = undefined);
      }
      return waking;
    },
    close: () => stop(),
  };
}

/** A store that does not answer holds up no request for longer than `accessKeyWaitMs`. */
export function inTime(look: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(limits.accessKeyWaitMs, resolve);
    void look.then(stop).then(resolve);
  });
}
