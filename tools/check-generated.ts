/** Regenerates the code of the contract beside the committed one and fails, naming the files, when they differ. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const committed = resolve("proto/gen");
const workspace = mkdtempSync(join(tmpdir(), "heddle-generated-"));
try {
  cpSync("proto", workspace, { recursive: true, filter: (source) => resolve(source) !== committed });
  execFileSync("buf", ["generate"], { cwd: workspace, stdio: ["ignore", "ignore", "inherit"] });
  const differing = differences(committed, join(workspace, "gen"));
  for (const name of differing) console.error(`proto/gen/${name}: differs from what the contract generates, run "npm run generate"`);
  process.exitCode = differing.length === 0 ? 0 : 1;
} finally {
  rmSync(workspace, { recursive: true, force: true });
}

function differences(left: string, right: string): string[] {
  const names = new Set([...files(left), ...files(right)]);
  return [...names].filter((name) => read(join(left, name)) !== read(join(right, name)));
}

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
