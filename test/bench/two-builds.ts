/**
 * `node test/bench/two-builds.ts --other FOLDER`: CPU a request of this build and of another one. Bursts go to the two in turn, so that a busy
 * machine is as busy for both, and both are started anew some times, as two processes of one build differ too. Never part of a timed test.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { oneEventBody } from "./bodies.ts";
import { type Asked, load } from "./load.ts";
import { costOf } from "./process-cost.ts";
import { type BenchServer, startServer } from "./server.ts";

const { values } = parseArgs({
  options: {
    other: { type: "string" },
    starts: { type: "string", default: "6" },
    rounds: { type: "string", default: "6" },
    requests: { type: "string", default: "500" },
  },
});
if (values.other === undefined) throw new Error("Name the folder of the other build with --other");
const [starts, rounds, requests] = [Number(values.starts), Number(values.rounds), Number(values.requests)];
const keys = Array.from({ length: 63 }, (_, i) => `bench-key-${String(i).padStart(4, "0")}`);
const users = 200;
const nothing = Buffer.alloc(0);
const kinds: Readonly<Record<string, (n: number) => Asked>> = {
  "track of one object": (n) => ({ path: "/users/track", body: oneEventBody(n, users), headers: withKey(keys[n % keys.length]) }),
  "list that is empty": (n) => ({
    method: "GET",
    path: "/preference_center/v1/list",
    body: nothing,
    headers: withKey(keys[n % keys.length]),
  }),
  "wrong key": () => ({ method: "GET", path: "/preference_center/v1/list", body: nothing, headers: withKey("a-key-that-nobody-has") }),
};

/** CPU microseconds a request of a burst here and of the next one there, of each kind. */
const costs = new Map(Object.keys(kinds).map((kind) => [kind, [] as [number, number][]]));

for (let start = 0; start < starts; start += 1) {
  await startBoth(start % 2 === 0);
  console.log(`After ${start + 1} of ${starts} starts`);
  for (const [kind, rows] of costs) print(kind, rows);
}

async function startBoth(thisFirst: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
  const servers: BenchServer[] = [];
  try {
    servers.push(await startServer({ folder: join(folder, "this"), keys }));
    servers.push(await startServer({ folder: join(folder, "other"), keys, build: values.other ?? "" }));
    for (const [kind, make] of Object.entries(kinds)) {
      for (const server of servers) await burst(server, make);
      for (let round = 0; round < rounds; round += 1) costs.get(kind)?.push(await inTurn(servers, make, (round % 2 === 0) === thisFirst));
    }
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inTurn([here, there]: readonly BenchServer[], make: (n: number) => Asked, hereFirst: boolean): Promise<[number, number]> {
  if (here === undefined || there === undefined) throw new Error("Expected two servers");
  if (hereFirst) return [await burst(here, make), await burst(there, make)];
  const ofOther = await burst(there, make);
  return [await burst(here, make), ofOther];
}

function print(kind: string, rows: readonly (readonly [number, number])[]): void {
  const differences = rows.map(([here, there]) => here - there);
  const [here, there, difference] = [rows.map(([one]) => one), rows.map(([, one]) => one), differences].map((all) =>
    median(all).toFixed(1)
  );
  const mean = differences.reduce((sum, one) => sum + one, 0) / rows.length;
  const error = Math.sqrt(differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (rows.length - 1) / rows.length);
  console.log(
    `${kind}: ${here} us a request here, ${there} there; difference ${difference} (median), ${mean.toFixed(1)} +- ${
      error.toFixed(1)
    } (mean)`,
  );
}

async function burst({ url, pid }: BenchServer, make: (n: number) => Asked): Promise<number> {
  const before = costOf(pid).cpuUs;
  await load({ url, connections: 16, requests, make });
  return (costOf(pid).cpuUs - before) / requests;
}

function withKey(key = ""): Record<string, string> {
  return { authorization: `Bearer ${key}`, "content-type": "application/json" };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
