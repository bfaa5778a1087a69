/** What a load cost, by process, and whether the machine was still. */
import type { Figure } from "./figures.ts";
import { type LoadResult, percentile } from "./load.ts";
import { costOf } from "./process-cost.ts";
import { watchOthers } from "./stillness.ts";

export interface Measured {
  readonly name: string;
  /** Ids of the processes that serve, by name. */
  readonly processes: ReadonlyMap<string, number>;
  /** In each request. */
  readonly objects: number;
  /** Makes Cassandra write to its tables what it has in memory, and waits for it and for compaction. */
  readonly settle?: (() => Promise<void>) | undefined;
}

/** As `cpuUsBy` has it: of all processes that serve it is Cassandra that works while it settles. */
const settling = "flush and compaction";

export async function measuredLoad({ name, processes, objects: each, settle }: Measured, run: () => Promise<LoadResult>): Promise<Figure> {
  // What other loads left in memory is not this one's
  await settle?.();
  const watched = watchOthers([...processes.values()]);
  const before = costsOf(processes);
  const { latencies, seconds, failed } = await run();
  const objects = latencies.length * each;
  const after = costsOf(processes);
  const cpuUsBy = new Map([...after].map(([process, us]) => [process, (us - (before.get(process) ?? 0)) / objects]));
  if (settle !== undefined) {
    await settle();
    cpuUsBy.set(settling, ((costsOf(processes).get("cassandra") ?? 0) - (after.get("cassandra") ?? 0)) / objects);
  }
  return {
    load: name,
    cpuUs: [...cpuUsBy.values()].reduce((sum, us) => sum + us, 0),
    cpuUsBy,
    objectsPerSecond: Math.round(objects / seconds),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    failed,
    others: watched(),
  };
}

/** Microseconds of CPU so far, by process. */
function costsOf(processes: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...processes].map(([name, pid]) => [name, costOf(pid).cpuUs]));
}
