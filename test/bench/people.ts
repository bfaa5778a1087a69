/** `node test/bench/people.ts [--mesh] [--users 1000000]`: searches and persons' pages at a steady rate; never part of a timed test. */
import { parseArgs } from "node:util";
import { apiKey, workspace } from "../declaration.ts";
import { latencyText } from "./load.ts";
import { costOf } from "./process-cost.ts";
import { emailOf, externalIdOf, seedFolder, seedMesh } from "./seed.ts";
import { atSteadyRate, startHeddleOn } from "./steady.ts";
import { watchOthers } from "./stillness.ts";

const { values } = parseArgs({
  options: {
    mesh: { type: "boolean", default: false },
    users: { type: "string", default: "1000000" },
    // Below the limit of the console
    rate: { type: "string", default: "8" },
    requests: { type: "string", default: "400" },
  },
});
const users = Number(values.users);
const perSecond = Number(values.rate);
const requests = Number(values.requests);
const secret = "key-of-the-bench";

const apply = JSON.stringify({ companies: [{ name: "bench", workspaces: [workspace("bench", [apiKey("all", secret)])] }] });
const { heddle, stop } = await startHeddleOn(values.mesh ? "mesh" : "one process", apply);
try {
  const began = performance.now();
  if (values.mesh) await seedMesh(heddle.commandEnv, users);
  else {
    await heddle.stop();
    await seedFolder(heddle.dataDir, users);
    await heddle.restart();
  }
  console.log(`${users} users, made in ${Math.round((performance.now() - began) / 1000)} s; ${perSecond} requests a second`);
  const some = () => Math.floor(Math.random() * users);
  await show("a person by email", "/console/users", () => ({ email: emailOf(some()) }));
  await show("a search of any kind, 4 characters", "/console/people/search", () => ({ starts_with: externalIdOf(some()).slice(0, 7) }));
  await show(
    "a search of one kind, 50 names",
    "/console/people/search",
    () => ({ by: "email", starts_with: emailOf(some()).slice(0, 10) }),
  );
  await show("the newest 50", "/console/people", () => ({ list: "newest" }));
} finally {
  await stop();
}

/** At a steady rate, whatever the answers take; each counts from when it was due. */
async function show(name: string, path: string, body: () => object): Promise<void> {
  await run(path, body, Math.ceil(requests / 4));
  const pids = [heddle.pid, ...(values.mesh ? Array.from(heddle.mesh.parts.values(), ({ pid }) => pid) : [])];
  const others = watchOthers(pids);
  const before = cpuUsOf(pids);
  const latencies = await run(path, body, requests);
  const cpuMs = (cpuUsOf(pids) - before) / requests / 1_000;
  console.log(`${name}: ${latencyText(latencies)}, ${cpuMs.toFixed(1)} ms of CPU; ${others().toFixed(1)} cores did other things`);
}

/** Of Heddle's processes, without the servers of a mesh. */
function cpuUsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + costOf(pid).cpuUs, 0);
}

async function run(path: string, body: () => object, count: number): Promise<Float64Array> {
  return await atSteadyRate({ perSecond, count }, async () => {
    const { status, text } = await heddle.request("POST", path, body(), { key: secret });
    if (status !== 200) throw new Error(`Expected 200, got ${status}: ${text}`);
  });
}
