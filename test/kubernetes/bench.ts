/** `npm run bench:kubernetes [seconds]`: load on the mesh of the current cluster from a pod within it, and what it found. */
import { setTimeout } from "node:timers/promises";
import { whyNoCluster } from "./cluster.ts";
import { declareLoad, probesOf, underLoad } from "./load.ts";

const seconds = Number(process.argv[2] ?? 30);
const missing = whyNoCluster();
if (missing === undefined) {
  const keys = await declareLoad();
  const result = await underLoad(keys, probesOf(keys), async () => void await setTimeout(seconds * 1_000));
  console.log(JSON.stringify({ ...result, requestsPerSecond: Math.round(result.requests / result.seconds) }, null, 2));
} else {
  console.log(`Not run: ${missing}`);
}
