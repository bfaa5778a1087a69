/** The local overlay on a real cluster, from nothing: it comes up, and stays up while parts are replaced and pods die. In order. */
import { setTimeout } from "node:timers/promises";
import { resolve } from "node:path";
import { env } from "node:process";
import { beforeAll, describe, expect, test } from "vitest";
import { allReady, heddleKubectl, kubectl, namespace, whyNoCluster, workloads } from "./cluster.ts";
import { figure, seconds, summary } from "./figures.ts";
import { provideImages } from "./images.ts";
import { declareLoad, type Keys, podsOf, probesOf, underLoad } from "./load.ts";
import { makeVolumes } from "./volumes.ts";

const overlay = resolve(import.meta.dirname, "../../deploy/overlays/local");
const missing = whyNoCluster();
if (missing !== undefined) console.warn(`Not run: ${missing}`);
const exact = { lost: 0, reordered: 0, repeated: 0 };
const recoverySecondsMax = 30;

describe.skipIf(missing !== undefined)(`Kubernetes${missing === undefined ? "" : ` (not run: ${missing})`}`, () => {
  let keys: Keys;
  beforeAll(async () => {
    provideImages();
    if (env.HEDDLE_KEEP_CLUSTER === "1") return;
    await kubectl(["delete", "namespace", namespace, "--ignore-not-found"], { timeoutMs: 180_000 });
    await makeVolumes(namespace);
  });

  test("kubectl apply -k brings everything up from nothing, and the second time changes nothing", async () => {
    const started = performance.now();
    await kubectl(["apply", "-k", overlay]);
    await allReady(300);
    figure("from nothing to all ready", `${seconds(performance.now() - started)} s`);
    const before = await templates();
    await kubectl(["apply", "-k", overlay]);
    await allReady(60);
    expect(await templates()).toBe(before);
    keys = await declareLoad();
  });

  test("everything that runs passes Pod Security restricted", async () => {
    const label = "pod-security.kubernetes.io/enforce=restricted";
    const { stderr } = await warnings(["label", "--dry-run=server", "--overwrite", "namespace", namespace, label]);
    expect(stderr).not.toContain("violate");
    expect(await heddleKubectl("get", "pods", "-o", "name")).toContain("pod/cassandra-0");
  });

  test("each part is replaced under load: no request fails, nothing is lost or reordered", async () => {
    for (const part of await workloads("deployments")) {
      let took = 0;
      const result = await underLoad(keys, probesOf(keys), async () => {
        await setTimeout(3_000);
        const started = performance.now();
        await heddleKubectl("rollout", "restart", part);
        await heddleKubectl("rollout", "status", part, "--timeout=300s");
        await expect.poll(async () => (await podsOf(nameOf(part))).length, { timeout: 120_000 }).toBe(await replicasOf(part));
        took = performance.now() - started;
        await setTimeout(3_000);
      });
      figure(`rollout restart ${part} (${seconds(took)} s)`, summary(result));
      expect.soft(result, part).toMatchObject({ ...exact, failed: 0, failures: [] });
    }
  });

  test("each pod dies under load: all is well again within 30 s, nothing is lost or reordered", async () => {
    for (const workload of await workloads("deployments,statefulsets")) {
      let took = 0;
      const result = await underLoad(keys, probesOf(keys), async () => {
        await setTimeout(3_000);
        const [pod = ""] = await podsOf(nameOf(workload));
        const started = performance.now();
        await heddleKubectl("delete", "pod", pod, "--grace-period=0", "--force");
        await allReady(120);
        took = performance.now() - started;
        await setTimeout(5_000);
      });
      figure(`delete a pod of ${workload} (ready after ${seconds(took)} s)`, summary(result));
      expect.soft(result, workload).toMatchObject(exact);
      expect.soft(result.failingSeconds, `${workload} ${JSON.stringify(result.failures)}`).toBeLessThan(recoverySecondsMax);
    }
  });
});

async function warnings(args: readonly string[]): Promise<{ stderr: string }> {
  const { execFile } = await import("node:child_process");
  return await new Promise((resolve) => execFile("kubectl", [...args], (_error, _stdout, stderr) => resolve({ stderr })));
}

/** What a change of a template would change. */
async function templates(): Promise<string> {
  return await heddleKubectl(
    "get",
    "deployments,statefulsets",
    "-o",
    'jsonpath={range .items[*]}{.metadata.name} {.metadata.generation}{"\\n"}{end}',
  );
}

async function replicasOf(workload: string): Promise<number> {
  return Number(await heddleKubectl("get", workload, "-o", "jsonpath={.spec.replicas}"));
}

function nameOf(workload: string): string {
  return workload.slice(workload.indexOf("/") + 1);
}
