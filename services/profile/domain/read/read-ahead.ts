/**
 * Reads of names that do not wait for the question where the log ends: they begin beside it, and count where everything up to that
 * end was decided already when they began. A read that began too soon is done again.
 */
import type { Applied, CaughtUp } from "../ports.ts";

export interface ReadAhead {
  /** `read` may be called twice. What `caughtUp` throws goes before what `read` throws. */
  run<T>(workspaceId: string, caughtUp: () => Promise<CaughtUp>, read: () => Promise<T>): Promise<CaughtUp & { readonly value: T }>;
}

/** Where the last read of a partition had to be done again, its next one waits: a log that is written to all the time is read once. */
export function openReadAhead({ applied, partitionOf }: ReadAheadDeps): ReadAhead {
  const calm = new Map<number, boolean>();
  return {
    async run(workspaceId, caughtUp, read) {
      const partition = partitionOf(workspaceId);
      const through = applied.decidedThrough({ partition, sequence: 0 });
      const early = calm.get(partition) === false ? undefined : read();
      // Where `caughtUp` throws, `early` is not awaited
      early?.catch(() => {});
      const at = await caughtUp();
      const isFresh = at.end.sequence <= through;
      calm.set(partition, isFresh);
      return { ...at, value: await (isFresh && early !== undefined ? early : read()) };
    },
  };
}

export interface ReadAheadDeps {
  readonly applied: Pick<Applied, "decidedThrough">;
  readonly partitionOf: (workspaceId: string) => number;
}
