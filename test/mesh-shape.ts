/** Heddle as a gateway and one process of every other part of the mesh, for tests that know a single server. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { execPath } from "node:process";
import { meshParts } from "../cli/target/mesh-parts.ts";
import { meshNodeOptions } from "../cli/run/v8-heap.fixture.ts";
import { partVariable } from "../platform/mesh-config.ts";
import { type HeddleProcess, launchHeddle } from "./heddle-process.ts";
import { freePorts } from "./servers/server-process.ts";

/**
 * Starts a process of each part and a gateway before them. All share the servers of `settings` with other tests, and keep
 * to streams and to a set of callers of their own, named by the data folder; workspaces have ids of their own, so that tables
 * can be shared.
 */
export async function launchMesh(options: MeshOptions): Promise<MeshProcesses> {
  const { dataDir } = options;
  const logName = meshLogName(dataDir);
  const all = { ...options.settings, HEDDLE_LOG_NAME: logName, ...smallLog, ...options.env };
  const parts = await launchParts(options, all);
  try {
    const behind = Object.fromEntries([...parts].map(([name, { url }]) => [partVariable(name, "URL"), url]));
    const profiles = [...parts].flatMap(([name, { url }]) => name.startsWith("profile") ? [url] : []);
    behind[partVariable("profile", "URL")] = profiles.join(",");
    const gateway = await launchPart(options, ["gateway", "--apply", options.declarationPath], {
      ...behind,
      HEDDLE_HTTP_PORT: String(options.port),
      ...all,
    });
    async function killPart(name: string): Promise<void> {
      parts.get(name)?.kill("SIGKILL");
      await parts.get(name)?.ended;
    }
    async function startPart(name: string): Promise<void> {
      const port = { [partVariable(name, "RPC_PORT")]: new URL(parts.get(name)?.url ?? "").port };
      parts.set(name, await launchPart(options, [name], { ...port, ...behind, ...all }));
    }
    return {
      parts,
      gateway,
      killPart,
      startPart,
      async restartPart(name) {
        await killPart(name);
        await startPart(name);
      },
      startGateway: () => launchPart(options, ["gateway"], { ...behind, HEDDLE_HTTP_PORT: "0", ...all }),
      ...asOne(gateway, parts),
    };
  } catch (error) {
    for (const part of parts.values()) part.kill("SIGKILL");
    throw error;
  }
}

/** How large the streams of such a mesh are. */
export const smallLog = {
  HEDDLE_LOG_PARTITIONS: "1",
  HEDDLE_LOG_LANES: "8",
  HEDDLE_LOG_MEGABYTES: "64",
  HEDDLE_EVENTS_MEGABYTES: "8",
} as const;

/** HEDDLE_LOG_NAME of a mesh that a test started. */
export function meshLogName(dataDir: string): string {
  return `t${createHash("sha256").update(dataDir).digest("hex").slice(0, 12)}`;
}

/** Parts call each other, so each gets all addresses beforehand; another set of ports where another process took one meanwhile. */
async function launchParts(options: MeshOptions, all: Record<string, string>, attempt = 1): Promise<Map<string, HeddleProcess>> {
  const others = Array.from({ length: (options.profiles ?? 1) - 1 }, (_, at) => `profile-${at + 2}`);
  const names = [...meshParts.keys(), ...others];
  const ports = await freePorts(names.length);
  const byPart = Map.groupBy(names.map((name, at) => ({ name, url: `http://127.0.0.1:${ports[at]}` })), ({ name }) => partOf(name));
  const urls = Object.fromEntries([...byPart].map(([part, all]) => [partVariable(part, "URL"), all.map(({ url }) => url).join(",")]));
  const starts = await Promise.allSettled(
    names.map((name, at) => {
      const part = partOf(name);
      return launchPart(options, [part], { [partVariable(part, "RPC_PORT")]: String(ports[at]), ...urls, ...all });
    }),
  );
  const failed = starts.find((start) => start.status === "rejected");
  const parts = new Map(starts.flatMap((start, at) => start.status === "fulfilled" ? [[names[at] ?? "", start.value] as const] : []));
  if (failed === undefined) return parts;
  for (const part of parts.values()) part.kill("SIGKILL");
  if (attempt < attemptsMax && String(failed.reason).includes("EADDRINUSE")) return await launchParts(options, all, attempt + 1);
  throw failed.reason;
}

const attemptsMax = 3;

/** Of which part a process is, by its name: `profile-2` is one more of profile. */
function partOf(name: string): string {
  return name.replace(/-\d+$/, "");
}

function launchPart({ repository, runtimeOf, declarationPath, envOf }: MeshOptions, part: string[], shared: Record<string, string>) {
  const args = [join(repository, "cli/heddle.mjs"), "serve", ...part];
  const name = part[0] ?? "";
  const env = { ...shared, ...envOf?.(name) };
  if (runtimeOf(name) === "node") {
    return launchHeddle({ name, program: execPath, args, folder: repository, env: { NODE_OPTIONS: meshNodeOptions, ...env } });
  }
  const granted = [
    "--no-prompt",
    "--node-modules-dir=manual",
    `--allow-read=${repository}${name === "gateway" ? `,${declarationPath}` : ""}`,
    "--allow-net=127.0.0.1",
    `--allow-env=${Object.keys(env).join()}`,
    "--ignore-env",
    "--allow-sys=hostname",
  ];
  return launchHeddle({ name, program: "deno", args: ["run", ...granted, ...args], folder: repository, env });
}

/** Ends the gateway first: it has to finish what it took. The code is 0 when all drained. */
function asOne(gateway: HeddleProcess, parts: ReadonlyMap<string, HeddleProcess>): HeddleProcess {
  const ended = gateway.ended.then(async (code) => {
    const codes = await Promise.all([...parts.values()].map((part) => {
      part.kill(code === null ? "SIGKILL" : "SIGTERM");
      return part.ended;
    }));
    return [code, ...codes].find((one) => one !== 0) ?? code;
  });
  return {
    url: gateway.url,
    pid: gateway.pid,
    ended,
    output: () => [gateway, ...parts.values()].map((part) => part.output()).join(""),
    kill(signal) {
      gateway.kill(signal);
      if (signal === "SIGKILL") { for (const part of parts.values()) part.kill(signal); }
    },
  };
}

export interface MeshOptions {
  readonly repository: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly dataDir: string;
  /** Of the gateway; 0: a free one. */
  readonly port: number;
  /** What the gateway applies. */
  readonly declarationPath: string;
  /** Of a part by its name; the gateway is one. */
  readonly runtimeOf: (part: string) => "node" | "deno";
  readonly env: Readonly<Record<string, string>>;
  /** Of one part alone, by its name. */
  readonly envOf?: (part: string) => Readonly<Record<string, string>>;
  /** Processes of the profile service, one unless it is given; they are `profile`, `profile-2` and so on. */
  readonly profiles?: number;
}

export interface MeshProcesses extends HeddleProcess {
  readonly gateway: HeddleProcess;
  /** Another one before the same parts; the caller ends it. */
  startGateway(): Promise<HeddleProcess>;
  killPart(name: string): Promise<void>;
  /** In the place of one that was killed. */
  startPart(name: string): Promise<void>;
  /** Kills a part and starts another in its place. */
  restartPart(name: string): Promise<void>;
  /** By name. */
  readonly parts: ReadonlyMap<string, HeddleProcess>;
}
