/** Runtimes that the packages must run on beside the Node of the tests, fetched once from the registry: the oldest Node, Bun, and that of workers. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { arch, env, platform } from "node:process";
import { promisify } from "node:util";
import { nodeOldest } from "../../tools/package/compile.ts";

const run = promisify(execFile);

/** The folder with the `node` of the oldest version that the package takes. */
export async function oldestNode(): Promise<string> {
  return await programsOf(`node-${platform}-${arch}`, nodeOldest, `node-${nodeOldest}`);
}

export async function bun(): Promise<string> {
  const version = "1.4.5";
  return join(await programsOf(`@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`, version, `bun-${version}`), "bun");
}

export async function workerd(): Promise<string> {
  const version = "1.20261117.1";
  return join(
    await programsOf(`@cloudflare/workerd-${platform}-${arch === "arm64" ? arch : "64"}`, version, `workerd-${version}`),
    "workerd",
  );
}

/** The folder `bin` of a package, which comes without what it stands on and runs no script. */
async function programsOf(name: string, version: string, title: string): Promise<string> {
  const folder = join(resolve(env.HEDDLE_SERVERS_DIR ?? join(import.meta.dirname, "../../.cache/servers")), title);
  if (!existsSync(folder)) {
    mkdirSync(resolve(folder, ".."), { recursive: true });
    const target = mkdtempSync(`${folder}-fetching-`);
    writeFileSync(join(target, "package.json"), "{}");
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${version}`], { cwd: target });
    if (existsSync(folder)) rmSync(target, { recursive: true });
    else renameSync(target, folder);
  }
  return join(folder, "node_modules", name, "bin");
}
