/** Starts the real server as a process of its own, on Node or on Deno, and talks HTTP to it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { callHeddle } from "./client.ts";
import type { Answer, CallOptions } from "./client.ts";
import { demoDeclaration, demoKey } from "./declaration.ts";
import { denoStart } from "./deno-start.ts";
import { type HeddleProcess, launchHeddle } from "./heddle-process.ts";
import { partVariable } from "../platform/mesh-config.ts";
import { launchMesh, meshLogName, type MeshProcesses } from "./mesh-shape.ts";

export { demoDeclaration, demoKey };
export const repository = resolve(import.meta.dirname, "..");
export const testRuntime = env.HEDDLE_TEST_RUNTIME === "deno" ? "deno" : "node";

/** `HEDDLE_TEST_DENO_PARTS=gateway,profile`: those parts of the mesh on Deno, the others on Node. */
const denoParts = env.HEDDLE_TEST_DENO_PARTS?.split(",");

function runtimeOf(part: string): "node" | "deno" {
  return denoParts?.includes(part) ? "deno" : testRuntime;
}

/** `HEDDLE_TEST_SHAPE=mesh`: a gateway and a profile process over the servers that mesh-setup.ts started. */
export const testShape = env.HEDDLE_TEST_SHAPE === "mesh" ? "mesh" : "embedded";

/** Resolves when the server says that it listens; rejects with all it printed when it ends before. */
export async function startHeddle(options: StartOptions = {}): Promise<Heddle> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-test-"));
  const declarationPath = join(folder, "declaration.yaml");
  writeFileSync(declarationPath, options.apply ?? demoDeclaration);
  const place: Place = { declarationPath, dataDir: options.dataDir ?? join(folder, "data"), port: 0, env: options.env ?? {} };
  let server = await launch(place);
  place.port = Number(new URL(server.url).port);

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    server.kill(signal);
    return await server.ended;
  }
  return {
    dataDir: place.dataDir,
    dataFolders: testShape === "mesh" ? JSON.parse(env.HEDDLE_TEST_MESH_FOLDERS ?? "[]") : [place.dataDir],
    get commandEnv() {
      return { ...commandEnv(place.dataDir), ...urlsOf(server.parts ?? new Map()) };
    },
    key: demoKey,
    get url() {
      return server.url;
    },
    get publicUrl() {
      return server.url;
    },
    get pid() {
      return server.pid;
    },
    request: (method, path, body, call) => callHeddle(server.url, { method, path, body, ...defaults(call) }),
    kill: (signal = "SIGKILL") => end(signal),
    signal: (signal) => {
      server.kill(signal);
    },
    async restartPart(name) {
      if (!server.restartPart) throw new Error("There are no parts in one process");
      await server.restartPart(name);
    },
    get mesh() {
      const { parts, killPart, startPart } = server;
      if (!parts || !killPart || !startPart) throw new Error("There are no parts in one process");
      return { parts, killPart, startPart };
    },
    async startGateway() {
      if (!server.startGateway) throw new Error("There is one gateway only in one process");
      return await server.startGateway();
    },
    ended: () => server.ended,
    stop: () => end("SIGTERM"),
    restart: async (signal = "SIGTERM") => {
      await end(signal);
      server = await launch(place);
    },
    output: () => server.output(),
    close: async () => {
      const code = await end("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

function commandEnv(dataDir: string): Record<string, string> {
  return testShape === "mesh" ? { ...meshSettings(), HEDDLE_LOG_NAME: meshLogName(dataDir) } : { HEDDLE_DATA_DIR: dataDir };
}

function urlsOf(parts: MeshProcesses["parts"]): Record<string, string> {
  return Object.fromEntries(Array.from(parts, ([name, { url }]) => [partVariable(name, "URL"), url]));
}

/** Of the servers that mesh-setup.ts started. */
function meshSettings(): Record<string, string> {
  return JSON.parse(env.HEDDLE_TEST_MESH ?? "{}");
}

/** The command that starts the server or any other `heddle` command on the runtime under test. */
export function heddleCommand(
  dataDir: string,
  rest: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): { program: string; args: string[] } {
  if (testRuntime === "deno") return denoStart({ repository, dataDir, rest, env: variables });
  return { program: execPath, args: [join(repository, "cli/heddle.mjs"), ...rest] };
}

async function launch(
  { dataDir, port, declarationPath, env: variables }: Place,
): Promise<HeddleProcess & Partial<Pick<MeshProcesses, "startGateway" | "parts" | "restartPart" | "killPart" | "startPart">>> {
  if (testShape === "mesh") {
    return await launchMesh({ repository, runtimeOf, settings: meshSettings(), dataDir, port, declarationPath, env: variables });
  }
  const set = { HEDDLE_HTTP_HOST: "127.0.0.1", HEDDLE_HTTP_PORT: String(port), HEDDLE_DATA_DIR: dataDir, ...variables };
  return await launchHeddle({ ...heddleCommand(dataDir, ["start", "--apply", declarationPath], set), folder: repository, env: set });
}

function defaults(call: CallOptions = {}): CallOptions {
  return { key: demoKey, ...call };
}

export interface StartOptions {
  /** The declaration, YAML; without it: one workspace `demo` on the standard plan with the key `demoKey`. */
  readonly apply?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
}

export interface Heddle {
  readonly url: string;
  /** What addresses in answers begin with: `url`, unless the installation has a public one. */
  readonly publicUrl: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Everything at rest: the data folder, or those of the servers of the mesh. */
  readonly dataFolders: readonly string[];
  /** The environment with which `heddle` commands find this installation. */
  readonly commandEnv: Readonly<Record<string, string>>;
  readonly key: string;
  request(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** Resolves with the exit code when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
  ended(): Promise<number | null>;
  /** On the mesh: kills a part and starts another in its place. */
  restartPart(name: string): Promise<void>;
  /** On the mesh: its parts by name, to be killed and started one by one. */
  readonly mesh: Pick<MeshProcesses, "parts" | "killPart" | "startPart">;
  /** On the mesh: another gateway before the same parts; the caller ends it. */
  startGateway(): Promise<HeddleProcess>;
  stop(): Promise<number | null>;
  /** Ends the process and starts another on the same folder and port. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** What the process printed. */
  output(): string;
  /** Stops and removes the folder. */
  close(): Promise<number | null>;
}

interface Place {
  readonly declarationPath: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  port: number;
}
