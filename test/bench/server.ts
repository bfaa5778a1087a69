/** The server under the bench: a real process on a folder of its own, with a workspace for each key. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** `build`: the folder of another build; this one unless it is given. */
export async function startServer(
  { folder, keys, build = join(import.meta.dirname, "../..") }: { folder: string; keys: readonly string[]; build?: string },
): Promise<BenchServer> {
  const apply = writeDeclaration(folder, keys);
  const child = spawn(process.execPath, [join(build, "cli/heddle.mjs"), "start", "--apply", apply], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, HEDDLE_DATA_DIR: join(folder, "data"), HEDDLE_HTTP_PORT: "0", HEDDLE_LOG_LEVEL: "error" },
  });
  const url = /http:\/\/[^\s]+/.exec(await firstLine(child, /Heddle is listening on/))?.[0] ?? "";
  return {
    url,
    pid: child.pid ?? 0,
    process: child,
    async stop() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await gone;
    },
  };
}

/** Declares a workspace for each key; gives the path of the file. */
export function writeDeclaration(folder: string, keys: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "bench.yaml");
  writeFileSync(path, declaration(keys));
  return path;
}

/** The first line of a child's output that matches. */
export function firstLine(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`The process ended with ${code}: ${text}`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const line = text.split("\n").find((candidate) => pattern.test(candidate));
      if (line !== undefined) resolve(line);
    });
  });
}

function declaration(keys: readonly string[]): string {
  const entries = keys.map((key, i) => `      - name: bench-${i}\n        apiKeys: [{ name: all, permissions: ["*"], secret: ${key} }]`);
  // As of that day 2,500 exports a minute, and not 250
  return `companies:\n  - name: bench\n    onboardedAt: 2024-08-21\n    workspaces:\n${entries.join("\n")}\n`;
}
