/** heddle doctor beside a server: it asks the one that has the folder. */
import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { examineRuntime } from "./doctor.ts";
import { outcomeOf, runCommand } from "../../test/command-line.ts";
import { type HeddleProcess, launchHeddle } from "../../test/heddle-process.ts";

let folder = "";
let server: HeddleProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-doctor-"));
});

afterEach(async () => {
  server?.kill("SIGKILL");
  await server?.ended;
  server = undefined;
  rmSync(folder, { recursive: true });
});

async function start(): Promise<HeddleProcess> {
  const args = [resolve(import.meta.dirname, "../heddle.mjs"), "start", "--no-demo"];
  server = await launchHeddle({ program: process.execPath, args, folder, env: { HEDDLE_DATA_DIR: folder, HEDDLE_HTTP_PORT: "0" } });
  return server;
}

async function doctor(port: number): Promise<{ code: number | null; found(check: string): object }> {
  const variables = { HEDDLE_DATA_DIR: folder, HEDDLE_HTTP_PORT: String(port) };
  const { code, output } = await runCommand(["doctor", "--json"], variables);
  const findings = JSON.parse(output) as { check: string }[];
  return { code, found: (check) => findings.find((finding) => finding.check === check) ?? {} };
}

test("the server that runs is named with its process, its address and whether it is ready", async () => {
  const { url, pid } = await start();
  const { code, found } = await doctor(0);
  expect(code).toBe(0);
  const text = expect.stringMatching(
    `^process ${pid} runs on the data folder since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z, at ${url}: ready$`,
  ) as string;
  expect(found("server")).toEqual({ check: "server", level: "ok", text });
  expect(found("port")).toEqual({ check: "port", level: "ok", text: `the server that runs listens on ${url}` });
});

test.each([
  ["access", ["keys", "list"]],
  ["profile", ["export"]],
])("a command of a newer build leaves the %s tables of the server that runs alone, and says what to do", async (name, command) => {
  await start();
  const declaration = join(folder, "heddle.yaml");
  writeFileSync(declaration, "companies: [{ name: acme, workspaces: [{ name: shop }] }]");
  expect(await runCommand(["apply", "-f", declaration], { HEDDLE_DATA_DIR: folder })).toMatchObject({ code: 0 });
  const database = new DatabaseSync(join(folder, "heddle.db"), { timeout: 5_000 });
  const version = () => database.prepare("SELECT version FROM schema_versions WHERE name = ?").get(name)?.["version"];
  database.prepare("UPDATE schema_versions SET version = version - 1 WHERE name = ?").run(name);
  const before = version();
  const { code, errors } = await runCommand(command, { HEDDLE_DATA_DIR: folder });
  expect([code, version()]).toEqual([1, before]);
  expect(errors).toContain("The server that runs has older tables");
  database.close();
});

test("what has the port that is set is no server of this folder; a server that was killed is none", async () => {
  const stranger = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => stranger.once("listening", listening));
  const { port } = stranger.address() as { port: number };
  try {
    const before = await doctor(port);
    expect(before.code).toBe(1);
    expect(before.found("port")).toMatchObject({ level: "fail" });
    const { url, kill, ended } = await start();
    const beside = await doctor(port);
    expect(beside.code).toBe(0);
    expect(beside.found("server")).toMatchObject({ level: "ok", text: expect.stringMatching(`at ${url}: ready$`) as string });
    const text = `HEDDLE_HTTP_PORT is ${port} here, and the server that runs listens on ${url}`;
    expect(beside.found("port")).toEqual({ check: "port", level: "warn", text });
    kill("SIGKILL");
    await ended;
    expect((await doctor(0)).found("server")).toMatchObject({ text: "none runs on the data folder" });
  } finally {
    stranger.close();
  }
});

test("the size of the database counts what is in its write-ahead log alone", async () => {
  const database = new DatabaseSync(join(folder, "heddle.db"));
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
    CREATE TABLE t (body BLOB); INSERT INTO t VALUES (zeroblob(2 * 1024 * 1024))
  `);
  const { found } = await doctor(0);
  expect(found("database")).toMatchObject({ level: "ok", text: "sound, 2.0 MiB" });
  database.close();
});

test("a folder that Deno may not look at is not said to be one that cannot be written", { timeout: 60_000 }, async () => {
  const repository = resolve(import.meta.dirname, "../..");
  const rights = [`--allow-read=${repository},${realpathSync(join(repository, "node_modules"))},${folder}`, `--allow-write=${folder}`];
  const options = ["run", "--no-prompt", "--node-modules-dir=manual", ...rights, "--allow-sys=hostname", "--allow-env", "--allow-net"];
  const child = spawn("deno", [...options, join(repository, "cli/heddle.mjs"), "doctor", "--json"], {
    env: { PATH: process.env["PATH"], HEDDLE_DATA_DIR: folder, HEDDLE_HTTP_PORT: "0" },
  });
  const { output } = await outcomeOf(child);
  const text = expect.stringMatching(/^could not be checked: .*"uid"/) as string;
  expect(JSON.parse(output)).toContainEqual({ check: "data folder", level: "fail", text });
});

test.each([["1.46.3", "fail"], ["2.8.9", "fail"], ["2.9.0", "ok"], ["2.10.1", "ok"], ["3.0.0", "ok"]])("Deno %s: %s", (deno, level) => {
  vi.stubGlobal("process", Object.create(process, { versions: { value: { ...process.versions, deno } } }));
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(examineRuntime()).toMatchObject({ check: "runtime", level });
});
