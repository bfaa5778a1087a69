/** A real server as a process of the tests: started until it says it is ready, killed, paused, started again, and never left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whileItMoves } from "../start-wait.ts";

/** Starts what `plan` says in a throw-away folder (or the one given, which is kept). Rejects with what it printed. */
export async function startServer(plan: ServerPlan, folder?: string): Promise<Server> {
  const place = folder ?? mkdtempSync(join(tmpdir(), `heddle-${plan.name}-`));
  const throwAway = folder === undefined;
  const command = plan.command(place);
  let current = await launch(plan, command, throwAway ? place : "");

  async function end(signal: NodeJS.Signals): Promise<void> {
    current.child.kill(signal);
    // A stopped process takes no other signal than the one that kills it
    if (signal !== "SIGKILL" && signal !== "SIGSTOP") current.child.kill("SIGCONT");
    await current.ended;
  }
  return {
    folder: place,
    get pid() {
      return current.child.pid ?? 0;
    },
    output: () => current.output(),
    kill: async (signal = "SIGKILL") => {
      if (signal !== "SIGSTOP" && signal !== "SIGCONT") return await end(signal);
      current.child.kill(signal);
      if (signal === "SIGSTOP") await stopped(current.child.pid ?? 0);
    },
    restart: async (signal = "SIGKILL") => {
      await end(signal);
      current = await launch(plan, command, throwAway ? place : "");
    },
    stop: async () => {
      await end("SIGKILL");
      if (throwAway) rmSync(place, { recursive: true, force: true });
    },
  };
}

/** A signal takes a moment: resolves once no thread runs any more. Where the system does not say, at once. */
async function stopped(pid: number): Promise<void> {
  const until = performance.now() + stoppedMsMax;
  while (isRunning(pid)) {
    if (performance.now() > until) throw new Error(`The server ${pid} was to stop, and runs after ${stoppedMsMax} ms`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function isRunning(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return false;
  try {
    return readdirSync(threads).some((thread) => !/\) T /.test(readFileSync(`${threads}/${thread}/stat`, "utf8")));
  } catch {
    // A thread ended meanwhile: looked at once more
    return true;
  }
}

const stoppedMsMax = 5_000;

/** Ports of this machine that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(servers.map((server) =>
    new Promise<number>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address ? address.port : 0);
      });
    })
  ));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Whether something takes connections there. */
export async function accepts(port: number, host = "127.0.0.1"): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

const outputCharsMax = 200_000;
const pollMs = 50;

async function launch(plan: ServerPlan, command: readonly string[], removeAfter: string): Promise<Running> {
  const [program = "", ...rest] = command;
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  const ended = new Promise<void>((done) => {
    child.once("close", () => done());
    child.once("error", () => done());
  });
  if (child.pid !== undefined) guard(child.pid, removeAfter, ended);
  const ready = new Promise<void>((ready, failed) => {
    function read(chunk: unknown): void {
      printed = (printed + String(chunk)).slice(-outputCharsMax);
      if (plan.ready.test(printed)) ready();
    }
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", failed);
    void ended.then(() => failed(new Error(`${plan.name} ended before it was ready:\n${printed}`)));
  }).then(() => listening(plan, child));
  await whileItMoves(ready, { name: plan.name, pid: child.pid, printed: () => printed }).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  return { child, ended, output: () => printed };
}

/** Some servers say that they are ready a moment before they are. */
async function listening({ port, host }: ServerPlan, child: ChildProcess): Promise<void> {
  while (!await accepts(port, host)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("The server ended right after it was ready");
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** A shell that waits until our end of its input closes, as it does however we die, and then kills the server and clears up. */
function guard(pid: number, removeAfter: string, ended: Promise<void>): void {
  const script = `read _; kill -KILL "$0" 2>/dev/null; [ -n "$1" ] && sleep 1 && rm -rf -- "$1"`;
  const watcher = spawn("sh", ["-c", script, String(pid), removeAfter], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  watcher.unref();
  void ended.then(() => watcher.kill("SIGKILL"));
}

export interface ServerPlan {
  readonly name: string;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  readonly port: number;
  /** What it prints when it takes connections. */
  readonly ready: RegExp;
  /** Writes what it needs into its folder and gives the command line. */
  command(folder: string): readonly string[];
}

export interface Server {
  /** Its data; removed by `stop` unless the test gave it. */
  readonly folder: string;
  readonly pid: number;
  /** What it printed since its last start. */
  output(): string;
  /** Sends the signal (SIGKILL by default) and, unless it only pauses or resumes, waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Ends it, if it runs, and starts it on the same data and port. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  output(): string;
}
