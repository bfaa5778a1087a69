/** Measures the raw floors of a run, each in processes of its own, with what they ask of real servers. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Figure } from "./figures.ts";
import type { LoadChoice } from "./loads.ts";
import { load, type LoadOptions, type LoadResult, send } from "./load.ts";
import { measuredLoad } from "./measured-load.ts";
import type { Bytes } from "./mesh-work.ts";
import { costOf } from "./process-cost.ts";
import { firstLine } from "./server.ts";
import { watchOthers } from "./stillness.ts";
import type { Servers } from "./targets.ts";

export const meshFloors = {
  write: "Cassandra writes a row, 50 of a partition in a batch",
  read: "Cassandra reads a row, 50 of a partition by IN",
  writeUnified: "the same row, UnifiedCompactionStrategy",
  readUnified: "the same read, UnifiedCompactionStrategy",
  stream: "JetStream syncs the bytes of an object, 75 a request",
  publish: "JetStream syncs one message, one after the other",
  redis: "Redis runs the script of the limits",
  /** A chain of bare packages, without anything of ours. */
  chain: "bare HTTP, limit, call, log and rows, one object a request, 32 connections",
  chainAlone: "the same, 1 connection",
  chainMany: "the same with many objects a request",
  chainTwo: "the same with many objects a request, and two of the part",
  /** Of an object of many: the rows that it made Heddle write and read, its bytes, and its share of the limit. */
  together: "these for an object of many: its rows, its bytes, its share of a limit",
  /** The chain of bare packages, and Heddle's own work on an object of many beside it. */
  chainAndCore: "the same with many objects, and the resolver and its lanes with all in memory",
} as const;

export const coreFloors = {
  resolver: "a workspace's resolver alone, 75 objects a request",
  whole: "a workspace's resolver and its lanes, all rows and logs in memory",
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

/** A program of one store, which says itself what it took. */
export function bareProgram(load: string, file: string, args: readonly string[]): Figure {
  const { said: { cpuUs, perSecond }, others } = programSays<Bare>(file, args);
  return { load, cpuUs, objectsPerSecond: perSecond, others };
}

/** What a program prints as JSON, and the cores that others took meanwhile. */
function programSays<Said>(file: string, args: readonly string[]): { readonly said: Said; readonly others: number } {
  const watched = watchOthers([process.pid]);
  const out = spawnSync(process.execPath, [join(import.meta.dirname, file), ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { said: JSON.parse(out.stdout) as Said, others: watched() };
}

/** What Heddle itself takes of an object of many with all rows and logs in memory: to resolve it, and to apply it, too. */
export function bareCore({ profiles, body, picks }: Pick<LoadChoice, "body" | "picks"> & { readonly profiles: string }): Figure[] {
  const asked = [["--body", body], ["--picks", picks]].flatMap(([option = "", list]) =>
    list === undefined ? [] : [option, list.split(",")[0] ?? ""]
  );
  const args = ["--bare", "--users", String(Math.min(coreUsersMax, Number(profiles))), ...asked];
  const { said: { cpuUs, perSecond, applyingUs }, others } = programSays<Bare & { readonly applyingUs: number }>("resolver.ts", args);
  return [
    { load: coreFloors.resolver, cpuUs, objectsPerSecond: perSecond, others },
    { load: coreFloors.whole, cpuUs: cpuUs + applyingUs, others },
  ];
}

const coreUsersMax = 50_000;

/** Fills the tables of the floors of Cassandra, of both strategies, and compacts them. */
export async function fillBare(servers: Servers): Promise<void> {
  for (const strategy of strategies) await bareServer("fill", servers, { load: "", name: "cassandra", count: 0, settings: { strategy } });
  await servers.nodetool("flush");
  await servers.nodetool("compact", "heddle_bench_floor");
  await compacted(servers);
}

/** Cassandra's floors, compaction included; `scale` in seconds, roughly. */
async function bareRows(servers: Servers, scale: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const strategy of strategies) {
    const asked = { name: "cassandra", count: 20_000 * scale, settings: { strategy } } as const;
    const [write, read] = strategy === strategies[0]
      ? [meshFloors.write, meshFloors.read]
      : [meshFloors.writeUnified, meshFloors.readUnified];
    figures.push(
      await bareServer("write", servers, { ...asked, load: write, settle: () => settled(servers) }),
      await bareServer("read", servers, { ...asked, load: read }),
    );
  }
  return figures;
}

/** All floors of the mesh, on the servers that it uses itself; `scale` in seconds, roughly. */
export async function bareServers(servers: Servers, scale: number, bytes: Bytes | undefined): Promise<Figure[]> {
  const settings = bytes && { bytes: JSON.stringify(bytes) };
  return [
    ...await bareRows(servers, scale),
    await bareServer("jetstream", servers, { load: meshFloors.stream, name: "nats", count: 15_000 * scale, ...(settings && { settings }) }),
    await bareServer("publish", servers, { load: meshFloors.publish, name: "nats", count: 300 * scale, ...(settings && { settings }) }),
    await bareServer("redis", servers, { load: meshFloors.redis, name: "redis", count: 10_000 * scale }),
  ];
}

/** What an object of many takes of these floors, by the rows that it made Heddle write and read; and what the bare chain takes of it with Heddle's own work beside it. A figure for each round. */
export function together(floors: readonly Figure[], { written, read, objects }: Work): Figure[] {
  function of(load: string): Figure[] {
    return floors.filter((figure) => figure.load === load);
  }
  const [reads, streams, limits] = [of(meshFloors.read), of(meshFloors.stream), of(meshFloors.redis)];
  const [chains, cores] = [of(meshFloors.chainMany), of(coreFloors.whole)];
  const beside = chains.map(({ cpuUs }, round) => ({ load: meshFloors.chainAndCore, cpuUs: cpuUs + (cores[round]?.cpuUs ?? 0) }));
  const sums = of(meshFloors.write).map((write, round) => {
    const cpuUs = written * write.cpuUs + read * (reads[round]?.cpuUs ?? 0) + (streams[round]?.cpuUs ?? 0) +
      (limits[round]?.cpuUs ?? 0) / objects;
    return { load: meshFloors.together, cpuUs };
  });
  return [...sums, ...beside];
}

interface Work {
  /** Rows, an object. */
  readonly written: number;
  readonly read: number;
  /** Of a request. */
  readonly objects: number;
}

/** Of Heddle's tables of users, and what Cassandra recommends for new ones. */
const strategies = ["LeveledCompactionStrategy", "UnifiedCompactionStrategy"] as const;

/** What Cassandra has in memory is in its tables, and these are compacted. */
export async function settled(servers: Servers): Promise<void> {
  await servers.nodetool("flush");
  await compacted(servers);
}

async function compacted({ nodetool }: Servers): Promise<void> {
  while (/pending tasks:? +[1-9]/.test(await nodetool("compactionstats"))) await setTimeout(compactionLookMs);
}

const compactionLookMs = 500;

/** What a load costs without Heddle, on the same servers, beside the same generator; each load twice, as the first one warms up. */
export async function bareChain(
  { settings, pids }: Servers,
  loads: readonly ChainLoad[],
  { seconds, parts = 1 }: { readonly seconds: number; readonly parts?: number },
): Promise<Figure[]> {
  if (loads.length === 0) return [];
  const started: ChildProcess[] = [];
  async function start(role: string, further: Readonly<Record<string, string>>): Promise<readonly [url: string, pid: number]> {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "chain-floor.ts"), role, JSON.stringify({ ...settings, ...further })],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    started.push(child);
    return [(await firstLine(child, /http:/)).trim(), child.pid ?? 0];
  }
  const urls: string[] = [];
  const processes = new Map<string, number>(Object.entries(pids));
  for (let at = 0; at < parts; at += 1) {
    const [partUrl, part] = await start("part", at === 0 ? {} : { joins: "yes" });
    urls.push(partUrl);
    processes.set(at === 0 ? "part" : `part-${at + 1}`, part);
  }
  const [url, gateway] = await start("gateway", { parts: urls.join(" ") });
  processes.set("gateway", gateway);
  const figures: Figure[] = [];
  const agent = new Agent();
  async function sent({ connections, make }: ChainLoad): Promise<LoadResult> {
    const began = performance.now();
    const isOver = () => performance.now() >= began + seconds * 1_000;
    const result = await load({ url, connections, requests: Infinity, isOver, make });
    // Answered when all before it is written
    await send(agent, url, { ...make(0), body: Buffer.from("null") });
    return { ...result, seconds: (performance.now() - began) / 1_000 };
  }
  for (const each of loads) {
    await sent(each);
    figures.push(await measuredLoad({ ...each, processes }, () => sent(each)));
  }
  agent.destroy();
  for (const child of started) child.kill();
  return figures;
}

