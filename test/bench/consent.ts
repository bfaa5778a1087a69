/** `node test/bench/consent.ts [--shape mesh]`: gets of 50 ids, and what a fan-out to 10,000 sharers does to others; never part of a timed test. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startMeshServers } from "../mesh-servers.ts";
import { launchMesh } from "../mesh-shape.ts";
import { launchHeddle } from "../heddle-process.ts";
import { type Asked, load, percentile, send } from "./load.ts";

const { values } = parseArgs({
  options: {
    shape: { type: "string", default: "embedded" },
    requests: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
    warm: { type: "string", default: "20" },
    rate: { type: "string", default: "50" },
    sharers: { type: "string", default: "10000" },
  },
});
const [requests, perSecond, sharers] = [Number(values.requests), Number(values.rate), Number(values.sharers)];
const warmSeconds = Number(values.warm);
const group = "11111111-1111-4111-8111-111111111111";
const [key, sharedKey] = ["bench-key-consent", "bench-key-shared"];
const users = 2_000;
const idsPerGet = 50;
const objectsPerRequest = 50;
const waitMsMax = 60_000;

const folder = mkdtempSync(join(tmpdir(), "heddle-consent-bench-"));
const declarationPath = join(folder, "bench.yaml");
const workspaces = [["quiet", key], ["shared", sharedKey]].map(([name, secret]) =>
  `      - name: ${name}\n        apiKeys: [{ name: all, permissions: ["*"], secret: ${secret} }]\n` +
  `        subscriptionGroups: [{ id: ${group}, name: Letter, channel: email }]\n`
);
writeFileSync(declarationPath, `companies:\n  - name: bench\n    workspaces:\n${workspaces.join("")}`);
const server = values.shape === "mesh" ? await startMesh() : await startOne();
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

try {
  await fill();
  // A Cassandra that has just started compiles what it runs for some time: the first gets take twice as long
  await gets({ count: warmSeconds * perSecond });
  console.log(
    `get of ${idsPerGet} ids, ${perSecond} a second, after ${warmSeconds} s of the same: ${shown(await gets({ count: requests }))}`,
  );
  await fanOut();
} finally {
  agent.destroy();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function startOne() {
  const repository = resolve(import.meta.dirname, "../..");
  const one = await launchHeddle({
    program: process.execPath,
    args: [join(repository, "cli/heddle.mjs"), "start", "--apply", declarationPath],
    folder: repository,
    env: {
      HEDDLE_HTTP_PORT: "0",
      HEDDLE_DATA_DIR: join(folder, "data"),
      HEDDLE_LOG_LEVEL: "error",
      ...(process.env["BENCH_NODE_OPTIONS"] && { NODE_OPTIONS: process.env["BENCH_NODE_OPTIONS"] }),
    },
  });
  return { url: one.url, stop: () => ended(one) };
}

async function startMesh() {
  const servers = await startMeshServers();
  const mesh = await launchMesh({
    repository: resolve(import.meta.dirname, "../.."),
    settings: servers.settings,
    dataDir: join(folder, "data"),
    port: 0,
    declarationPath,
    runtimeOf: () => "node",
    env: { HEDDLE_LOG_LEVEL: "error", HEDDLE_LOG_LANES: "64", HEDDLE_LOG_MEGABYTES: "512" },
  });
  return {
    url: mesh.url,
    async stop() {
      await ended(mesh);
      await servers.stop();
    },
  };
}

async function ended(process: { kill(signal: NodeJS.Signals): void; readonly ended: Promise<unknown> }): Promise<void> {
  process.kill("SIGTERM");
  await process.ended;
}

/** Users with a state in the group, and users of another workspace who share one email. */
async function fill(): Promise<void> {
  const groups = [{ subscription_group_id: group, subscription_state: "subscribed" }];
  for (let at = 0; at < users; at += objectsPerRequest) {
    await post(key, "/users/track", { attributes: some(at, users, (n) => ({ external_id: `u${n}`, subscription_groups: groups })) });
  }
  for (let at = 0; at < sharers; at += objectsPerRequest) {
    await post(sharedKey, "/users/track", {
      attributes: some(at, sharers, (n) => ({ external_id: `s${n}`, email: "shared@example.com" })),
    });
  }
  await until(async () =>
    await stateOf(sharedKey, `s${sharers - 1}`) === "Unknown" && await stateOf(key, `u${users - 1}`) === "Subscribed"
  );
}

function some<Item>(from: number, count: number, make: (n: number) => Item): Item[] {
  return Array.from({ length: Math.min(objectsPerRequest, count - from) }, (_, at) => make(from + at));
}

async function gets({ count }: { readonly count: number }): Promise<Float64Array> {
  const { latencies } = await load({
    url: server.url,
    connections: 16,
    requests: count,
    perSecond,
    make: () => {
      const first = Math.floor(Math.random() * (users - idsPerGet));
      const ids = Array.from({ length: idsPerGet }, (_, at) => `external_id[]=u${first + at}`);
      return asked(key, "GET", `/subscription/status/get?subscription_group_id=${group}&${ids.join("&")}`);
    },
  });
  return latencies;
}

/**
 * Others are gets of another workspace: as many before as while one fan-out after the other is under way, each from its
 * answer until the last sharer shows it.
 */
async function fanOut(): Promise<void> {
  const count = Number(values.seconds) * perSecond;
  const before = await gets({ count });
  const readable: number[] = [];
  const state = { over: false };
  const during = gets({ count }).finally(() => state.over = true);
  while (!state.over) readable.push(await oneFanOut(readable.length % 2 === 0 ? "subscribed" : "unsubscribed"));
  const sorted = Float64Array.from(readable).sort();
  console.log(`${readable.length} fan-outs to ${sharers} one after the other: readable after ${shown(sorted)}`);
  console.log(`others, ${count} gets, before: ${shown(before)}; during: ${shown(await during)}`);
}

async function oneFanOut(subscription_state: "subscribed" | "unsubscribed"): Promise<number> {
  const began = performance.now();
  await post(sharedKey, "/subscription/status/set", { subscription_group_id: group, subscription_state, email: ["shared@example.com"] });
  const shows = subscription_state === "subscribed" ? "Subscribed" : "Unsubscribed";
  await until(async () => await stateOf(sharedKey, `s${sharers - 1}`) === shows);
  return performance.now() - began;
}

async function stateOf(secret: string, id: string): Promise<unknown> {
  const path = `/subscription/status/get?subscription_group_id=${group}&external_id=${id}`;
  const { body } = await send(agent, server.url, asked(secret, "GET", path));
  return (JSON.parse(body.toString()) as { status?: Record<string, unknown> }).status?.[id];
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const latest = performance.now() + waitMsMax;
  while (!await isSo()) {
    if (performance.now() > latest) throw new Error(`Not so within ${waitMsMax} ms`);
    await setTimeout(10);
  }
}

async function post(secret: string, path: string, body: object): Promise<void> {
  const answer = await send(agent, server.url, asked(secret, "POST", path, JSON.stringify(body)));
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.body.toString()}`);
}

function asked(secret: string, method: "GET" | "POST", path: string, body = ""): Asked {
  return { method, path, headers: { authorization: `Bearer ${secret}` }, body: Buffer.from(body) };
}

function shown(latencies: Float64Array): string {
  return [0.5, 0.99, 1].map((p) => `p${p * 100} ${percentile(latencies, p).toFixed(1)} ms`).join(", ");
}
