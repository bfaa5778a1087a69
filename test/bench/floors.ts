/** Measures the raw floors of a run, each in processes of its own, with what they ask of real servers. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Figure } from "./figures.ts";
import { load, type LoadOptions } from "./load.ts";
import { measuredLoad } from "./measured-load.ts";
import { costOf } from "./process-cost.ts";
import { firstLine } from "./server.ts";
import { watchOthers } from "./stillness.ts";
import type { Servers } from "./targets.ts";

export const meshFloors = {
  write: "Cassandra writes a row, 50 of a partition in a batch",
  read: "Cassandra reads a row, 50 of a partition by IN",
  stream: "JetStream syncs the bytes of an object, 75 a request",
  publish: "JetStream syncs one message, one after the other",
  redis: "Redis runs the script of the limits",
  /** A chain of bare packages, without anything of ours. */
  chain: "bare HTTP, limit, call, log and rows, one object a request, 32 connections",
  chainAlone: "the same, 1 connection",
  /** Of an object of 75: a row written, a row read, its bytes, and its share of the limit. */
  together: "these for an object of 75: a row each way, its bytes, its share of a limit",
} as const;

interface Bare {
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly p50?: number;
}

/** A Node that listens and does nothing else: when it does, and its memory after a rest. */
export async function bareNode(restMs: number): Promise<{ readonly megabytes: number; readonly startMs: number }> {
  const began = performance.now();
  const listens = "require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('http:'))";
  const child = spawn(process.execPath, ["-e", listens], { stdio: ["ignore", "pipe", "inherit"] });
  await firstLine(child, /http:/);
  const startMs = performance.now() - began;
  await setTimeout(restMs);
  const megabytes = costOf(child.pid ?? 0).residentBytes / 1e6;
  child.kill();
  return { megabytes, startMs };
}

/** A program of one store or of the resolver alone, which says itself what it took. */
export function bareProgram(load: string, file: string, args: readonly string[]): Figure {
  const watched = watchOthers([process.pid]);
  const out = spawnSync(process.execPath, [join(import.meta.dirname, file), ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { cpuUs, perSecond } = JSON.parse(out.stdout) as Bare;
  // Its own time is among that of others, as it has ended
  const own = Math.min(1, (cpuUs * perSecond) / 1e6);
  return { load, cpuUs, objectsPerSecond: perSecond, others: Math.max(0, watched() - own) };
}

/** All floors of the mesh, on the servers that it uses itself; `scale` in seconds, roughly. */
export async function bareServers(servers: Servers, scale: number): Promise<Figure[]> {
  const { cassandra, nats, redis } = servers.pids;
  await bareServer("fill", servers, { load: "", pid: cassandra, count: 0 });
  const figures = [
    await bareServer("write", servers, { load: meshFloors.write, pid: cassandra, count: 20_000 * scale }),
    await bareServer("read", servers, { load: meshFloors.read, pid: cassandra, count: 20_000 * scale }),
    await bareServer("jetstream", servers, { load: meshFloors.stream, pid: nats, count: 15_000 * scale }),
    await bareServer("publish", servers, { load: meshFloors.publish, pid: nats, count: 100 * scale }),
    await bareServer("redis", servers, { load: meshFloors.redis, pid: redis, count: 10_000 * scale }),
  ];
  const [write = 0, read = 0, stream = 0, , limit = 0] = figures.map(({ cpuUs }) => cpuUs);
  const others = Math.max(...figures.map(({ others = 0 }) => others));
  return [...figures, { load: meshFloors.together, cpuUs: write + read + stream + limit / 75, others }];
}

/** What requests of one object cost without Heddle, on the same servers, beside the same generator; each load twice, as the first one warms up. */
export async function bareChain({ settings, pids }: Servers, make: LoadOptions["make"], requests: number): Promise<Figure[]> {
  const started: ChildProcess[] = [];
  async function start(role: string, part = ""): Promise<readonly [url: string, pid: number]> {
    const child = spawn(process.execPath, [join(import.meta.dirname, "chain-floor.ts"), role, JSON.stringify({ ...settings, part })], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(child);
    return [await firstLine(child, /http:/), child.pid ?? 0];
  }
  const [partUrl, part] = await start("part");
  const [url, gateway] = await start("gateway", partUrl.trim());
  const processes = new Map(Object.entries({ ...pids, gateway, part }));
  const figures: Figure[] = [];
  for (
    const { name, connections, count } of [
      { name: meshFloors.chain, connections: 32, count: requests },
      { name: meshFloors.chainAlone, connections: 1, count: requests / 5 },
    ]
  ) {
    const asked = { url: url.trim(), connections, requests: Math.ceil(count), make };
    await load(asked);
    figures.push(await measuredLoad({ name, processes, objects: 1 }, () => load(asked)));
  }
  for (const child of started) child.kill();
  return figures;
}

/** What a request of one object costs in one process without Heddle, beside the same generator; the load twice, as the first one warms up. */
export async function bareOneProcess(args: readonly string[], asked: Omit<LoadOptions, "url">, name: string): Promise<Figure> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "one-chain-floor.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = (await firstLine(child, /http:/)).trim();
  await load({ url, ...asked });
  const figure = await measuredLoad({ name, processes: new Map([["bare", child.pid ?? 0]]), objects: 1 }, () => load({ url, ...asked }));
  child.kill();
  return figure;
}

interface Asked {
  readonly load: string;
  /** Of the server. */
  readonly pid: number;
  readonly count: number;
}

/** CPU of the program and of the server together, from where the program says that it is warm. */
async function bareServer(what: string, { settings }: Servers, { load, pid, count }: Asked): Promise<Figure> {
  const program = join(import.meta.dirname, "mesh-floors.ts");
  const child = spawn(process.execPath, [program, what, JSON.stringify(settings), String(Math.round(count))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (count === 0) {
    await ended(child);
    return { load, cpuUs: 0 };
  }
  await firstLine(child, /^begin$/);
  const [before, watched] = [costOf(pid).cpuUs, watchOthers([pid, child.pid ?? 0])];
  const line = firstLine(child, /^\{/);
  child.stdin.end("go\n");
  const { cpuUs: own, perSecond, p50 } = JSON.parse(await line) as Bare;
  const server = (costOf(pid).cpuUs - before) / count;
  const others = watched();
  await ended(child);
  const cpuUsBy = new Map([["server", server], ["its caller", own]]);
  return { load, cpuUs: own + server, cpuUsBy, objectsPerSecond: perSecond, others, ...(p50 !== undefined && { p50 }) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null) await new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode !== 0) throw new Error(`A floor ended with ${child.exitCode}`);
}
