/** The packages as people get them: built twice alike, installed in an empty folder, the README's first steps and the client on each runtime. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { demoKey, startHeddle } from "../heddle.ts";
import { launchHeddle } from "../heddle-process.ts";
import { fresh } from "../suite.ts";
import { bun, oldestNode, workerd } from "./runtimes.ts";

const repository = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "heddle-installed-"));
const installed = join(folder, "node_modules");
/** Not the one of the repository, where a release may be under way. */
const dist = join(folder, "dist");
const longMs = 240_000;

beforeAll(() => {
  run(execPath, ["tools/package/make.ts", "--check", `--into=${dist}`], { cwd: repository });
  const tarballs = readdirSync(dist).filter((name) => name.endsWith(".tgz")).map((name) => join(dist, name));
  expect(tarballs).toHaveLength(2);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  // From the files alone: nothing is asked of a registry
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", `--cache=${join(folder, ".npm")}`, ...tarballs]);
  // The README's sample files stand beside the reader in a clone
  cpSync(join(installed, "heddle/examples"), join(folder, "examples"), { recursive: true });
}, longMs);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the installed tree is whole, and nothing in it runs a script", () => {
  const { problems = [] } = JSON.parse(run("npm", ["ls", "--all", "--json"])) as { problems?: string[] };
  expect(problems).toEqual([]);
  const lock = JSON.parse(readFileSync(join(installed, ".package-lock.json"), "utf8")) as { packages: Record<string, object> };
  expect(Object.entries(lock.packages).flatMap(([path, entry]) => "hasInstallScript" in entry ? [path] : [])).toEqual([]);
  for (const name of ["heddle", "@heddle/client"]) {
    const manifest = JSON.parse(readFileSync(join(installed, name, "package.json"), "utf8")) as object;
    expect(Object.keys(manifest)).not.toContain("scripts");
    expect(Object.keys(manifest)).not.toContain("devDependencies");
  }
});

test("what the package stands on comes with it, at the versions that the tests ran with", () => {
  const { packages: tested } = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")) as Lock;
  const { packages: found } = JSON.parse(readFileSync(join(installed, ".package-lock.json"), "utf8")) as Lock;
  const others = Object.entries(found).filter(([path]) => !/^node_modules\/(heddle|@heddle\/client)$/.test(path));
  expect(others.length).toBeGreaterThan(40);
  const differing = others.filter(([path, { version, inBundle }]) => {
    return !inBundle || tested[path.replace(/^node_modules\/heddle\//, "")]?.version !== version;
  });
  expect(differing).toEqual([]);
});

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly inBundle?: boolean }>>;
}

test("a project of one's own compiles against the command, the contract and the client, with all declarations checked", () => {
  writeFileSync(
    join(folder, "own.ts"),
    `import { run } from "heddle";
import { ProfileService } from "heddle/proto/heddle/profile/v1/profile_service_pb.js";
import { Heddle } from "@heddle/client";
export const code: Promise<number> = run(["help"]);
export const name: string = ProfileService.typeName;
const heddle = new Heddle({ key: "a-key" });
export const revenue: Promise<number | undefined> = heddle.exportUsers({ external_ids: ["ann"] }).then(({ users }) => users[0]?.total_revenue);
`,
  );
  const options = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--lib",
    "es2023,dom,dom.iterable,esnext.disposable",
  ];
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(execPath, [tsc, ...options, "own.ts"], { cwd: folder, encoding: "utf8" });
  expect(stdout).toBe("");
});

test("a Node that is too old is told what to install", () => {
  const text = readFileSync(join(installed, "heddle/cli/heddle.mjs"), "utf8");
  const script = join(installed, "heddle/cli/old.mjs");
  writeFileSync(script, text.replace("process.versions.node.split", '"24.6.0".split'));
  onTestFinished(() => rmSync(script));
  const { status, stderr } = spawnSync(execPath, [script, "start"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Heddle needs Node 22\.20 or a later 22, .*: install another/)]);
});

const deno = join(repository, "node_modules/.bin");
const runtimes = [
  { name: "the oldest Node", path: oldestNode, program: "heddle" },
  { name: "the Node of the tests", path: async () => dirname(execPath), program: "heddle" },
  { name: "Deno", path: async () => [deno, dirname(execPath)].join(delimiter), program: "heddle-deno" },
];

