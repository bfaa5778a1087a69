/** One process of Heddle under test: started until it says where it listens, and never left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { env } from "node:process";
import { whileItMoves } from "./start-wait.ts";

const printedCharsMax = 200_000;
const running = new Set<ChildProcess>();
// A test that times out never stops its server, and its worker is ended by a signal.
process.once("exit", killAll);
process.once("disconnect", killAll);
process.once("SIGTERM", () => process.exit(1));

/** Resolves when the process says that it listens; rejects with all it printed when it ends before, or stands still. */
export async function launchHeddle(plan: ProcessPlan): Promise<HeddleProcess> {
  const child = spawn(plan.program, [...plan.args], {
    cwd: plan.folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: env.PATH, HOME: env.HOME, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...plan.env },
  });
  running.add(child);
  let printed = "";
  const ended = new Promise<number | null>((done) =>
    child.once("close", (code) => {
      running.delete(child);
      done(code);
    })
  );
  const listening = new Promise<string>((found, failed) => {
    function read(chunk: unknown): void {
      printed = (printed + String(chunk)).slice(-printedCharsMax);
      const listening = /Heddle (?:[\w-]+ )?is listening on (https?:\/\/[^\s"\\]+)/.exec(printed);
      if (listening?.[1]) found(listening[1].replace(/[.,/]+$/, ""));
    }
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", failed);
    void ended.then((code) => failed(new Error(`The server ended with ${code} before it listened:\n${printed}`)));
  });
  const { name = "the server" } = plan;
  const url = await whileItMoves(listening, { name, pid: child.pid, printed: () => printed }).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    output: () => printed,
    kill(signal) {
      child.kill(signal);
    },
  };
}

function killAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

export interface ProcessPlan {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** As people know it. */
  readonly name?: string;
}

export interface HeddleProcess {
  readonly url: string;
  readonly pid: number;
  /** The exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  output(): string;
  kill(signal: NodeJS.Signals): void;
}
