/**
 * `npm run release`: everything that is given out, made of the tag `v<version>` in a folder of its own, into dist/ with its sha256.
 * `--check` takes the last commit where there is no such tag, and builds each thing twice to compare; `--without-image` where there is no
 * Docker, `--base=<image>@sha256:<digest>` for another base, `--build-network=host` where builds reach the network by the host's alone.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { argv, env, execPath } from "node:process";
import { isDeepStrictEqual } from "node:util";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const tag = `v${version}`;
const isCheck = argv.includes("--check");
const base = valueOf("--base");
const buildNetwork = valueOf("--build-network");
/** A container that may do nothing but what Heddle needs: write to /tmp and to its volume. */
const shut = [
  "run",
  "--network=none",
  "--read-only",
  "--tmpfs=/tmp",
  "--volume=/data",
  "--cap-drop=ALL",
  "--security-opt=no-new-privileges",
];
const healthySecondsMax = 90;

const source = sourceOf();
const clone = mkdtempSync(join(tmpdir(), "heddle-release-"));
try {
  run("git", ["clone", "--quiet", "--no-checkout", root, clone], root);
  run("git", ["checkout", "--quiet", "--detach", source.commit], clone);
  run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], clone);
  makePackages();
  makeSbom();
  if (argv.includes("--without-image")) console.log("- image: left out (--without-image)");
  else makeImages();
  writeSums();
} finally {
  rmSync(clone, { recursive: true, force: true });
}

function valueOf(name: string): string | undefined {
  return argv.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1);
}

function sourceOf(): { commit: string; seconds: string } {
  function of(commit: string) {
    return { commit, seconds: output("git", ["show", "--no-patch", "--format=%ct", commit], root) };
  }
  const tagged = spawnSync("git", ["rev-parse", "--quiet", "--verify", `${tag}^{commit}`], { cwd: root, encoding: "utf8" }).stdout.trim();
  if (tagged !== "") {
    console.log(`Releasing ${tag}, ${tagged}`);
    return of(tagged);
  }
  if (!isCheck) fail(`There is no tag ${tag}: set one (git tag ${tag}), or try the recipe with --check`);
  const commit = output("git", ["rev-parse", "HEAD"], root);
  console.log(`There is no tag ${tag}: checking the last commit, ${commit}`);
  return of(commit);
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

/** Built, looked at, and started as anyone would: unable to write but to its volume, and here without a network. */
function makeImages(): void {
  if (spawnSync("docker", ["version"], { stdio: "ignore" }).status !== 0) {
    fail("There is no Docker that runs: start it, or say --without-image");
  }
  for (const [target, name] of [["node", `heddle:${version}`], ["deno", `heddle:${version}-deno`]] as const) {
    buildImage(target, name);
    const { Config: config } = inspected(name);
    if (config.User !== "10001:10001") fail(`The image runs as ${config.User}`);
    if (config.Labels["org.opencontainers.image.revision"] !== source.commit) fail("The image does not say of which commit it is");
    if (config.Healthcheck === undefined) fail("The image has no health check");
    JSON.parse(output("docker", [...shut, "--rm", "--entrypoint", "cat", name, "/app/sbom.cdx.json"], clone));
    const ms = msUntilHealthy(name);
    const same = isCheck ? `, ${builtAgain(target, name)} twice` : "";
    const megabytes = Math.round(inspected(name).Size / 1e6);
    console.log(`✔ image ${name}: user 10001, nothing written but its volume, healthy after ${ms} ms, ${megabytes} MB${same}`);
  }
}

/** Times of files are fixed by the Dockerfile; a BuildKit that knows SOURCE_DATE_EPOCH fixes those of the image's history by it too. */
function buildImage(target: string, name: string, ...further: readonly string[]): void {
  const pinned = base === undefined ? [] : [`BASE=${base}`, "PINNED=yes"];
  const given = [...pinned, `VERSION=${version}`, `REVISION=${source.commit}`, `SOURCE_DATE_EPOCH=${source.seconds}`];
  const args = ["build", "-f", "deploy/images/Dockerfile", "--target", target, ...given.flatMap((arg) => ["--build-arg", arg])];
  const network = buildNetwork === undefined ? [] : [`--network=${buildNetwork}`];
  run("docker", [...args, ...network, ...further, "-t", name, "."], clone);
}

/** Builds it once more from nothing, and says what is the same. */
function builtAgain(target: string, name: string): string {
  const again = `${name}-again`;
  const first = inspected(name);
  buildImage(target, again, "--no-cache");
  const second = inspected(again);
  output("docker", ["image", "rm", again], clone);
  const layers = first.RootFS.Layers;
  const differing = layers.filter((layer, at) => layer !== second.RootFS.Layers[at]);
  if (differing.length > 0 || layers.length !== second.RootFS.Layers.length) {
    fail(`Two builds of ${name} differ: ${differing.length} of ${layers.length} layers`);
  }
  if (!isDeepStrictEqual(first.Config, second.Config)) fail(`Two builds of ${name} differ in their settings`);
  return first.Id === second.Id ? "the same image" : "the same layers and settings";
}

interface Image {
  readonly Id: string;
  readonly Size: number;
  readonly RootFS: { readonly Layers: readonly string[] };
  readonly Config: {
    readonly User: string;
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck?: object;
  };
}

function inspected(name: string): Image {
  const [image] = JSON.parse(output("docker", ["image", "inspect", name], clone)) as [Image];
  return image;
}

function msUntilHealthy(name: string): number {
  const began = performance.now();
  const container = output("docker", [...shut, "--detach", "--health-interval", "1s", name], clone);
  try {
    while (performance.now() - began < healthySecondsMax * 1_000) {
      const health = output("docker", ["inspect", "--format", "{{.State.Health.Status}}", container], clone);
      if (health === "healthy") return Math.round(performance.now() - began);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
    return fail(`${name} is not healthy after ${healthySecondsMax} s: ${output("docker", ["logs", container], clone)}`);
  } finally {
    spawnSync("docker", ["rm", "--force", "--volumes", container], { stdio: "ignore" });
  }
}

function writeSums(): void {
  const lines = readdirSync(dist).sort().map((name) => {
    return `${createHash("sha256").update(readFileSync(join(dist, name))).digest("hex")}  ${name}\n`;
  });
  writeFileSync(join(dist, "SHA256SUMS"), lines.join(""));
  process.stdout.write(lines.join(""));
}

function run(program: string, args: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"], env: { ...env, DOCKER_BUILDKIT: "1" } });
}

function output(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: "utf8" }).trim();
}

function fail(text: string): never {
  throw new Error(text);
}
