/** The cluster of the tests: kubectl against a context that is known to be a local one, and never against another by accident. */
import { execFile, spawnSync } from "node:child_process";
import { env } from "node:process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

export const namespace = "heddle";
const run = promisify(execFile);

/** What is missing for these tests to run; undefined when a cluster answers that they may use up. */
export function whyNoCluster(): string | undefined {
  const server = kubectlNow(["config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}"]);
  if (server === undefined) return "kubectl is missing or has no current context";
  const local = /^https?:\/\/(127\.|localhost|0\.0\.0\.0|kubernetes\.docker\.internal|192\.168\.|\[::1\])/.test(server);
  if (!local && env.HEDDLE_TEST_CONTEXT === undefined) {
    return `the cluster at ${server} is not on this machine; HEDDLE_TEST_CONTEXT=<context> names one whose namespace "${namespace}" may be thrown away`;
  }
  return kubectlNow(["get", "--raw", "/readyz"]) === "ok" ? undefined : `no cluster answers at ${server}`;
}

function kubectlNow(args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("kubectl", [...contextArgs(), "--request-timeout=10s", ...args], { encoding: "utf8" });
  return status === 0 && stdout !== "" ? stdout : undefined;
}

/** Rejects with what kubectl said. */
export async function kubectl(args: readonly string[], { input, timeoutMs = 120_000 }: KubectlOptions = {}): Promise<string> {
  const started = run("kubectl", [...contextArgs(), ...args], { timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 });
  if (input !== undefined) started.child.stdin?.end(input);
  const { stdout } = await started;
  return stdout;
}

export function contextArgs(): string[] {
  return env.HEDDLE_TEST_CONTEXT === undefined ? [] : ["--context", env.HEDDLE_TEST_CONTEXT];
}

/** In the namespace of Heddle. */
export function heddleKubectl(...args: string[]): Promise<string> {
  return kubectl(["-n", namespace, ...args], { timeoutMs: 600_000 });
}

/** Names of the Deployments and StatefulSets, as `deployment/profile`. */
export async function workloads(kinds: string, place = namespace): Promise<string[]> {
  const names = await kubectl(["-n", place, "get", kinds, "-o", "name"]);
  return names.split("\n").filter((name) => name !== "").map((name) => name.replace(".apps/", "/"));
}

/** Every replica of everything is ready, and nothing of an older template is left, but for pods that are about to end. */
export async function allReady(timeoutSeconds: number, place = namespace): Promise<void> {
  for (const workload of await workloads("deployments,statefulsets", place)) {
    const args = ["-n", place, "rollout", "status", workload, `--timeout=${timeoutSeconds}s`];
    await kubectl(args, { timeoutMs: timeoutSeconds * 1_000 + 10_000 });
  }
}

/** No pod is about to end: one that is still answers, and `exec deployment/...` may choose it. */
export async function noneEnding(timeoutSeconds: number, place: string): Promise<void> {
  const template = "{.items[*].metadata.deletionTimestamp}";
  const endsAt = performance.now() + timeoutSeconds * 1_000;
  while (await kubectl(["-n", place, "get", "pods", "-o", `jsonpath=${template}`]) !== "") {
    if (performance.now() > endsAt) throw new Error(`Pods of ${place} did not end within ${timeoutSeconds} s`);
    await setTimeout(500);
  }
}

export interface KubectlOptions {
  readonly input?: string;
  readonly timeoutMs?: number;
}
