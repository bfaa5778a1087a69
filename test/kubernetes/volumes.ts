/** Volumes by hand, for a cluster that makes none by itself: HEDDLE_NODE_VOLUMES names a folder of its only node. */
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { kubectl } from "./cluster.ts";

const sizes: Readonly<Record<string, string>> = { nats: "10Gi", redis: "1Gi", cassandra: "10Gi" };

/** Empty ones, bound to the claims of the local overlay. */
export async function makeVolumes(namespace: string): Promise<void> {
  for (const [name, size] of Object.entries(sizes)) await makeVolume(name, { size, claim: { namespace, name: `data-${name}-0` } });
}

/** An empty one for a claim; none where the cluster makes them by itself. */
export async function makeVolume(
  name: string,
  { size, claim }: { readonly size: string; readonly claim: { readonly namespace: string; readonly name: string } },
): Promise<void> {
  const folder = env.HEDDLE_NODE_VOLUMES;
  if (folder === undefined) return;
  const path = join(folder, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  // The kubelet gives no group to a folder of the node
  chmodSync(path, 0o777);
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `heddle-${name}` },
    spec: {
      capacity: { storage: size },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      hostPath: { path },
      claimRef: claim,
    },
  };
  await kubectl(["delete", "persistentvolume", volume.metadata.name, "--ignore-not-found"]);
  await kubectl(["create", "-f", "-"], { input: JSON.stringify(volume) });
}
