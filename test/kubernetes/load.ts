/** Load on the mesh from a pod of its own, started and ended by the tests. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { secret } from "../../platform/identifier.ts";
import { heddleKubectl, kubectl, namespace } from "./cluster.ts";

const place = "heddle-load";
const folder = import.meta.dirname;

export interface LoadResult {
  readonly seconds: number;
  readonly requests: number;
  /** Of them, those on connections that are kept, and those on a new one each. */
  readonly kept: Attempts;
  readonly fresh: Attempts;
  readonly writes: number;
  /** Attempts without a success; each was repeated. */
  readonly failed: number;
  /** The first and the last ones; `at` and `tookMs` in milliseconds. */
  readonly failures: readonly { readonly at: number; readonly tookMs: number; readonly path: string; readonly text: string }[];
  /** From the first failed attempt to the last. */
  readonly failingSeconds: number;
  readonly slowestMs: number;
  /** The longest time in which no request was answered. */
  readonly longestGapMs: number;
  /** Writes that were answered and are not there. */
  readonly lost: number;
  /** Users whose writes took effect in another order than they were sent. */
  readonly reordered: number;
  /** Writes that took effect more than once. */
  readonly repeated: number;
}

interface Attempts {
  readonly requests: number;
  readonly failed: number;
}

export interface Keys {
  /** The namespace of the mesh. */
  readonly mesh: string;
  readonly apiKey: string;
  readonly scimToken: string;
  /** A subscription group of the workspace. */
  readonly group: string;
}

/** Declares the workspace of the load in the mesh of a namespace, through a gateway. */
export async function declareLoad(mesh = namespace): Promise<Keys> {
  const keys = { mesh, apiKey: secret("hdl_"), scimToken: secret("scim_"), group: randomUUID() };
  const texts = { NAME: keys.group, API_KEY: keys.apiKey, TOKEN_OF_SCIM: keys.scimToken, GROUP_ID: keys.group };
  const declaration = readFileSync(join(folder, "declaration.yaml"), "utf8").replaceAll(
    /\b(NAME|API_KEY|TOKEN_OF_SCIM|GROUP_ID)\b/g,
    (name) => texts[name as keyof typeof texts],
  );
  await kubectl(["-n", mesh, "exec", "-i", "deploy/gateway", "--", "heddle", "apply", "-f", "-"], { input: declaration });
  return keys;
}

/** Resolves when the load is running: the file `program` of this folder, in a pod. */
export async function startLoad({ mesh, apiKey, scimToken }: Keys, probes: readonly Probe[] = [], program = "load.mjs"): Promise<void> {
  // By its address: what the cluster's names do under load is another matter
  const address = await kubectl(["-n", mesh, "get", "service", "gateway", "-o", "jsonpath={.spec.clusterIP}"]);
  const pod = readFileSync(join(folder, "load-pod.yaml"), "utf8").replace("API_KEY", apiKey)
    .replace("TOKEN_OF_SCIM", scimToken)
    .replace("ADDRESS", address.includes(":") ? `[${address}]` : address)
    .replace("/load/load.mjs", `/load/${program}`)
    .replace(`"[]"`, JSON.stringify(JSON.stringify(probes)));
  await kubectl(["-n", place, "delete", "pod", "load", "--ignore-not-found", "--now"]);
  await kubectl(["apply", "-f", "-"], { input: `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${place} }\n` });
  const script = await kubectl([
    "-n",
    place,
    "create",
    "configmap",
    "load",
    `--from-file=${join(folder, program)}`,
    "--dry-run=client",
    "-o",
    "yaml",
  ]);
  await kubectl(["apply", "-f", "-"], { input: script });
  await kubectl(["apply", "-f", "-"], { input: pod });
  await kubectl(["-n", place, "wait", "--for=condition=Ready", "pod/load", "--timeout=60s"]);
}

/** What the load wrote into a file of its. */
export function fileOfLoad(path: string): Promise<string> {
  return kubectl(["-n", place, "exec", "load", "--", "cat", path]);
}

/** Ends it, and resolves when everything that it wrote was read back. */
export async function stopLoad<Result = LoadResult>(): Promise<Result> {
  await kubectl(["-n", place, "exec", "load", "--", "touch", "/tmp/stop"]);
  await kubectl(["-n", place, "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/load", "--timeout=120s"], { timeoutMs: 130_000 });
  const printed = await kubectl(["-n", place, "logs", "load"]);
  const [, result] = /^result (.*)$/m.exec(printed) ?? [];
  if (result === undefined) throw new Error(`The load ended without a result:\n${printed.slice(-2_000)}`);
  return JSON.parse(result) as Result;
}

/** Runs `work` under load. */
export async function underLoad(keys: Keys, probes: readonly Probe[], work: () => Promise<void>): Promise<LoadResult> {
  await startLoad(keys, probes);
  await work();
  return await stopLoad();
}

/** A request of each part that the load's own do not reach. */
export function probesOf({ group }: Keys): readonly Probe[] {
  return [
    { method: "GET", path: `/subscription/status/get?subscription_group_id=${group}&external_id=probed` },
    {
      method: "POST",
      path: "/subscription/status/set",
      body: { subscription_group_id: group, subscription_state: "subscribed", external_id: ["probed"] },
    },
    { method: "POST", path: "/email/status", body: { email: "probed@example.com", subscription_state: "subscribed" } },
    { method: "GET", path: "/email/hard_bounces?start_date=2026-01-01&end_date=2026-12-31" },
    { method: "GET", path: "/scim/v2/ServiceProviderConfig" },
    {
      method: "POST",
      path: "/scim/v2/Users/.search",
      body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], filter: 'userName eq "nobody@example.com"' },
    },
    { method: "GET", path: "/preference_center/v1/list" },
  ];
}

/** Names of the pods of a workload, living ones and those that are ending. */
export async function podsOf(part: string): Promise<string[]> {
  const names = await heddleKubectl("get", "pods", "-l", `app.kubernetes.io/name=${part}`, "-o", "jsonpath={.items[*].metadata.name}");
  return names.split(" ").filter((name) => name !== "");
}

export interface Probe {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}
