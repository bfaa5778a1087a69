/** Heddle as a gateway and a profile process of the mesh, for tests that know a single server. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { execPath } from "node:process";
import { type HeddleProcess, launchHeddle } from "./heddle-process.ts";

/**
 * Starts a profile process and a gateway before it. Both share the servers of `settings` with other tests, and keep to
 * streams of their own, named by the data folder; workspaces have ids of their own, so that tables can be shared.
 */
export async function launchMesh(options: MeshOptions): Promise<MeshProcesses> {
  const { dataDir } = options;
  const logName = `t${createHash("sha256").update(dataDir).digest("hex").slice(0, 12)}`;
  const both = { ...options.settings, HEDDLE_LOG_NAME: logName, HEDDLE_LOG_MEGABYTES: "64", ...options.env };
  const small = { HEDDLE_LOG_PARTITIONS: "1", HEDDLE_LOG_LANES: "8" };
  const profile = await launchPart(options, ["profile"], { ...small, HEDDLE_PROFILE_RPC_PORT: "0", ...both });
  try {
    const gateway = await launchPart(options, ["gateway", "--apply", options.declarationPath], {
      HEDDLE_PROFILE_URL: profile.url,
      HEDDLE_HTTP_PORT: String(options.port),
      HEDDLE_DATA_DIR: dataDir,
      ...both,
    });
    return { profile, gateway, ...asOne(gateway, profile) };
  } catch (error) {
    profile.kill("SIGKILL");
    throw error;
  }
}

function launchPart({ repository, runtime, dataDir, declarationPath }: MeshOptions, part: string[], env: Record<string, string>) {
  const args = [join(repository, "cli/heddle.mjs"), "serve", ...part];
  if (runtime === "node") return launchHeddle({ program: execPath, args, folder: repository, env });
  const granted = [
    "--no-prompt",
    "--node-modules-dir=manual",
    `--allow-read=${repository},${part[0] === "gateway" ? `${dataDir},${declarationPath}` : ""}`.replace(/,$/, ""),
    ...(part[0] === "gateway" ? [`--allow-write=${dataDir}`] : []),
    "--allow-net=127.0.0.1",
    `--allow-env=${Object.keys(env).join()}`,
    "--ignore-env",
    "--allow-sys=hostname",
  ];
  return launchHeddle({ program: "deno", args: ["run", ...granted, ...args], folder: repository, env });
}

/** Ends the gateway first: it has to finish what it took. The code is 0 when both drained. */
function asOne(gateway: HeddleProcess, profile: HeddleProcess): HeddleProcess {
  const ended = gateway.ended.then(async (code) => {
    profile.kill(code === null ? "SIGKILL" : "SIGTERM");
    const profileCode = await profile.ended;
    return code === 0 ? profileCode : code;
  });
  return {
    url: gateway.url,
    pid: gateway.pid,
    ended,
    output: () => gateway.output() + profile.output(),
    kill(signal) {
      gateway.kill(signal);
      if (signal === "SIGKILL") profile.kill(signal);
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
  readonly runtime: "node" | "deno";
  readonly env: Readonly<Record<string, string>>;
}

export interface MeshProcesses extends HeddleProcess {
  readonly gateway: HeddleProcess;
  readonly profile: HeddleProcess;
}
