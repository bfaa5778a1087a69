/** Runs one `heddle` command to its end, on Node whatever the server runs on. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { repository } from "./heddle.ts";

/** Starts the command; `ended` resolves with its exit code and what it printed. */
export function startCommand(args: readonly string[], variables: Readonly<Record<string, string>> = {}): RunningCommand {
  const child = spawn(execPath, [join(repository, "cli/heddle.mjs"), ...args], {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: env.PATH, HOME: env.HOME, NO_COLOR: "1", ...variables },
  });
  return { child, ended: outcomeOf(child) };
}

/** What a child printed and ended with, once it has. */
export function outcomeOf(child: ChildProcess): Promise<CommandResult> {
  const printed = { output: "", errors: "" };
  child.stdout?.on("data", (chunk) => {
    printed.output += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    printed.errors += String(chunk);
  });
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("close", (code) => done({ code, ...printed }));
  });
}

export async function runCommand(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  return await startCommand(args, variables).ended;
}

export interface CommandResult {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandResult>;
}
