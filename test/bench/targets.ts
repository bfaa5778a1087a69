/** What the bench measures: one process or a mesh, of this build or of another one in turn, or one that runs already. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { meshParts } from "../../cli/target/mesh-parts.ts";
import { meshNodeOptions } from "../../cli/run/v8-heap.fixture.ts";
import { partVariable } from "../../platform/mesh-config.ts";
import { migrate, startMeshServers } from "../mesh-servers.ts";
import { launchMesh, meshLogName } from "../mesh-shape.ts";
import { costOf } from "./process-cost.ts";
import { type BenchServer, startServer, writeDeclaration } from "./server.ts";

export interface Target {
  /** Of which build. */
  readonly name: string;
  readonly url: string;
  /** Ids of the processes that serve, by name. */
  readonly processes: ReadonlyMap<string, number>;
  /** Of a mesh that the bench started: what its streams are called, and where its parts say which rows they wrote and read. */
  readonly mesh?: { readonly logName: string; readonly rowsFolder: string };
}

/** The real servers of a mesh: what a client knows of them, and their processes. */
export interface Servers {
  readonly settings: Readonly<Record<string, string>>;
  readonly pids: { readonly cassandra: number; readonly nats: number; readonly redis: number };
  /** Cassandra's own tool. */
  nodetool(...args: readonly string[]): Promise<string>;
}

export interface Targets {
  readonly all: readonly Target[];
  /** Absent where they are not ours, or there are none. */
  readonly servers?: Servers;
  stop(): Promise<void>;
}

export interface TargetOptions {
  readonly shape: "one" | "mesh";
  /** A commit, tag or branch whose build is measured in turn with this one. */
  readonly against?: string | undefined;
  /** Beside a mesh one with two processes of the profile service. */
  readonly twoProfiles?: boolean;
  readonly folder: string;
  readonly keys: readonly string[];
}

export interface Build {
  readonly name: string;
  readonly folder: string;
  readonly profiles?: number;
  /** Options of its `heddle migrate`. */
  readonly migrate?: readonly string[];
}

/** Where a target has its data: a folder in `folder`, and keyspaces. */
interface Place {
  readonly folder: string;
  readonly keys: readonly string[];
  readonly number: number;
}

export const twoProfilesName = "two profile processes";

const repository = resolve(import.meta.dirname, "../..");

export const thisBuild: Build = { name: "this build", folder: repository };

export async function startTargets(options: TargetOptions): Promise<Targets> {
  const builds: Build[] = [thisBuild];
  if (options.twoProfiles) builds.push({ name: twoProfilesName, folder: repository, profiles: 2 });
  if (options.against !== undefined) builds.push({ name: options.against, folder: checkedOut(options.against, options.folder) });
  const targets = options.shape === "mesh" ? await startMeshes(builds, options) : await startProcesses(builds, options);
  return {
    ...targets,
    async stop() {
      await targets.stop();
      if (options.against !== undefined) forgetCheckedOut(options.folder);
    },
  };
}

/** A work tree of the commit, with the packages of this one. */
export function checkedOut(ref: string, folder: string): string {
  const place = join(folder, "against");
  git("worktree", "add", "--detach", place, ref);
  symlinkSync(join(repository, "node_modules"), join(place, "node_modules"));
  return place;
}

export function forgetCheckedOut(folder: string): void {
  git("worktree", "remove", "--force", join(folder, "against"));
}

function git(...args: readonly string[]): void {
  execFileSync("git", args, { cwd: repository, stdio: ["ignore", "ignore", "inherit"] });
}

async function startProcesses(builds: readonly Build[], { folder, keys }: TargetOptions): Promise<Targets> {
  const servers: { readonly server: BenchServer; readonly target: Target }[] = [];
  for (const [at, build] of builds.entries()) {
    const server = await startServer({ folder: join(folder, `data-${at}`), keys, build: build.folder });
    servers.push({ server, target: { name: build.name, url: server.url, processes: new Map([["heddle", server.pid]]) } });
  }
  return {
    all: servers.map(({ target }) => target),
    async stop() {
      for (const { server } of servers) await server.stop();
    },
  };
}

/** On the same servers, with streams, callers and tables of their own; of the servers' time a target has what passes while it works. */
async function startMeshes(builds: readonly Build[], { folder, keys }: TargetOptions): Promise<Targets> {
  const servers = await startMeshServers({ isMeasured: true });
  const meshes: Awaited<ReturnType<typeof launchMesh>>[] = [];
  async function stop(): Promise<void> {
    for (const mesh of meshes) {
      mesh.kill("SIGTERM");
      await mesh.ended;
    }
    await servers.stop();
  }
  try {
    for (const [number, build] of builds.entries()) meshes.push(await startMesh(servers.settings, build, { folder, keys, number }));
  } catch (error) {
    await stop();
    throw error;
  }
  const shared = { cassandra: servers.cassandra.pid, nats: servers.nats.pid, redis: servers.redis.pid };
  const all = meshes.map(({ url, gateway, parts }, at) => ({
    name: builds[at]?.name ?? "",
    url,
    processes: new Map([["gateway", gateway.pid], ...[...parts].map(([name, { pid }]) => [name, pid] as const), ...Object.entries(shared)]),
    mesh: { logName: meshLogName(dataOf(folder, at)), rowsFolder: dataOf(folder, at) },
  }));
  return { all, servers: { settings: servers.settings, pids: shared, nodetool: servers.cassandra.nodetool }, stop };
}

/** Of a build, with the tables that it knows. */
export async function startMesh(
  servers: Servers["settings"],
  build: Build,
  { folder, keys, number }: Place,
): ReturnType<typeof launchMesh> {
  const dataDir = dataOf(folder, number);
  mkdirSync(dataDir, { recursive: true });
  const settings = { ...servers, ...keyspaces(`bench_${number}`) };
  await migrate({ ...settings, HEDDLE_CASSANDRA_REPLICATION: "1" }, build.folder, build.migrate);
  return await launchMesh({
    repository: build.folder,
    settings,
    dataDir,
    port: 0,
    declarationPath: writeDeclaration(dataDir, keys),
    runtimeOf: () => "node",
    env: { ...meshSizes, HEDDLE_BENCH_ROWS: dataDir },
    envOf: () => ({ NODE_OPTIONS: `${meshNodeOptions} --import ${countRows}` }),
    profiles: build.profiles ?? 1,
  });
}

/** A bit smaller than what is shipped, and cut alike. */
export const meshSizes = { HEDDLE_LOG_PARTITIONS: "4", HEDDLE_LOG_LANES: "64", HEDDLE_LOG_MEGABYTES: "512" } as const;

const countRows = pathToFileURL(join(import.meta.dirname, "count-rows.ts")).href;

function dataOf(folder: string, number: number): string {
  return join(folder, `data-${number}`);
}

/** A build refuses tables that a newer one has changed. */
function keyspaces(prefix: string): Record<string, string> {
  return Object.fromEntries(
    ["gateway", ...meshParts.keys()].map((part) => [partVariable(part, "KEYSPACE"), `${prefix}_${part.replaceAll("-", "_")}`]),
  );
}

export function residentMbOf({ processes }: Target): number {
  return [...processes.values()].reduce((sum, pid) => sum + costOf(pid).residentBytes, 0) / 1e6;
}
