/** The heddle command as a process: exit codes, sentences, first start, and commands beside a running server. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { outcomeOf } from "../test/command-line.ts";

const command = resolve(import.meta.dirname, "heddle.mjs");
let folder = "";
let dataDir = "";
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-cli-"));
  dataDir = join(folder, "data");
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((done) => child.once("close", done));
    child.kill("SIGKILL");
    await ended;
  }
  rmSync(folder, { recursive: true });
});

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; out: string; err: string }>;
  /** Resolves when standard output matches. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

function heddle(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  return running([process.execPath, command, ...args], env);
}

function running([program = "", ...args]: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], NO_COLOR: "1", HEDDLE_DATA_DIR: dataDir, HEDDLE_HTTP_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let out = "";
  let err = "";
  child.stderr?.on("data", (chunk) => err += String(chunk));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((done) => {
    child.once("close", (code) => done({ code, out, err }));
  });
  const waiting = new Set<() => void>();
  child.stdout?.on("data", (chunk) => {
    out += String(chunk);
    for (const look of waiting) look();
  });
  return {
    child,
    ended,
    said: (pattern) =>
      new Promise((found, failed) => {
        function look(): void {
          const match = pattern.exec(out);
          if (match) found(match);
        }
        waiting.add(look);
        look();
        void ended.then((end) => failed(new Error(`It ended with ${end.code}: ${end.out}${end.err}`)));
      }),
  };
}

async function started(args: readonly string[] = []): Promise<Running & { url: string }> {
  const server = heddle(["start", ...args]);
  const [, url = ""] = await server.said(/^Heddle is listening on (http:\/\/\S+)$/m);
  return { ...server, url };
}

/** As a person starts it; `folder/pid` holds its process id. */
function startInTerminal(env: Readonly<Record<string, string>> = {}): Running {
  const words = [process.execPath, command, "start"].map((word) => `'${word}'`).join(" ");
  return running(["script", "-qefc", `echo $$ > '${join(folder, "pid")}'; exec ${words}`, "/dev/null"], env);
}

async function startedInTerminal(): Promise<Running & { url: string }> {
  const server = startInTerminal();
  const [, url = ""] = await server.said(/^Heddle is listening on (http:\/\/[^\s]+)/m);
  return { ...server, url };
}

function track(url: string, key: string): Promise<Response> {
  return fetch(`${url}/users/track`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ attributes: [{ external_id: "u" }] }),
  });
}

function declaration(text: string): string {
  const path = join(folder, "heddle.yaml");
  writeFileSync(path, text);
  return path;
}

const acme =
  `companies: [{ name: acme, workspaces: [{ name: demo, apiKeys: [{ name: all, permissions: ["*"], secret: a-key-clients-already-have }] }] }]`;

test("heddle start in a terminal makes a demo, shows its key that once, and its curl works when pasted", async () => {
  const first = await startedInTerminal();
  const [, key = ""] = await first.said(/Its API key, which is shown this once:\r?\n {2}(hdl_[0-9A-Za-z]{36})\r?\n/);
  await first.said(/Read the user back:\r?\n[^\n]+\n/);
  const [pasted] = await first.said(/curl -s \S+\/users\/track [\s\S]+?\n {2}\}'/);
  const shell = spawn("sh", ["-c", pasted.replaceAll("\r", "")], { stdio: ["ignore", "pipe", "inherit"] });
  const answer: unknown = JSON.parse(await new Response(shell.stdout as unknown as ReadableStream).text());
  expect(answer).toEqual({ attributes_processed: 1, events_processed: 1, purchases_processed: 1, message: "success" });
  // Nothing but the terminal has it
  for (const file of readdirSync(dataDir)) expect(readFileSync(join(dataDir, file), "latin1")).not.toContain(key);
  process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGTERM");
  await first.ended;
  const second = await startedInTerminal();
  expect((await track(second.url, key)).status).toBe(201);
  process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGTERM");
  expect((await second.ended).out).not.toMatch(/hdl_|demo workspace/);
});

test("the key of the demo is shown where the first start cannot listen, and works when the next one does", async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  const { port } = other.address() as { port: number };
  const first = await startInTerminal({ HEDDLE_HTTP_PORT: String(port) }).ended;
  await new Promise((done) => other.close(done));
  expect(first.out).toContain(`Port ${port} of 127.0.0.1 is in use`);
  const second = await startedInTerminal();
  const [key = ""] = /hdl_[0-9A-Za-z]{36}/.exec(first.out) ?? [];
  expect((await track(second.url, key)).status).toBe(201);
});

test("heddle start makes a demo without a key where no terminal would show it, and says how to make one", async () => {
  const server = await started();
  const [, command = ""] = await server.said(/Make one, which is shown once:\n {2}heddle (.+)\n/);
  const made = await heddle(command.replaceAll("'", "").split(" ")).ended;
  const [key = ""] = /hdl_\w{36}/.exec(made.out) ?? [];
  await until(async () => (await track(server.url, key)).status === 201);
  server.child.kill("SIGTERM");
  expect((await server.ended).out).not.toContain("hdl_");
});

