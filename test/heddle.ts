/** Starts the real server as a process of its own, on Node or on Deno, and talks HTTP to it. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { callHeddle } from "./client.ts";
import type { Answer, CallOptions } from "./client.ts";
import { denoStart } from "./deno-start.ts";

export const repository = resolve(import.meta.dirname, "..");
export const testRuntime = env.HEDDLE_TEST_RUNTIME === "deno" ? "deno" : "node";

/** The key of the workspace `demo` that every test server has. */
export const demoKey = "demo-key-of-the-tests";

export const demoDeclaration = `
companies:
  - name: acme
    onboardedAt: 2020-01-01
    workspaces:
      - name: demo
        plan: standard
        currencyRates: { EUR: 1.08 }
        apps: [{ id: app-1, name: Web }]
        apiKeys: [{ name: all, permissions: ["*"], secret: ${demoKey} }]
`;

const startMsMax = 30_000;
const running = new Set<ChildProcess>();
// A test that times out never stops its server, and its worker is ended by a signal.
process.once("exit", killAll);
process.once("disconnect", killAll);
process.once("SIGTERM", () => process.exit(1));

/** Resolves when the server says that it listens; rejects with all it printed when it ends before. */
export async function startHeddle(options: StartOptions = {}): Promise<Heddle> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-test-"));
  const declarationPath = join(folder, "declaration.yaml");
  writeFileSync(declarationPath, options.apply ?? demoDeclaration);
  const place: Place = { declarationPath, dataDir: options.dataDir ?? join(folder, "data"), port: 0, env: options.env ?? {} };
  let server = await launch(place);
  place.port = Number(new URL(server.url).port);

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    server.child.kill(signal);
    return await server.ended;
  }
  return {
    dataDir: place.dataDir,
    key: demoKey,
    get url() {
      return server.url;
    },
    get pid() {
      return server.child.pid ?? 0;
    },
    request: (method, path, body, call) => callHeddle(server.url, { method, path, body, ...defaults(call) }),
    kill: (signal = "SIGKILL") => end(signal),
    signal: (signal) => {
      server.child.kill(signal);
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

/** The command that starts the server or any other `heddle` command on the runtime under test. */
export function heddleCommand(dataDir: string, rest: readonly string[]): { program: string; args: string[] } {
  if (testRuntime === "deno") return denoStart({ repository, dataDir, rest });
  return { program: execPath, args: [join(repository, "cli/heddle.mjs"), ...rest] };
}

function killAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

async function launch(place: Place): Promise<Server> {
  const { program, args } = heddleCommand(place.dataDir, ["start", "--apply", place.declarationPath]);
  const child = spawn(program, args, {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: env.PATH,
      HOME: env.HOME,
      NO_COLOR: "1",
      DENO_NO_UPDATE_CHECK: "1",
      HEDDLE_HTTP_HOST: "127.0.0.1",
      HEDDLE_HTTP_PORT: String(place.port),
      HEDDLE_DATA_DIR: place.dataDir,
      ...place.env,
    },
  });
  running.add(child);
  let printed = "";
  const ended = new Promise<number | null>((done) =>
    child.once("close", (code) => {
      running.delete(child);
      done(code);
    })
  );
  const url = await new Promise<string>((found, failed) => {
    const late = setTimeout(() => failed(new Error(`The server did not listen within ${startMsMax} ms:\n${printed}`)), startMsMax);
    function read(chunk: unknown): void {
      printed = (printed + String(chunk)).slice(-200_000);
      const listening = /Heddle is listening on (http:\/\/[^\s"\\]+)/.exec(printed);
      if (listening?.[1]) found(listening[1].replace(/[.,/]+$/, ""));
    }
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", failed);
    void ended.then((code) => failed(new Error(`The server ended with ${code} before it listened:\n${printed}`)));
    void ended.then(() => clearTimeout(late));
  }).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  return { url, child, ended, output: () => printed };
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
  readonly pid: number;
  readonly dataDir: string;
  readonly key: string;
  request(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** Resolves with the exit code when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
  ended(): Promise<number | null>;
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

interface Server {
  readonly url: string;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output(): string;
}
