/**
 * `npm run release`: everything that is given out, made of the tag `v<version>` in a folder of its own, into dist/ with its sha256.
 * `--check` takes the last commit where there is no such tag; `--without-image` where there is no Docker.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { argv, execPath } from "node:process";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const tag = `v${version}`;
const base = argv.find((arg) => arg.startsWith("--base="))?.slice("--base=".length);

const source = sourceOf();
const clone = mkdtempSync(join(tmpdir(), "heddle-release-"));
try {
  run("git", ["clone", "--quiet", "--no-checkout", root, clone], root);
  run("git", ["checkout", "--quiet", "--detach", source.commit], clone);
  run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], clone);
  makePackages();
  makeSbom();
  if (argv.includes("--without-image")) console.log("- image: left out (--without-image)");
  else makeImage();
  writeSums();
} finally {
  rmSync(clone, { recursive: true, force: true });
}

function sourceOf(): { commit: string } {
  const tagged = spawnSync("git", ["rev-parse", "--quiet", "--verify", `${tag}^{commit}`], { cwd: root, encoding: "utf8" }).stdout.trim();
  if (tagged !== "") {
    console.log(`Releasing ${tag}, ${tagged}`);
    return { commit: tagged };
  }
  if (!argv.includes("--check")) fail(`There is no tag ${tag}: set one (git tag ${tag}), or try the recipe with --check`);
  const commit = output("git", ["rev-parse", "HEAD"], root);
  console.log(`There is no tag ${tag}: checking the last commit, ${commit}`);
  return { commit };
}

/** Made twice and compared; their tree, contents and imports are checked as they are made. */
function makePackages(): void {
  run(execPath, ["tools/package/make.ts", "--check"], clone);
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  const made = readdirSync(join(clone, "dist")).filter((name) => name.endsWith(".tgz"));
  if (made.length !== 2) fail(`Two packages were to be made, there are ${made.join(", ")}`);
  for (const name of made) copyFileSync(join(clone, "dist", name), join(dist, name));
  console.log(`✔ packages: ${made.join(", ")}, the same bytes twice`);
}

function makeSbom(): void {
  const file = `heddle-${version}.cdx.json`;
  run(execPath, ["tools/sbom.mjs", join(dist, file)], clone);
  const { bomFormat, components } = JSON.parse(readFileSync(join(dist, file), "utf8")) as { bomFormat: string; components: unknown[] };
  if (bomFormat !== "CycloneDX" || components.length === 0) fail("The bill of materials names nothing");
  console.log(`✔ bill of materials: ${components.length} packages`);
}

/** Built, looked at, and started as anyone would: unable to write but to its volume. */
function makeImage(): void {
  if (spawnSync("docker", ["version"], { stdio: "ignore" }).status !== 0) {
    fail("There is no Docker that runs: start it, or say --without-image");
  }
  const name = `heddle:${version}`;
  const pinned = base === undefined ? [] : ["--build-arg", `BASE=${base}`, "--build-arg", "PINNED=yes"];
  const labels = ["--build-arg", `VERSION=${version}`, "--build-arg", `REVISION=${source.commit}`];
  run("docker", ["build", "-f", "deploy/images/Dockerfile", ...pinned, ...labels, "-t", name, "."], clone);
  const [{ Config: config }] = JSON.parse(output("docker", ["image", "inspect", name], clone)) as [{ Config: ImageConfig }];
  if (config.User !== "10001:10001") fail(`The image runs as ${config.User}`);
  if (config.Labels["org.opencontainers.image.revision"] !== source.commit) fail("The image does not say of which commit it is");
  if (config.Healthcheck === undefined) fail("The image has no health check");
  const shut = ["run", "--rm", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
  run("docker", [...shut, "--entrypoint", "node", name, "--eval", "JSON.parse(require('fs').readFileSync('/app/sbom.cdx.json'))"], clone);
  const container = output("docker", [...shut, "--detach", name], clone);
  try {
    waitUntilHealthy(container);
  } finally {
    spawnSync("docker", ["rm", "--force", "--volumes", container], { stdio: "ignore" });
  }
  console.log(`✔ image ${name}: user 10001, nothing written but its volume, healthy`);
}

interface ImageConfig {
  readonly User: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck?: object;
}

const healthySecondsMax = 90;

function waitUntilHealthy(container: string): void {
  for (let second = 0; second < healthySecondsMax; second++) {
    const health = output("docker", ["inspect", "--format", "{{.State.Health.Status}}", container], clone);
    if (health === "healthy") return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  }
  fail(`The image is not healthy after ${healthySecondsMax} s`);
}

function writeSums(): void {
  const lines = readdirSync(dist).sort().map((name) => {
    return `${createHash("sha256").update(readFileSync(join(dist, name))).digest("hex")}  ${name}\n`;
  });
  writeFileSync(join(dist, "SHA256SUMS"), lines.join(""));
  process.stdout.write(lines.join(""));
}

function run(program: string, args: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

function output(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: "utf8" }).trim();
}

function fail(text: string): never {
  throw new Error(text);
}