test("heddle start --apply declares before it listens and makes no demo", async () => {
  const server = await started(["--apply", declaration(acme)]);
  expect((await track(server.url, "a-key-clients-already-have")).status).toBe(201);
  server.child.kill("SIGTERM");
  const { code, out } = await server.ended;
  expect(code).toBe(0);
  expect(out).not.toContain("demo workspace is ready");
});

test("heddle start --no-demo makes none", async () => {
  const server = await started(["--no-demo"]);
  server.child.kill("SIGTERM");
  const { out } = await server.ended;
  expect(out).toMatch(/^Heddle is listening on \S+\n$/);
});

test("files of the data folder are their owner's alone, also where folder and files were open to all before", async () => {
  mkdirSync(dataDir, { mode: 0o755 });
  chmodSync(dataDir, 0o755);
  const files = ["heddle.db", "heddle.db-wal", "heddle.db-shm", "heddle.lock"].map((name) => join(dataDir, name));
  const modes = () => files.filter((file) => existsSync(file)).map((file) => statSync(file).mode & 0o777);
  const first = await started(["--no-demo"]);
  expect(modes()).toEqual([0o600, 0o600, 0o600, 0o600]);
  // As a process that was killed leaves them, and as an earlier version made them
  first.child.kill("SIGKILL");
  await first.ended;
  for (const file of files) chmodSync(file, 0o644);
  const looked = await heddle(["doctor"]).ended;
  expect(looked.out).toMatch(/^files +fail +others may read or write \S+heddle\.db, \S+heddle\.db-wal, \S+heddle\.db-shm: run chmod 600/m);
  expect(looked.code).toBe(1);
  const second = await started(["--no-demo"]);
  expect(modes()).toEqual([0o600, 0o600, 0o600, 0o600]);
  expect((await heddle(["doctor"]).ended).out).toMatch(/^files +ok +for their owner alone$/m);
  second.child.kill("SIGTERM");
  expect((await second.ended).code).toBe(0);
});

test("heddle keys works beside a running server, which takes a new key at once and refuses a revoked one within a second", async () => {
  const server = await started(["--apply", declaration(acme)]);
  const made = await heddle(["keys", "create", "--name", "web", "--permissions", "users.track,users.export.ids", "--json"]).ended;
  expect(made.code).toBe(0);
  const { id, secret } = JSON.parse(made.out) as { id: string; secret: string };
  expect((await track(server.url, secret)).status).toBe(201);
  const listed = await heddle(["keys", "list"]).ended;
  expect(listed.out).toMatch(new RegExp(`^${id}  acme/demo +web +users\\.track,users\\.export\\.ids`, "m"));
  expect(listed.out).not.toContain(secret);
  const rotated = await heddle(["keys", "rotate", id, "--overlap-hours", "1", "--json"]).ended;
  const next = JSON.parse(rotated.out) as { secret: string };
  expect((await heddle(["keys", "revoke", id]).ended).code).toBe(0);
  await until(async () => (await track(server.url, secret)).status === 401);
  expect((await track(server.url, next.secret)).status).toBe(201);
});

test("heddle apply and export work on the folder of a running server, and an export shows on a terminal how far it is", async () => {
  const server = await started(["--no-demo"]);
  const applied = await heddle(["apply", "-f", declaration(acme)]).ended;
  expect(applied).toMatchObject({ code: 0 });
  expect((await heddle(["apply", "-f", declaration(acme)]).ended).out).toBe("3 unchanged\n");
  await until(async () => (await track(server.url, "a-key-clients-already-have")).status === 201);
  await until(async () => (await heddle(["export"]).ended).out.includes(`"external_id":"u"`));
  writeFileSync(join(folder, "ids.txt"), "u\nnobody\n");
  const named = await heddle([
    "export",
    "--ids",
    join(folder, "ids.txt"),
    "--url",
    server.url,
    "--key",
    "a-key-clients-already-have",
    "-o",
    join(folder, "o"),
  ]).ended;
  expect(named).toMatchObject({ code: 0 });
  expect(
    readFileSync(join(folder, "o"), "utf8").trim().split("\n").map((line) => (JSON.parse(line) as { external_id: string }).external_id),
  ).toEqual(["u"]);
  expect(named.err).toContain("nobody");
  const words = [process.execPath, command, "export", "-o", join(folder, "shown")].join(" ");
  const terminal = spawn("script", ["-qefc", words, "/dev/null"], { env: { ...process.env, HEDDLE_DATA_DIR: dataDir } });
  const { code, output } = await outcomeOf(terminal);
  expect(output.replaceAll("\r\u001b[K", "|").replaceAll(/\d+ users?/g, "n")).toMatch(/^(?:\|Exporting: n)+\|Exported n\r\n$/);
  expect(code).toBe(0);
});

