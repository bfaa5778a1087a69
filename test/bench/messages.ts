/**
 * `node test/bench/messages.ts`: NATS messages of a request of one object by kind, and those of a mesh where nothing happens;
 * never part of a timed test.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connect, type NatsConnection } from "nats";
import { startMeshServers } from "../mesh-servers.ts";
import { launchMesh } from "../mesh-shape.ts";
import { oneEventBody } from "./bodies.ts";
import { send } from "./load.ts";
import { costOf } from "./process-cost.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "100" },
    /** Milliseconds between two requests. */
    apart: { type: "string", default: "30" },
    "idle-seconds": { type: "string", default: "20" },
    lanes: { type: "string", default: "64" },
  },
});
const [requests, apartMs, idleSeconds] = [Number(values.requests), Number(values.apart), Number(values["idle-seconds"])];
const users = 100;
const warmRequests = 200;
const settleMs = 5_000;
const trimmedMs = 75_000;
const key = "bench-key-messages";
const folder = mkdtempSync(join(tmpdir(), "heddle-messages-bench-"));
const declarationPath = join(folder, "bench.yaml");
writeFileSync(
  declarationPath,
  `companies:\n  - name: bench\n    workspaces:\n      - name: one\n        apiKeys: [{ name: all, permissions: ["*"], secret: ${key} }]\n`,
);
const servers = await startMeshServers();
const mesh = await launchMesh({
  repository: resolve(import.meta.dirname, "../.."),
  settings: servers.settings,
  dataDir: join(folder, "data"),
  port: 0,
  declarationPath,
  runtimeOf: () => "node",
  env: { HEDDLE_LOG_LANES: values.lanes },
});
const agent = new Agent({ keepAlive: true });
const nats = await connect({ servers: [servers.nats.url] });
const counted = countAll(nats);

try {
  for (let n = 0; n < warmRequests; n += 1) await track(n);
  await setTimeout(settleMs);
  await measure(`a request, ${requests} of one object, ${apartMs} ms apart`, requests, async () => {
    for (let n = 0; n < requests; n += 1) {
      const next = setTimeout(apartMs);
      await track(n);
      await next;
    }
  });
  // What is applied is trimmed a minute later
  await setTimeout(trimmedMs);
  await measure(`a second, while nothing happens for ${idleSeconds} s`, idleSeconds, () => setTimeout(idleSeconds * 1_000));
} finally {
  agent.destroy();
  await nats.close();
  mesh.kill("SIGTERM");
  await mesh.ended;
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function track(n: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  await send(agent, mesh.url, { path: "/users/track", body: oneEventBody(n, users), headers });
}

/** Prints by kind what came on any subject, for each of `count`, and the CPU of every process that serves. */
async function measure(name: string, count: number, work: () => Promise<unknown>): Promise<void> {
  counted.clear();
  const before = costs();
  await work();
  const after = costs();
  const kinds = [...counted].toSorted(([, a], [, b]) => b - a);
  const sum = kinds.reduce((all, [, one]) => all + one, 0);
  console.log(`\n${(sum / count).toFixed(1)} NATS messages ${name}`);
  for (const [kind, one] of kinds) console.log(`  ${(one / count).toFixed(2).padStart(7)}  ${kind}`);
  console.log(`CPU us ${name.split(",")[0]}`);
  for (const [process, cpuUs] of after) {
    console.log(`  ${((cpuUs - (before.get(process) ?? 0)) / count).toFixed(0).padStart(7)}  ${process}`);
  }
}

function costs(): Map<string, number> {
  const pids = [
    ["nats", servers.nats.pid],
    ["cassandra", servers.cassandra.pid],
    ["redis", servers.redis.pid],
    ["gateway", mesh.gateway.pid],
    ...[...mesh.parts].map(([name, { pid }]) => [name, pid] as const),
  ] as const;
  return new Map(pids.map(([name, pid]) => [name, costOf(pid).cpuUs]));
}

function countAll(connection: NatsConnection): Map<string, number> {
  const counts = new Map<string, number>();
  connection.subscribe(">", {
    callback: (_, { subject }) => {
      const kind = kindOf(subject);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    },
  });
  return counts;
}

/** The subject without what differs from one message to the next. */
function kindOf(subject: string): string {
  if (subject.startsWith("_INBOX.")) return "replies";
  if (subject.startsWith("$JS.API.")) {
    return subject.split(".").slice(2, 5).filter((part) => !part.includes("_intake") && !part.includes("_lanes")).join(".");
  }
  if (subject.startsWith("$JS.EVENT.ADVISORY")) return "advisories";
  return subject.replace(/^t[0-9a-f]{12}/, "").replaceAll(/\.\d+|ws_\w+|\.[\w-]*-\d+/g, ".N");
}