export interface ChainLoad {
  readonly name: string;
  readonly objects: number;
  readonly connections: number;
  readonly make: LoadOptions["make"];
  readonly settle?: () => Promise<void>;
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
  readonly name: keyof Servers["pids"];
  readonly count: number;
  /** Beside those of the servers. */
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly settle?: () => Promise<void>;
}

/** CPU of the program and of the server together, from where the program says that it is warm. */
async function bareServer(what: string, servers: Servers, { load, name, count, settings, settle }: Asked): Promise<Figure> {
  const program = join(import.meta.dirname, "mesh-floors.ts");
  const child = spawn(process.execPath, [program, what, JSON.stringify({ ...servers.settings, ...settings }), String(Math.round(count))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (count === 0) {
    await ended(child);
    return { load, cpuUs: 0 };
  }
  await firstLine(child, /^begin$/);
  await settle?.();
  const pid = servers.pids[name];
  const [before, watched] = [costOf(pid).cpuUs, watchOthers([pid, child.pid ?? 0])];
  const line = firstLine(child, /^\{/);
  child.stdin.end("go\n");
  const { cpuUs: own, perSecond, p50 } = JSON.parse(await line) as Bare;
  const after = costOf(pid).cpuUs;
  const others = watched();
  await ended(child);
  const cpuUsBy = new Map([["server", (after - before) / count], ["its caller", own]]);
  if (settle !== undefined) {
    await settle();
    cpuUsBy.set("flush and compaction", (costOf(pid).cpuUs - after) / count);
  }
  const cpuUs = [...cpuUsBy.values()].reduce((sum, us) => sum + us, 0);
  return { load, cpuUs, cpuUsBy, objectsPerSecond: perSecond, others, ...(p50 !== undefined && { p50 }) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null) await new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode !== 0) throw new Error(`A floor ended with ${child.exitCode}`);
}
