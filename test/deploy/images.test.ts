/** The Dockerfile and the compose file: what can be said of them without building anything. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { meshNodeOptions, meshYoungSpaceMib } from "../../cli/young-space.ts";

const repository = resolve(import.meta.dirname, "../..");
const dockerfile = text("deploy/images/Dockerfile");
const compose = parse(text("deploy/compose.yaml"));

test("Dockerfile: every stage stands on one pinned image, of the Node that the project tests with", () => {
  const { devDependencies } = JSON.parse(text("package.json")) as { devDependencies: Record<string, string> };
  expect(dockerfile).toMatch(new RegExp(`^ARG BASE=node:${devDependencies["node"]}-bookworm-slim$`, "m"));
  const froms = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from);
  expect(new Set(froms)).toEqual(new Set(["${BASE}", "system", "scratch"]));
});

test("Dockerfile: an old BuildKit takes it, and only npm ci asks the network for something", () => {
  expect(dockerfile).not.toMatch(/<<|^#\s*syntax=|--link|--mount|--parents/m);
  expect(dockerfile).not.toMatch(/(?<![\w/])(curl|wget|apt-get|apk|npm install|npx)\b/);
  expect(dockerfile.match(/npm ci [^\n]*/g)?.every((line) => line.includes("--ignore-scripts"))).toBe(true);
});

test("Dockerfile: every image runs as nobody", () => {
  const images = dockerfile.split(/^(?=FROM )/m).filter((stage) => stage.startsWith("FROM scratch"));
  expect(images).toHaveLength(3);
  for (const image of images) expect(image).toMatch(/^USER 10001:10001$/m);
});

for (const image of ["node", "dev"]) {
  test(`heddle-${image}.sh: a part of the mesh starts with its room for young objects, other commands as Node has it`, () => {
    expect(startedBy(image, ["serve", "profile"])["NODE_OPTIONS"]).toBe(meshNodeOptions);
    expect(startedBy(image, ["serve", "gateway"])["NODE_OPTIONS"]).toBe(meshNodeOptions);
    for (const args of [["start"], ["keys", "list"], []]) expect(startedBy(image, args)).not.toHaveProperty("NODE_OPTIONS");
  });

  test(`heddle-${image}.sh: what an operator says comes last, where it counts`, () => {
    const { NODE_OPTIONS = "" } = startedBy(image, ["serve", "profile"], { NODE_OPTIONS: "--max-semi-space-size=8" });
    expect(NODE_OPTIONS).toBe(`${meshNodeOptions} --max-semi-space-size=8`);
    expect(heapMibWith(NODE_OPTIONS)).toBe(oldSpaceMib + 3 * 8);
  });
}

test("Node takes the room for young objects from its options", () => {
  expect(heapMibWith(meshNodeOptions)).toBe(oldSpaceMib + 3 * meshYoungSpaceMib);
});

test("compose.yaml: the servers of the local overlay, with the same promises", () => {
  for (const [name, { image }] of Object.entries<{ image: string }>(compose.services)) {
    const [, inOverlay] = /image: (\S+)/.exec(text(`deploy/overlays/local/${name}.yaml`)) ?? [];
    expect(inOverlay, name).toBe(image);
  }
  expect(compose.configs.nats.content).toMatch(/sync_interval: always/);
  expect(text("deploy/overlays/local/nats.conf")).toMatch(/sync_interval: always/);
  const { command } = compose.services.redis as { command: string[] };
  const [, inOverlay = ""] = /args: \[(.*)\]/.exec(text("deploy/overlays/local/redis.yaml")) ?? [];
  for (const option of command.slice(1)) expect(inOverlay, option).toContain(option);
  expect(JSON.stringify(compose.services.cassandra.entrypoint)).toContain("commitlog_sync: group");
  expect(text("deploy/overlays/local/cassandra.yaml")).toContain("commitlog_sync: group");
});

/** The environment in which the script of an image starts Node: `env` stands in for it. */
function startedBy(image: string, args: readonly string[], given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-image-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "node"), "#!/bin/sh\nexec env\n", { mode: 0o755 });
  const printed = execFileSync("sh", [join(repository, `deploy/images/heddle-${image}.sh`), ...args], {
    encoding: "utf8",
    env: { PATH: `${folder}${delimiter}${env.PATH}`, ...given },
  });
  return Object.fromEntries(printed.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

const oldSpaceMib = 256;

/** MiB that V8 allows a heap: its old objects, and three times half of the space for young ones. */
function heapMibWith(options: string): number {
  const script = 'console.log(require("node:v8").getHeapStatistics().heap_size_limit / 2 ** 20)';
  const NODE_OPTIONS = `--max-old-space-size=${oldSpaceMib} ${options}`;
  return Number(execFileSync(execPath, ["-e", script], { encoding: "utf8", env: { PATH: env.PATH, NODE_OPTIONS } }));
}

function text(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}
