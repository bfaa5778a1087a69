/**
 * `node test/bench/artefacts.ts`: what each artefact weighs, how long it takes to start, and what it takes while nothing happens.
 * `--images=heddle:0.1.0,heddle:0.1.0-deno` measures images that are there, too.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { argv, env, execPath } from "node:process";
import { setTimeout } from "node:timers/promises";
import { oldestNode } from "../deploy/runtimes.ts";
import { launchHeddle } from "../heddle-process.ts";
import { costOf } from "./process-cost.ts";

const repository = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "heddle-artefacts-"));
const dist = join(repository, "dist");
const starts = 3;
const restMs = 2_000;

execFileSync(execPath, ["tools/package/make.ts"], { cwd: repository, stdio: "ignore" });
const tarballs = readdirSync(dist).filter((name) => name.endsWith(".tgz"));
writeFileSync(join(folder, "package.json"), "{}");
const paths = tarballs.map((name) => join(dist, name));
execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...paths], { cwd: folder, stdio: "ignore" });

const deno = `${join(repository, "node_modules/.bin")}${delimiter}${dirname(execPath)}`;
const bin = join(folder, "node_modules/.bin");
console.table(tarballs.map((file) => ({ file, KiB: Math.round(statSync(join(dist, file)).size / 1024) })));
console.table([{ what: "installed with all it stands on, MB", MB: megabytes(join(folder, "node_modules")) }]);
console.table([
  await measured("clone, Node 24", join(repository, "cli/heddle.mjs"), dirname(execPath)),
  await measured("package, Node 24", join(bin, "heddle"), dirname(execPath)),
  await measured("package, the oldest Node", join(bin, "heddle"), await oldestNode()),
  await measured("package, Deno", join(bin, "heddle-deno"), deno),
]);
const images = argv.find((arg) => arg.startsWith("--images="))?.slice("--images=".length).split(",") ?? [];
const measuredImages = [];
for (const image of images) measuredImages.push(await measuredImage(image));
if (images.length > 0) console.table(measuredImages);
rmSync(folder, { recursive: true });

/** Medians. The first start, which fills caches, is left out. */
async function measured(name: string, program: string, path: string) {
  const found = [];
  for (let at = 0; at <= starts; at++) {
    const dataDir = join(folder, `data-${name.replaceAll(/\W+/g, "-")}-${at}`);
    const variables = {
      PATH: `${path}${delimiter}${env.PATH}`,
      HEDDLE_DATA_DIR: dataDir,
      HEDDLE_HTTP_PORT: "8193",
      HEDDLE_LOG_LEVEL: "error",
    };
    const began = performance.now();
    const server = await launchHeddle({ program, args: ["start"], folder, env: variables });
    const ms = performance.now() - began;
    await setTimeout(restMs);
    found.push({ ms, megabytes: costOf(server.pid).residentBytes / 1e6 });
    server.kill("SIGTERM");
    await server.ended;
    rmSync(dataDir, { recursive: true });
  }
  return medians(name, found);
}

/** From `docker run` to its line that it listens, on a volume of its own. */
async function measuredImage(name: string) {
  const found = [];
  for (let at = 0; at <= starts; at++) {
    const began = performance.now();
    const container = docker(
      "run",
      "--detach",
      "--network=none",
      "--read-only",
      "--tmpfs=/tmp",
      "--volume=/data",
      name,
      "start",
      "--no-demo",
    );
    while (!docker("logs", container).includes("is listening on")) await setTimeout(10);
    const ms = performance.now() - began;
    await setTimeout(restMs);
    const pid = Number(docker("inspect", "--format", "{{.State.Pid}}", container));
    found.push({ ms, megabytes: costOf(pid).residentBytes / 1e6 });
    docker("rm", "--force", "--volumes", container);
  }
  const bytes = Number(docker("image", "inspect", "--format", "{{.Size}}", name));
  return { ...medians(name, found), "unpacked, MB": Math.round(bytes / 1e6) };
}

function docker(...args: string[]): string {
  return execFileSync("docker", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

function medians(name: string, found: readonly { readonly ms: number; readonly megabytes: number }[]) {
  const counted = found.slice(1);
  return { name, "start, ms": median(counted.map(({ ms }) => ms)), "idle, MB": median(counted.map((each) => each.megabytes)) };
}

function median(numbers: readonly number[]): number {
  return Math.round(numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0);
}

function megabytes(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.round(files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) / 1e6);
}
