/** The Dockerfile and the compose file: what can be said of them without building anything. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { meshNodeOptions } from "../../cli/run/v8-heap.fixture.ts";
import { meshSemiSpaceMib } from "../../cli/run/v8-heap.ts";
import { timerSlackScript } from "../servers/timer-slack.ts";
import { provisionTool } from "./provision.ts";
import { describeWithTools } from "./with-tools.ts";

const repository = resolve(import.meta.dirname, "../..");
const dockerfile = text("deploy/images/Dockerfile");
const compose = parse(text("deploy/compose.yaml"), { merge: true });

test("Dockerfile: every stage stands on one pinned image, of the Node that the project tests with", () => {
  const { devDependencies } = JSON.parse(text("package.json")) as { devDependencies: Record<string, string> };
  expect(dockerfile).toMatch(new RegExp(`^ARG BASE=node:${devDependencies["node"]}-bookworm-slim$`, "m"));
  const froms = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from);
  expect(new Set(froms)).toEqual(new Set(["${BASE}", "scratch", "every-image"]));
});

test("Dockerfile: an old BuildKit takes it, and only npm ci asks the network for something", () => {
  expect(dockerfile).not.toMatch(/<<|^#\s*syntax=|--link|--mount|--parents/m);
  expect(dockerfile).not.toMatch(/(?<![\w/])(curl|wget|apt-get|apk|npm install|npx)\b/);
  expect(dockerfile.match(/npm ci [^\n]*/g)?.every((line) => line.includes("--ignore-scripts"))).toBe(true);
});

test("Dockerfile: every image is what all are, as nobody: it starts Heddle, says when it is ready, what it is and what it holds", () => {
  const stages = stagesOf(dockerfile);
  expect([...stages].flatMap(([name, { from }]) => from === "every-image" ? [name] : [])).toEqual(["deno", "dev", "node"]);
  const shared = stages.get("every-image")?.text ?? "";
  expect(shared).toMatch(/^USER 10001:10001\nENTRYPOINT \["heddle"\]\nCMD \["start"\]$/m);
  expect(shared).toMatch(/^ENV .*HEDDLE_DATA_DIR=\/data HEDDLE_HTTP_HOST=0\.0\.0\.0$/m);
  expect(shared).toMatch(/^EXPOSE 8080$/m);
  expect(shared).toMatch(/^HEALTHCHECK .* CMD \["heddle-healthy"\]$/m);
  for (const label of ["title", "licenses", "version", "revision"]) expect(shared).toContain(`org.opencontainers.image.${label}=`);
  expect(shared).toContain('heddle.sbom="/app/sbom.cdx.json"');
  for (const once of [/^HEALTHCHECK/gm, /^LABEL/gm, /^USER/gm, /^EXPOSE/gm]) expect(dockerfile.match(once)).toHaveLength(1);
  expect(dockerfile).toContain("chown 10001:10001 /image/data");
});

