/** A workload that is replaced under load, as the tests of restarts and of other images do it. */
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { heddleKubectl } from "./cluster.ts";
import { type Keys, type LoadResult, podsOf, probesOf, underLoad } from "./load.ts";

const aroundMs = 3_000;
export const exact = { lost: 0, reordered: 0, repeated: 0 };

/** Runs `change` of a Deployment (`deployment/profile`) under load, until no pod of before is left. */
export async function replacedUnderLoad(keys: Keys, workload: string, change: () => Promise<unknown>): Promise<Replaced> {
  let took = 0;
  const load = await underLoad(keys, probesOf(keys), async () => {
    await setTimeout(aroundMs);
    const started = performance.now();
    await change();
    await heddleKubectl("rollout", "status", workload, "--timeout=300s");
    const replicas = Number(await heddleKubectl("get", workload, "-o", "jsonpath={.spec.replicas}"));
    await expect.poll(async () => (await podsOf(nameOf(workload))).length, { timeout: 120_000 }).toBe(replicas);
    took = performance.now() - started;
    await setTimeout(aroundMs);
  });
  return { load, took };
}

export function nameOf(workload: string): string {
  return workload.slice(workload.indexOf("/") + 1);
}

export interface Replaced {
  readonly load: LoadResult;
  /** Milliseconds. */
  readonly took: number;
}
