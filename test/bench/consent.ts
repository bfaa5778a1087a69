/** `node test/bench/consent.ts [--shape mesh]`: gets of 50 ids, and what fan-outs to 10,000 sharers do to others; never part of a timed test. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startMeshServers } from "../mesh-servers.ts";
import { launchMesh } from "../mesh-shape.ts";
import { launchHeddle } from "../heddle-process.ts";
import { noteFigure } from "./goals.ts";
import { type Asked, latencyText, load, type LoadResult, percentile, send } from "./load.ts";
import { meshSizes } from "./targets.ts";

const { values } = parseArgs({
  options: {
    shape: { type: "string", default: "embedded" },
    requests: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
    warm: { type: "string", default: "20" },
    /** Of each: exports are limited to 2,500 a minute. */
    rate: { type: "string", default: "40" },
    sharers: { type: "string", default: "10000" },
    /** So many fan-outs, instead of as many as begin within the seconds. */
    "fan-outs": { type: "string", default: "0" },
  },
});
const [requests, perSecond, sharers] = [Number(values.requests), Number(values.rate), Number(values.sharers)];
const warmSeconds = Number(values.warm);
const shape = values.shape === "mesh" ? "mesh" : "one";
const group = "11111111-1111-4111-8111-111111111111";
const [key, sharedKey] = ["bench-key-consent", "bench-key-shared"];
const users = 2_000;
const idsPerGet = 50;
const objectsPerRequest = 50;
const waitMsMax = 60_000;
const lagLookMs = 250;
const sameWorkspacePerSecond = 10;
const setsPerSecond = 2;

const folder = mkdtempSync(join(tmpdir(), "heddle-consent-bench-"));
const declarationPath = join(folder, "bench.yaml");
/** As old as the highest limit of exports asks for. */
const onboardedAt = "2024-08-21";
const workspaces = [["quiet", key], ["shared", sharedKey]].map(([name, secret]) =>
  `      - name: ${name}\n        apiKeys: [{ name: all, permissions: ["*"], secret: ${secret} }]\n` +
  `        subscriptionGroups: [{ id: ${group}, name: Letter, channel: email }]\n`
);
writeFileSync(declarationPath, `companies:\n  - name: bench\n    onboardedAt: ${onboardedAt}\n    workspaces:\n${workspaces.join("")}`);
/** What the log says at this level is where the metrics are. */
const seen = { HEDDLE_METRICS_PORT: "0", HEDDLE_LOG_LEVEL: "info" };
const server = values.shape === "mesh" ? await startMesh() : await startOne();
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

try {
  await fill();
  // A Cassandra that has just started compiles what it runs for some time: the first gets take twice as long
  await gets({ count: warmSeconds * perSecond });
  const statuses = (await gets({ count: requests })).latencies;
  console.log(`get of ${idsPerGet} ids, ${perSecond} a second, after ${warmSeconds} s of the same: ${shown(statuses)}`);
  noteFigure(`status-50-${shape}`, percentile(statuses, 0.99));
  await exports(warmSeconds * perSecond);
  const exported = await exports(requests);
  console.log(`export of ${idsPerGet} ids, the same: ${shown(exported)}`);
  noteFigure(`export-50-${shape}`, percentile(exported, 0.99));
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
      ...seen,
      ...(process.env["BENCH_NODE_OPTIONS"] && { NODE_OPTIONS: process.env["BENCH_NODE_OPTIONS"] }),
    },
  });
  return { url: one.url, laneOutput: () => one.output(), stop: () => ended(one) };
}

