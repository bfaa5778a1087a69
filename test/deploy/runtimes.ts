/** Runtimes that a package must run on beside the Node of the tests: the oldest Node, fetched once from the registry, and Deno. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { arch, env, platform } from "node:process";
import { promisify } from "node:util";
import { nodeOldest } from "../../tools/package/compile.ts";

const run = promisify(execFile);

/** The folder with the `node` of the oldest version that the package takes. */
export async function oldestNode(): Promise<string> {
  const name = `node-${platform}-${arch}`;
  const folder = join(resolve(env.HEDDLE_SERVERS_DIR ?? join(import.meta.dirname, "../../.cache/servers")), `node-${nodeOldest}`);
  if (!existsSync(folder)) {
    mkdirSync(resolve(folder, ".."), { recursive: true });
    const target = mkdtempSync(`${folder}-fetching-`);
    writeFileSync(join(target, "package.json"), "{}");
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${nodeOldest}`], { cwd: target });
    if (existsSync(folder)) rmSync(target, { recursive: true });
    else renameSync(target, folder);
  }
  return join(folder, "node_modules", name, "bin");
}