test("Dockerfile: what an image holds comes whole from a folder whose last change gave one time to everything in it", () => {
  const stages = stagesOf(dockerfile);
  for (const image of ["every-image", "node", "deno"]) {
    const copies = stages.get(image)?.text.match(/^(COPY|ADD|RUN) .*$/gm) ?? [];
    expect(copies.length, image).toBeGreaterThan(0);
    for (const copy of copies) {
      const [, from = ""] = /^COPY --from=([\w-]+) \/image \/$/.exec(copy) ?? [];
      const last = stages.get(from)?.text.trimEnd().split(/\n(?=[A-Z]+ )/).findLast((line) => !line.startsWith("#"));
      expect(last, `${image}: ${copy}`).toMatch(/^RUN [\s\S]* find \/image -print0 \| xargs -0 touch (--no-dereference )?--date=@0$/);
    }
  }
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

test("heddle-deno.sh: a part of the mesh and the migration have no folder; other commands have that of the data", () => {
  for (const args of [["serve", "gateway"], ["serve", "profile"], ["migrate", "--wait", "600"]]) {
    expect(denoGrants(args)["allow-read"]).toBe("/app,/etc/heddle");
    expect(denoGrants(args)).not.toHaveProperty("allow-write");
  }
  for (const args of [["start"], ["start", "--apply", "/etc/heddle/all.yaml"], ["keys", "list"]]) {
    expect(denoGrants(args)).toMatchObject({ "allow-read": "/app,/etc/heddle,/data", "allow-write": "/data" });
  }
});

test("heddle-deno.sh: the doctor may look at the disk and at whose process it is, others may not", () => {
  expect(denoGrants(["doctor"])["allow-sys"]).toBe("hostname,statfs,uid,gid");
  for (const command of ["start", "keys", "serve"]) expect(denoGrants([command])["allow-sys"]).toBe("hostname");
});

test("heddle-deno.sh: a backup and a restore may use the folder that their file is in, and that of temporary files", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-backups-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (
    const args of [
      ["backup", `${folder}/`, "--pause-writes", "--keep", "7"],
      ["backup", "--keep", "7", "--workspace=shop", `${folder}/`],
      ["restore", "--data-dir", "/data", "--workspace", "shop", `${folder}/heddle.db`],
    ]
  ) {
    const folders = expect.stringMatching(`^[^:]*,${folder}/?,/tmp$`) as string;
    expect(denoGrants(args), args.join(" ")).toMatchObject({ "allow-read": folders, "allow-write": folders });
  }
  const moved = denoGrants(["restore", "/backups/heddle.db"], { TMPDIR: "/room" });
  expect(moved).toMatchObject({ "allow-read": "/app,/etc/heddle,/data,/backups,/room", "allow-write": "/data,/backups,/room" });
  expect(moved["allow-env"]?.split(",")).toContain("TMPDIR");
  expect(denoGrants(["backup", "--help"])["allow-write"]).toBe("/data,/tmp");
  expect(denoGrants(["start"], { TMPDIR: "/room" })["allow-env"]).not.toContain("TMPDIR");
});

test("heddle-deno.sh: one process may use the addresses that it listens on and the collector, a part what HEDDLE_DENO_NET names", () => {
  expect(denoGrants(["start"], { HEDDLE_HTTP_HOST: "0.0.0.0" })["allow-net"]).toBe("0.0.0.0:8080");
  const all = {
    HEDDLE_HTTP_HOST: "::",
    HEDDLE_HTTP_PORT: "80",
    HEDDLE_RPC_PORT: "9101",
    HEDDLE_METRICS_HOST: "0.0.0.0",
    HEDDLE_METRICS_PORT: "9464",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:word@collector.example:4318/v1?x=1",
  };
  expect(denoGrants(["start"], all)["allow-net"]).toBe("[::]:80,127.0.0.1:9101,0.0.0.0:9464,collector.example:4318");
  expect(denoGrants(["start"], { ...all, HEDDLE_DENO_NET: "10.0.0.0/8" })["allow-net"]).toBe("10.0.0.0/8");
  expect(denoGrants(["serve", "profile"], { HEDDLE_DENO_NET: "10.0.0.0/8,nats:4222" })["allow-net"]).toBe("10.0.0.0/8,nats:4222");
  // Pods and nodes are called by addresses that are not known beforehand
  expect(denoGrants(["serve", "profile"], all)["allow-net"]).toBe("");
});

test("heddle-deno.sh: of the environment Heddle sees its own variables, and nothing is granted that has no name here", () => {
  const grants = denoGrants(["start"], { HEDDLE_HTTP_PORT: "80", OTEL_SERVICE_NAME: "x", OTHER: "secret" });
  expect(grants["allow-env"]?.split(",").toSorted()).toEqual(["HEDDLE_DATA_DIR", "HEDDLE_HTTP_PORT", "OTEL_SERVICE_NAME"]);
  const names = [
    "no-prompt",
    "no-config",
    "node-modules-dir",
    "allow-read",
    "allow-write",
    "allow-net",
    "allow-sys",
    "ignore-env",
    "allow-env",
  ];
  expect(Object.keys(grants)).toEqual(names);
});

test("Node takes the room for young objects from its options", () => {
  expect(heapMibWith(meshNodeOptions)).toBe(oldSpaceMib + 3 * meshSemiSpaceMib);
});

test("compose.yaml: the servers of the local overlay, with the same promises", () => {
  const servers = Object.entries<{ image: string }>(compose.services).filter(([, { image }]) => image !== "heddle");
  expect(servers.map(([name]) => name)).toEqual(["nats", "redis", "cassandra"]);
  for (const [name, { image }] of servers) {
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
  for (const name of ["cassandra", "nats"]) {
    expect(JSON.stringify(compose.services[name].entrypoint), name).toContain(timerSlackScript);
    expect(text(`deploy/overlays/local/${name}.yaml`), name).toContain(timerSlackScript);
  }
});

test("Dockerfile: the health check says what /readyz says, or what is asked at another port and path", { timeout: 30_000 }, async () => {
  let status = 200;
  const server = createServer((request, response) => void response.writeHead(request.url === "/readyz" ? status : 404).end("no"));
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  async function checked(to: number, args: readonly string[] = []): Promise<number | null> {
    const options = { env: { PATH: env.PATH, HEDDLE_HTTP_PORT: String(to) }, stdio: "ignore" } as const;
    const child = spawn("bash", [join(repository, "deploy/images/healthy.sh"), ...args], options);
    return await new Promise((ended) => child.once("close", ended));
  }
  expect(await checked(port)).toBe(0);
  expect(await checked(1, [String(port), "/readyz"])).toBe(0);
  expect(await checked(port, [String(port), "/livez"])).toBe(1);
  status = 503;
  expect(await checked(port)).toBe(1);
  expect(await checked(1)).toBe(1);
});

test("compose.yaml: every part of the cluster, with its command and settings, behind the migration, unable to write and without rights", () => {
  const { services } = compose as { services: Record<string, ComposeService> };
  const parts = ["profile", "subscription", "messaging-status", "scim", "content", "gateway"];
  expect(Object.keys(services)).toEqual(expect.arrayContaining([...parts, "migrate"]));
  for (const name of parts) {
    const [, args = ""] = /args: \[(serve, [\w-]+)\]/.exec(text(`deploy/base/${name}.yaml`)) ?? [];
    expect(services[name]?.command.join(", ")).toBe(args);
    expect(services[name]?.depends_on).toMatchObject({ migrate: { condition: "service_completed_successfully" } });
  }
  for (const name of [...parts, "migrate"]) {
    expect(services[name]).toMatchObject({ image: "heddle", pull_policy: "never", read_only: true, tmpfs: ["/tmp"], cap_drop: ["ALL"] });
    expect(services[name]?.env_file).toEqual(["base/settings.env", "overlays/local/servers.env"]);
    expect(services[name]?.environment["HEDDLE_RPC_INSECURE"]).toBe("private-network");
  }
  for (const { ports = [] } of Object.values(services)) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});

await describeWithTools(["compose"], "compose.yaml", () => {
  test("Docker Compose's own reader takes it, and refuses a field that there is not", async () => {
    const reader = await provisionTool("compose");
    function read(file: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
      return spawnSync(reader, ["-format", "json", file], { cwd: join(repository, "deploy"), encoding: "utf8" });
    }
    const taken = read("compose.yaml");
    expect(taken.stderr).toBe("");
    const { services, configs } = JSON.parse(taken.stdout) as { services: Record<string, ReadService>; configs: object };
    expect(Object.keys(services).sort()).toEqual(Object.keys(compose.services).sort());
    for (const [name, { depends_on = {}, env_file = [], configs: used = [] }] of Object.entries(services)) {
      expect(Object.keys(services), name).toEqual(expect.arrayContaining(Object.keys(depends_on)));
      expect(Object.keys(configs), name).toEqual(expect.arrayContaining(used.map(({ source }) => source)));
      expect(env_file.filter(({ path }) => !existsSync(path)), name).toEqual([]);
    }
    const folder = mkdtempSync(join(tmpdir(), "heddle-compose-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "compose.yaml"), text("deploy/compose.yaml").replace("read_only: true", "readonly: true"));
    const { status, stderr } = read(join(folder, "compose.yaml"));
    expect([status, stderr]).toEqual([1, expect.stringMatching(/readonly/)]);
  });
});

interface ReadService {
  readonly depends_on?: object;
  readonly env_file?: readonly { readonly path: string }[];
  readonly configs?: readonly { readonly source: string }[];
}

interface ComposeService {
  readonly command: readonly string[];
  readonly env_file: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly depends_on: object;
  readonly ports?: readonly string[];
}

/** The stages of a Dockerfile by their names, each up to the next one's head and comment. */
function stagesOf(text: string): ReadonlyMap<string, { readonly from: string; readonly text: string }> {
  return new Map(
    text.split(/^(?:#.*\n)*(?=FROM )/m).slice(1).map((stage) => {
      const [, from = "", name = ""] = /^FROM (\S+) AS (\S+)$/m.exec(stage) ?? [];
      return [name, { from, text: stage }];
    }),
  );
}

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

/** The options that the script of the Deno image gives Deno, by name: a stand-in prints them. */
function denoGrants(args: readonly string[], given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-image-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "deno"), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
  const printed = execFileSync("sh", [join(repository, "deploy/images/heddle-deno.sh"), ...args], {
    encoding: "utf8",
    env: { PATH: `${folder}${delimiter}${env.PATH}`, HEDDLE_DATA_DIR: "/data", ...given },
  });
  const [run, ...words] = printed.trimEnd().split("\n");
  expect([run, ...words.slice(words.indexOf("/app/cli/heddle.mjs"))]).toEqual(["run", "/app/cli/heddle.mjs", ...args]);
  const options = words.slice(0, words.indexOf("/app/cli/heddle.mjs")).map((word) => /^--([a-z-]+)=?(.*)$/.exec(word) ?? []);
  return Object.fromEntries(options.map(([, name = "", value = ""]) => [name, value]));
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