async function startMesh() {
  const servers = await startMeshServers({ isMeasured: true });
  const mesh = await launchMesh({
    repository: resolve(import.meta.dirname, "../.."),
    settings: servers.settings,
    dataDir: join(folder, "data"),
    port: 0,
    declarationPath,
    runtimeOf: () => "node",
    env: { ...seen, ...meshSizes },
  });
  return {
    url: mesh.url,
    laneOutput: () => mesh.parts.get("subscription")?.output() ?? "",
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

/** Users with a state in the group, in both workspaces, and users of the second one who share one email. */
async function fill(): Promise<void> {
  const groups = [{ subscription_group_id: group, subscription_state: "subscribed" }];
  for (let at = 0; at < users; at += objectsPerRequest) {
    await post(key, "/users/track", { attributes: some(at, users, (n) => ({ external_id: `u${n}`, subscription_groups: groups })) });
    await post(sharedKey, "/users/track", { attributes: some(at, users, (n) => ({ external_id: `o${n}`, subscription_groups: groups })) });
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

async function exports(count: number): Promise<Float64Array> {
  const make = () => {
    const first = Math.floor(Math.random() * (users - idsPerGet));
    const external_ids = Array.from({ length: idsPerGet }, (_, at) => `u${first + at}`);
    return asked(
      key,
      "POST",
      "/users/export/ids",
      JSON.stringify({ external_ids, fields_to_export: ["external_id", "email", "custom_attributes"] }),
    );
  };
  return await answered(load({ url: server.url, connections: 16, requests: count, perSecond, make }));
}

interface Gets {
  readonly count: number;
  readonly isOver?: () => boolean;
  readonly secret?: string;
  readonly name?: string;
  readonly rate?: number;
}

async function gets({ count, isOver = () => false, secret = key, name = "u", rate = perSecond }: Gets): Promise<Seen> {
  let behind = 0;
  const latencies = await answered(load({
    url: server.url,
    connections: 16,
    requests: count,
    perSecond: rate,
    isOver,
    onAnswer: (_, { headers }) => {
      if (headers["x-heddle-read"] === "behind") behind += 1;
    },
    make: () => {
      const first = Math.floor(Math.random() * (users - idsPerGet));
      const ids = Array.from({ length: idsPerGet }, (_, at) => `external_id[]=${name}${first + at}`);
      return asked(secret, "GET", `/subscription/status/get?subscription_group_id=${group}&${ids.join("&")}`);
    },
  }));
  return { latencies, behind };
}

/** A refusal is quick, and says nothing of a read. */
async function answered(running: Promise<LoadResult>): Promise<Float64Array> {
  const { latencies, failed } = await running;
  if (failed > 0) throw new Error(`${failed} of ${latencies.length} reads were refused`);
  return latencies;
}

/**
 * What others have before, and then while one fan-out after the other is under way, each until its lane has nothing left:
 * gets of another workspace, gets of others of the same workspace, and others of the same workspace who are set one by one.
 */
async function fanOut(): Promise<void> {
  const seconds = Number(values.seconds);
  const end = performance.now() + seconds * 1_000;
  const before = await others(() => performance.now() > end);
  const state = { over: false };
  const during = others(() => state.over);
  const fanOuts = await fanOutsOf(seconds).finally(() => state.over = true);
  console.log(`${fanOuts.length} fan-outs to ${sharers} one after the other, all of it in: ${shown(fanOuts.map(({ allMs }) => allMs))}`);
  console.log(`  the last sharer, asked for from the answer on, shows it after: ${shown(fanOuts.map(({ oneMs }) => oneMs))}`);
  print("before", before);
  print("during", await during);
}

async function fanOutsOf(seconds: number): Promise<{ allMs: number; oneMs: number }[]> {
  const end = performance.now() + seconds * 1_000;
  const most = Number(values["fan-outs"]);
  const done: { allMs: number; oneMs: number }[] = [];
  while (most > 0 ? done.length < most : performance.now() < end) {
    done.push(await oneFanOut(done.length % 2 === 0 ? "subscribed" : "unsubscribed"));
  }
  return done;
}

async function oneFanOut(subscription_state: "subscribed" | "unsubscribed"): Promise<{ allMs: number; oneMs: number }> {
  const began = performance.now();
  await post(sharedKey, "/subscription/status/set", { subscription_group_id: group, subscription_state, email: ["shared@example.com"] });
  const shows = subscription_state === "subscribed" ? "Subscribed" : "Unsubscribed";
  await until(async () => await stateOf(sharedKey, `s${sharers - 1}`) === shows);
  const oneMs = performance.now() - began;
  await until(async () => await lagOf() === 0, lagLookMs);
  return { allMs: performance.now() - began, oneMs };
}

/** How much of the lane of memberships is not applied, as the process says that works on it. */
async function lagOf(): Promise<number> {
  const url = /"url":"([^"]+)","event":"metrics_listening"/.exec(server.laneOutput())?.[1];
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^heddle_lane_lag_records\{[^}]*lane="subscription"[^}]*\} (\S+)/m.exec(text)?.[1] ?? Number.NaN);
}

