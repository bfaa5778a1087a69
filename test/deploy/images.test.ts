/** The Dockerfile and the compose file: what can be said of them without building anything. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

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

function text(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}
