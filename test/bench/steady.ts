/** Calls at a steady rate to a Heddle of the tests, in one process or on the mesh. */
import type { StartOptions } from "../heddle.ts";
import { startMeshServers } from "../mesh-servers.ts";
import { until } from "./load.ts";

export async function startHeddleOn(shape: "one process" | "mesh", apply: string) {
  const servers = shape === "mesh" ? await startMeshServers({ isMeasured: true }) : undefined;
  if (servers) Object.assign(process.env, { HEDDLE_TEST_SHAPE: "mesh", HEDDLE_TEST_MESH: JSON.stringify(servers.settings) });
  // Reads the shape when it is imported
  const { startHeddle } = await import("../heddle.ts");
  const heddle = await startHeddle({ apply, env: { HEDDLE_LOG_LEVEL: "error" } } satisfies StartOptions);
  return {
    heddle,
    async stop() {
      await heddle.close();
      await servers?.stop();
    },
  };
}

/**
 * Calls `count` times, whatever the answers take; gives the milliseconds of each from when it was due, sorted. The calls of `warming`,
 * which warm Node and Cassandra up, come before and do not count.
 */
export async function atSteadyRate(
  { perSecond, count, warming = 0 }: { readonly perSecond: number; readonly count: number; readonly warming?: number },
  call: () => Promise<unknown>,
): Promise<Float64Array> {
  const latencies = new Float64Array(count);
  const began = performance.now();
  await Promise.all(Array.from({ length: warming + count }, async (_, n) => {
    const due = began + (n / perSecond) * 1000;
    await until(due);
    await call();
    if (n >= warming) latencies[n - warming] = performance.now() - due;
  }));
  return latencies.sort();
}