for (const { name, path, program } of runtimes) {
  test(`${program} start, then the README's first steps, on ${name}`, { timeout: longMs }, async () => {
    const dataDir = join(folder, "data");
    const place = { PATH: `${await path()}${delimiter}${env["PATH"]}`, HEDDLE_DATA_DIR: dataDir, HEDDLE_HTTP_PORT: "8191" };
    // What npx runs: npx itself passes no signals on
    const server = await launchHeddle({ program: join(installed, ".bin", program), args: ["start"], folder, env: place });
    onTestFinished(async () => {
      server.kill("SIGTERM");
      await server.ended;
      rmSync(dataDir, { recursive: true });
    });
    expect(server.output()).not.toMatch(/Warning/);
    const made = run("npx", ["heddle", "keys", "create", "--name", "steps", "--permissions", "*", "--json"], { env: place });
    const { secret } = JSON.parse(made) as { secret: string };
    // A server that runs learns of it within a second
    await expect.poll(async () => (await fetch(`${server.url}/email/hard_bounces`, withKey(secret))).status).not.toBe(401);
    const printed = run("sh", ["-ec", firstSteps({ KEY: secret, URL: server.url })], { env: { ...place, CURL_HOME: folder } });
    expect(printed).toContain('"first_name":"Ann"');
    expect(printed).toMatch(/"total_revenue":11\.77/);
    expect(printed).toMatch(/"preference_center_url":"http/);
    for (const asset of ["docs", "openapi.json", "console", ...assetsOf(await (await fetch(`${server.url}/docs`)).text())]) {
      expect([asset, (await fetch(new URL(asset, `${server.url}/docs`))).status]).toEqual([asset, 200]);
    }
  });
}

test(
  "the client on Node, Deno and Bun and in a worker: calls, a refusal, an abort, and a queue that loses nothing",
  { timeout: longMs },
  async () => {
    const server = await startHeddle();
    onTestFinished(async () => void await server.close());
    copyFileSync(join(import.meta.dirname, "client-trial.mjs"), join(folder, "client-trial.mjs"));
    writeFileSync(
      join(folder, "call.mjs"),
      `import * as client from "@heddle/client";
import { tryClient } from "./client-trial.mjs";
const [url, key, id] = process.argv.slice(2);
console.log(JSON.stringify(await tryClient(client, { url, key, id })));
`,
    );
    const denoArgs = ["run", "--quiet", "--node-modules-dir=manual", "--allow-net", "--allow-read"];
    for (const [program, ...args] of [[execPath], [join(deno, "deno"), ...denoArgs], [await bun()]] as [string, ...string[]][]) {
      // The server is a process of its own, so this one may wait
      expect([program, JSON.parse(run(program, [...args, "call.mjs", server.url, demoKey, fresh()]))]).toEqual([program, clientTried]);
    }
    const url = await servedAsWorker({ url: server.url, key: demoKey, id: fresh() });
    await expect.poll(async () => await fetch(url).then((answer) => answer.json(), () => undefined)).toEqual(clientTried);
  },
);

const clientTried = { processed: 1, refused: [true, 400, "NOTHING_VALID"], aborted: "enough", lost: [], name: "Ann", opened: 200 };

/** The address at which a worker, which has fetch and nothing of Node, tries the client and says how it went. */
async function servedAsWorker(place: object): Promise<string> {
  const port = await freePort();
  writeFileSync(
    join(folder, "worker.js"),
    `import * as client from "./node_modules/@heddle/client/index.js";
import { tryClient } from "./client-trial.mjs";
export default { fetch: async () => Response.json(await tryClient(client, ${JSON.stringify(place)})) };
`,
  );
  const client = readdirSync(join(installed, "@heddle/client"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".js")
  );
  const modules = ["worker.js", "client-trial.mjs", ...client.map((file) => `node_modules/@heddle/client/${file}`)];
  const embedded = modules.map((file) => `(name = "${file}", esModule = embed "${file}")`).join(", ");
  writeFileSync(
    join(folder, "worker.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (compatibilityDate = "2026-01-01", modules = [${embedded}])),
    (name = "internet", network = (allow = ["local", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]);
`,
  );
  const worker = spawn(await workerd(), ["serve", "worker.capnp"], { cwd: folder, stdio: "inherit" });
  onTestFinished(() => void worker.kill());
  return `http://127.0.0.1:${port}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/** The commands of the README's first steps, with its settings replaced. A call that is refused ends them. */
function firstSteps(settings: Readonly<Record<string, string>>): string {
  writeFileSync(join(folder, ".curlrc"), "fail-with-body\nsilent\nshow-error\n");
  const [, section = ""] = /^## First steps$([\s\S]*?)^## /m.exec(readFileSync(join(installed, "heddle/README.md"), "utf8")) ?? [];
  const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  expect(blocks.length).toBeGreaterThan(2);
  const text = blocks.join("\necho\n");
  return Object.entries(settings).reduce((whole, [name, value]) => {
    expect(whole).toMatch(new RegExp(`^${name}=`, "m"));
    return whole.replace(new RegExp(`^${name}=.*$`, "m"), `${name}=${value}`);
  }, text);
}

function withKey(key: string): RequestInit {
  return { headers: { authorization: `Bearer ${key}` } };
}

function assetsOf(page: string): string[] {
  const assets = [...page.matchAll(/(?:src|href)="([^"#:]+\.(?:js|css|png|svg))"/g)].map(([, asset = ""]) => asset);
  expect(assets.length).toBeGreaterThan(0);
  return assets;
}

function run(program: string, args: readonly string[], options: { cwd?: string; env?: Readonly<Record<string, string>> } = {}): string {
  return execFileSync(program, args, {
    cwd: options.cwd ?? folder,
    encoding: "utf8",
    env: { ...env, ...options.env },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: longMs,
  });
}
