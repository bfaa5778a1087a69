/** The end of each partition for looks that come again and again: a log in which nothing happens is asked rarely. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Log } from "../log/log.ts";

export interface QuietTails {
  /** As Log.tail(); up to `quietTailMs` old where word of something new was lost. */
  tail(partition: number): Promise<number>;
  close(): void;
}

export function openQuietTails(log: Pick<Log, "tail" | "watch">, clock: Clock): QuietTails {
  /** What was answered since something new came last. */
  const known = new Map<number, { readonly tail: number; readonly askedAt: number }>();
  /** How often something new came. */
  const changes = new Map<number, number>();
  const stop = log.watch((partition) => {
    known.delete(partition);
    changes.set(partition, (changes.get(partition) ?? 0) + 1);
  });
  return {
    async tail(partition) {
      const askedAt = clock.monotonic();
      const last = known.get(partition);
      if (last !== undefined && askedAt - last.askedAt < limits.quietTailMs) return last.tail;
      const before = changes.get(partition);
      const tail = await log.tail(partition);
      // What came meanwhile may not be in the answer
      if (changes.get(partition) === before) known.set(partition, { tail, askedAt });
      return tail;
    },
    close: stop,
  };
}