interface Others {
  readonly otherWorkspace: Seen;
  readonly sameWorkspace: Seen;
  /** From a set to the read that shows it. */
  readonly setToRead: number[];
}

interface Seen {
  readonly latencies: Float64Array;
  readonly behind: number;
}

async function others(isOver: () => boolean): Promise<Others> {
  const [otherWorkspace, sameWorkspace, setToRead] = await Promise.all([
    gets({ count: Infinity, isOver }),
    gets({ count: Infinity, isOver, secret: sharedKey, name: "o", rate: sameWorkspacePerSecond }),
    setAndRead(isOver),
  ]);
  return { otherWorkspace, sameWorkspace, setToRead };
}

async function setAndRead(isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver()) {
    const id = `o${times.length % users}`;
    const subscription_state = await stateOf(sharedKey, id) === "Subscribed" ? "unsubscribed" : "subscribed";
    const began = performance.now();
    await post(sharedKey, "/subscription/status/set", { subscription_group_id: group, subscription_state, external_id: [id] });
    await until(async () => (await stateOf(sharedKey, id) === "Subscribed") === (subscription_state === "subscribed"));
    times.push(performance.now() - began);
    await setTimeout(1_000 / setsPerSecond);
  }
  return times;
}

function print(when: string, { otherWorkspace, sameWorkspace, setToRead }: Others): void {
  console.log(`${when}: gets of another workspace ${shownGets(otherWorkspace)}`);
  console.log(`${when}: gets of others of the same workspace ${shownGets(sameWorkspace)}`);
  console.log(`${when}: another user of the same workspace is set, and read, ${setToRead.length} times, within ${shown(setToRead)}`);
}

function shownGets({ latencies, behind }: Seen): string {
  return `${latencies.length}: ${shown(latencies)}; behind: ${behind}`;
}

async function stateOf(secret: string, id: string): Promise<unknown> {
  const path = `/subscription/status/get?subscription_group_id=${group}&external_id=${id}`;
  const { body } = await send(agent, server.url, asked(secret, "GET", path));
  return (JSON.parse(body.toString()) as { status?: Record<string, unknown> }).status?.[id];
}

async function until(isSo: () => Promise<boolean>, lookMs = 10): Promise<void> {
  const latest = performance.now() + waitMsMax;
  while (!await isSo()) {
    if (performance.now() > latest) throw new Error(`Not so within ${waitMsMax} ms`);
    await setTimeout(lookMs);
  }
}

async function post(secret: string, path: string, body: object): Promise<void> {
  const answer = await send(agent, server.url, asked(secret, "POST", path, JSON.stringify(body)));
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.body.toString()}`);
}

function asked(secret: string, method: "GET" | "POST", path: string, body = ""): Asked {
  return { method, path, headers: { authorization: `Bearer ${secret}` }, body: Buffer.from(body) };
}

function shown(latencies: ArrayLike<number>): string {
  return latencyText(latencies, [0.5, 0.99, 1]);
}
