/** `npm run test:black-box`: the black-box suite over HTTP against the mesh on the current cluster, through a port-forward or at HEDDLE_TEST_URL. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { whyNoCluster } from "./cluster.ts";
import { forwardGateway } from "./port-forward.ts";

const missing = whyNoCluster();
if (missing === undefined) {
  const given = env.HEDDLE_TEST_URL;
  const forward = given === undefined ? await forwardGateway() : { url: given, close: () => {} };
  const config = join(import.meta.dirname, "black-box/vitest.config.ts");
  const { status } = spawnSync(execPath, ["node_modules/vitest/vitest.mjs", "run", "--config", config, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...env, HEDDLE_TEST_URL: forward.url },
  });
  forward.close();
  process.exitCode = status ?? 1;
} else {
  console.log(`Not run: ${missing}`);
}
