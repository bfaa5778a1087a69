/**
 * `node test/bench/artefacts.ts`: what each artefact weighs, how long it takes to start, and what it takes while nothing happens, beside a bare Node
 * in the same rounds.
 * `--images=heddle:0.1.0,heddle:0.1.0-deno` measures images that are there, too.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { argv, env, execPath } from "node:process";
import { setTimeout } from "node:timers/promises";
import { oldestNode } from "../deploy/runtimes.ts";
import { launchHeddle } from "../heddle-process.ts";
import { costOf } from "./process-cost.ts";
import { firstLine } from "./server.ts";

const repository = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "heddle-artefacts-"));
const dist = join(folder, "dist");
/** Counted ones. */
const starts = 3;
const restMs = 2_000;

execFileSync(execPath, ["tools/package/make.ts", `--into=${dist}`], { cwd: repository, stdio: "ignore" });
const tarballs = readdirSync(dist).filter((name) => name.endsWith(".tgz"));
writeFileSync(join(folder, "package.json"), "{}");
const paths = tarballs.map((name) => join(dist, name));
execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...paths], { cwd: folder, stdio: "ignore" });

const deno = `${join(repository, "node_modules/.bin")}${delimiter}${dirname(execPath)}`;
const bin = join(folder, "node_modules/.bin");
console.table(tarballs.map((file) => ({ file, KiB: Math.round(statSync(join(dist, file)).size / 1024) })));
console.table([{ what: "installed with all it stands on, MB", MB: megabytes(join(folder, "node_modules")) }]);
const images = argv.find((arg) => arg.startsWith("--images="))?.slice("--images=".length).split(",") ?? [];
const bare = "bare Node 24 that listens";
const kinds: readonly (readonly [name: string, start: () => Promise<Started>])[] = [
  [bare, startBare],
  ["clone, Node 24", () => start(join(repository, "cli/heddle.mjs"), dirname(execPath))],
  ["package, Node 24", () => start(join(bin, "heddle"), dirname(execPath))],
  ["package, the oldest Node", async () => await start(join(bin, "heddle"), await oldestNode())],
  ["package, Deno", () => start(join(bin, "heddle-deno"), deno)],
  ...images.map((image) => [`image ${image}`, () => startImage(image)] as const),
];
const found = new Map<string, Started[]>();
// In turn, so that a machine that is busy is as busy for all; the first round fills caches and does not count
for (let round = 0; round <= starts; round++) {
  for (const [name, begin] of kinds) {
    const one = await begin();
    if (round > 0) found.set(name, [...found.get(name) ?? [], one]);
  }
}
console.table([...found].map(([name, all]) => rowOf(name, all)));
console.table(
  images.map((image) => ({ image, "unpacked, MB": Math.round(Number(docker("image", "inspect", "--format", "{{.Size}}", image)) / 1e6) })),
);
rmSync(folder, { recursive: true });

interface Started {
  readonly ms: number;
  readonly megabytes: number;
}

async function start(program: string, path: string): Promise<Started> {
  const dataDir = mkdtempSync(join(folder, "data-"));
  const variables = {
    PATH: `${path}${delimiter}${env.PATH}`,
    HEDDLE_DATA_DIR: dataDir,
    HEDDLE_HTTP_PORT: "8193",
    HEDDLE_LOG_LEVEL: "error",
  };
  const began = performance.now();
  const server = await launchHeddle({ program, args: ["start"], folder, env: variables });
  const ms = performance.now() - began;
  const megabytes = await idleMegabytes(server.pid);
  server.kill("SIGTERM");
  await server.ended;
  return { ms, megabytes };
}

/** What no program on Node can start in less than, nor with less memory. */
async function startBare(): Promise<Started> {
  const began = performance.now();
  const child = spawn(execPath, ["-e", 'require("node:http").createServer().listen(0, () => console.log("listens"))'], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await firstLine(child, /listens/);
  const ms = performance.now() - began;
  const megabytes = await idleMegabytes(child.pid ?? 0);
  child.kill();
  return { ms, megabytes };
}

/** From `docker run` to its line that it listens, on a volume of its own. */
async function startImage(name: string): Promise<Started> {
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
  const megabytes = await idleMegabytes(Number(docker("inspect", "--format", "{{.State.Pid}}", container)));
  docker("rm", "--force", "--volumes", container);
  return { ms, megabytes };
}

async function idleMegabytes(pid: number): Promise<number> {
  await setTimeout(restMs);
  return costOf(pid).residentBytes / 1e6;
}

function rowOf(name: string, all: readonly Started[]) {
  const [ms, megabytes, bareMs, bareMegabytes] = [
    all.map((one) => one.ms),
    all.map((one) => one.megabytes),
    found.get(bare)?.map((one) => one.ms) ?? [],
    found.get(bare)?.map((one) => one.megabytes) ?? [],
  ].map((numbers) => numbers.toSorted((one, other) => one - other));
  return {
    name,
    "start, ms: least, middle, largest": spanOf(ms),
    "times bare Node": (middleOf(ms) / middleOf(bareMs)).toFixed(1),
    "idle, MB: least, middle, largest": spanOf(megabytes),
    "times its memory": (middleOf(megabytes) / middleOf(bareMegabytes)).toFixed(1),
  };
}

function spanOf(sorted: readonly number[] = []): string {
  return [sorted[0], middleOf(sorted), sorted.at(-1)].map((number = 0) => Math.round(number)).join(", ");
}

function middleOf(sorted: readonly number[] = []): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function docker(...args: string[]): string {
  return execFileSync("docker", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

function megabytes(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.round(files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) / 1e6);
}