test("heddle start goes on without the reader of its log, and still stops when told", async () => {
  const server = heddle(["start"]);
  await server.said(/listening on/);
  server.child.stderr?.destroy();
  server.child.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

test("deno task start runs Heddle", async () => {
  const root = resolve(import.meta.dirname, "..");
  const child = spawn(join(root, "node_modules/.bin/deno"), ["task", "start", "--help"], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let out = "";
  child.stdout.on("data", (chunk) => out += String(chunk));
  const code = await new Promise((done) => child.once("close", done));
  expect([code, out]).toEqual([0, expect.stringContaining("Usage: heddle start")]);
});

test("heddle start says that another server has the folder", async () => {
  await started(["--no-demo"]);
  const second = await heddle(["start"], { HEDDLE_LOG_LEVEL: "silent" }).ended;
  expect(second.code).toBe(1);
  expect(second.err).toMatch(/^Another Heddle uses the data folder .*\n$/);
});

test.each<[string, () => { args: string[]; env?: Record<string, string> }, number, RegExp]>([
  [
    "a folder that is a file",
    () => ({ args: ["start"], env: { HEDDLE_DATA_DIR: declaration(acme) } }),
    1,
    /^Cannot use the data folder .*set HEDDLE_DATA_DIR\n$/,
  ],
  [
    "settings, all at once",
    () => ({ args: ["start"], env: { HEDDLE_HTTP_PORT: "http", HEDDLE_LOG_LEVEL: "loud" } }),
    1,
    /HEDDLE_HTTP_PORT: expected .*\n.*HEDDLE_LOG_LEVEL: expected one of/,
  ],
  [
    "a misspelt declaration",
    () => ({ args: ["start", "--apply", declaration("companies:\n  - nam: acme\n")] }),
    1,
    /heddle\.yaml: line 2: unknown field "nam".*did you mean "name"/,
  ],
  [
    "a declaration that is not there",
    () => ({ args: ["apply", "-f", "none.yaml"] }),
    1,
    /^Cannot read the declaration "none.yaml": ENOENT/,
  ],
  ["an unknown command", () => ({ args: ["begin"] }), 2, /unknown command 'begin'/],
  ["an unknown option", () => ({ args: ["start", "--prot", "1"] }), 2, /unknown option '--prot'/],
  ["a missing option", () => ({ args: ["apply"] }), 2, /required option '-f, --file <file>'/],
  [
    "a wrong permission",
    () => ({ args: ["keys", "create", "--name", "k", "--permissions", "user.track"] }),
    2,
    /did you mean "users.track"/,
  ],
  ["a number that is none", () => ({ args: ["import", "f", "--concurrency", "many"] }), 2, /whole number from 1 to 32/],
  ["no data folder", () => ({ args: ["keys", "list"] }), 1, /^There is no Heddle in the folder/],
  ["an unknown key", () => ({ args: ["keys", "revoke", "key_none"] }), 1, /^There is no Heddle in the folder/],
  ["a file that is not there", () => ({ args: ["import", "none.ndjson", "--key", "k"] }), 1, /^Cannot read "none.ndjson"/],
  ["an import without a key", () => ({ args: ["import", "f"] }), 2, /^Give an API key/],
  ["an export of all over HTTP", () => ({ args: ["export", "--url", "http://127.0.0.1:1"] }), 2, /--ids/],
])("heddle tells %s in a sentence", async (_, call, code, expected) => {
  const { args, env } = call();
  const ended = await heddle(args, env).ended;
  expect(ended.err).toMatch(expected);
  expect(ended.code).toBe(code);
  expect(ended.err).not.toMatch(/\n {4}at /);
});

test("heddle doctor fails with every problem of the configuration", async () => {
  const { code, out } = await heddle(["doctor"], { HEDDLE_HTTP_PORT: "70000", HEDDLE_LOG_LEVEL: "loud" }).ended;
  expect(code).toBe(1);
  expect(out).toMatch(/configuration +fail +HEDDLE_HTTP_PORT: .*; HEDDLE_LOG_LEVEL: /);
  expect(existsSync(dataDir)).toBe(false);
});

test.each(["--help", "start --help", "import --help", "keys create --help", "--version"])("heddle %s answers with 0", async (args) => {
  expect((await heddle(args.split(" ")).ended).code).toBe(0);
});

test("heddle start --help names every setting of README's table", async () => {
  const rows = readFileSync(new URL("../README.md", import.meta.url), "utf8").match(/^\| `(HEDDLE|OTEL)_.*$/gm) ?? [];
  const names = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(names).toContain("OTEL_EXPORTER_OTLP_ENDPOINT");
  const { out } = await heddle(["start", "--help"]).ended;
  expect(names.filter((name) => name && !out.includes(name))).toEqual([]);
});

/** Asks again until it is so. That a revocation takes less than a second is shown by a clock that a test moves. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await holds())) expect(performance.now() - began).toBeLessThan(5000);
}

test("a command for the mesh goes on until it knows that the service cannot be reached, and says so", async () => {
  const { code, err } = await heddle(["log", "status"], { HEDDLE_PROFILE_URL: "http://127.0.0.1:1" }).ended;
  expect(err).toMatch(/cannot be reached/);
  expect(code).toBe(1);
});
