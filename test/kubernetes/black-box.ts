/**
 * `npm run test:black-box [files]`: the black-box suite over HTTP against a mesh that runs already: on the current cluster, at its
 * NodePort where that can be reached and through a port-forward where not; or elsewhere, at HEDDLE_TEST_URL with the settings that
 * `npm run mesh` prints.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { isHere } from "./black-box/mesh-command.ts";
import { heddleKubectl, whyNoCluster } from "./cluster.ts";
import { reachGateway } from "./reach-gateway.ts";

const missing = isHere ? undefined : whyNoCluster();
if (missing === undefined) {
  const reached = await reachGateway();
  console.log(`The gateway is at ${reached.url}`);
  const config = join(import.meta.dirname, "black-box/vitest.config.ts");
  const { status } = spawnSync(execPath, ["node_modules/vitest/vitest.mjs", "run", "--config", config, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: {
      ...env,
      HEDDLE_TEST_URL: reached.url,
      HEDDLE_TEST_PUBLIC_URL: await publicUrl(),
      ...(reached.forwarded ? { HEDDLE_TEST_FORWARDED: "1" } : {}),
    },
  });
  reached.close();
  process.exitCode = status ?? 1;
} else {
  console.log(`Not run: ${missing}`);
}

/** As it is set for the gateways; empty where it is not set. */
async function publicUrl(): Promise<string> {
  if (isHere) return env.HEDDLE_PUBLIC_URL ?? "";
  return (await heddleKubectl("exec", "deploy/gateway", "--", "sh", "-c", "echo $HEDDLE_PUBLIC_URL")).trim();
}
