/** What cli/deno.mjs grants a command on Deno: a stand-in prints the options that it is started with. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { commandTree } from "./main.ts";

const project = realpathSync(mkdtempSync(join(tmpdir(), "heddle-deno-")));
const program = join(project, "cli/deno.mjs");
const deno = join(project, "node_modules/.bin/deno");

for (const folder of ["cli", "node_modules/.bin", "kept", "data"]) mkdirSync(join(project, folder), { recursive: true });
cpSync(resolve(import.meta.dirname, "deno.mjs"), program);
afterAll(() => rmSync(project, { recursive: true }));

beforeEach(() => standIn('#!/bin/sh\nprintf "%s\\n" "$@"\n'));

function standIn(script: string): void {
  writeFileSync(deno, script);
  chmodSync(deno, 0o755);
}

function started(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  return spawnSync(execPath, [program, ...args], { cwd: project, encoding: "utf8", env: { PATH: env["PATH"], ...variables } });
}

/** The lists of what is granted, by name; paths below the project without it. */
function grantsOf(args: readonly string[], variables?: Readonly<Record<string, string>>): Record<string, string[]> {
  const { stdout, stderr } = started(args, variables);
  expect(stderr).toBe("");
  const words = stdout.split("\n").slice(0, stdout.split("\n").indexOf(join(project, "cli/heddle.mjs")));
  const options = words.flatMap((word) => {
    const [, name = "", list = ""] = /^--allow-([a-z]+)=(.*)$/.exec(word) ?? [];
    return name === ""
      ? []
      : [[name, list.split(",").map((entry) => entry.replace(`${project}/`, "./")).filter((entry) => entry !== "./")]];
  });
  return Object.fromEntries(options) as Record<string, string[]>;
}

describe("files", () => {
  test.each<{ args: string[]; reads?: string[]; writes?: string[] }>([
    { args: ["keys", "list"] },
    { args: ["start", "--apply", "all.yaml"], reads: ["./all.yaml"] },
    { args: ["apply", "-f", "all.yaml"], reads: ["./all.yaml"] },
    { args: ["apply", "-f", "-"] },
    { args: ["backup", "kept"], writes: ["./kept"] },
    { args: ["backup", "kept/", "--keep", "7"], writes: ["./kept"] },
    { args: ["backup", "--keep", "7", "kept/a.db"], writes: ["./kept"] },
    { args: ["restore", "kept/a.db"], reads: ["./kept"] },
    {
      args: ["import", "--type", "purchase", "kept/a.csv", "--map", "map.yaml", "--map", "price=cost"],
      reads: ["./map.yaml"],
      writes: ["./kept"],
    },
    { args: ["import", "kept/a.csv", "--map=map.yaml", "--key-file", "key.txt"], reads: ["./key.txt", "./map.yaml"], writes: ["./kept"] },
    { args: ["export", "--ids", "ids.txt", "-o", "kept/a.ndjson"], reads: ["./ids.txt"], writes: ["./kept"] },
  ])("$args", ({ args, reads = [], writes = [] }) => {
    const { read, write } = grantsOf(args);
    expect(write).toEqual(["./data", ...writes]);
    expect(read).toEqual(["./data", ...writes, ...reads]);
  });

  test("certificates are read, and a data folder that is named as nothing is the one that Heddle takes", () => {
    const { read, write } = grantsOf(["start"], { HEDDLE_RPC_TLS_KEY: "tls.key", HEDDLE_DATA_DIR: "" });
    expect([read, write]).toEqual([["./data", "./tls.key"], ["./data"]]);
  });

  test("of every option that takes a value the value is no file that is imported, written or restored", { timeout: 60_000 }, () => {
    for (const name of ["import", "backup", "restore"]) {
      const options = commandTree(() => {}).commands.find((command) => command.name() === name)?.options ?? [];
      const valued = options.filter(({ required, optional }) => required || optional);
      expect(valued.length, name).toBeGreaterThan(1);
      for (const { long } of valued) {
        expect(grantsOf([name, String(long), "value", "kept/a"])["read"], `${name} ${long}`).toContain("./kept");
      }
    }
  });
});

describe("addresses", () => {
  test("those that one process listens on, of IPv6 too, and the collector's", () => {
    const all = { HEDDLE_HTTP_HOST: "::", HEDDLE_RPC_PORT: "9101", HEDDLE_RPC_HOST: "::1", HEDDLE_METRICS_PORT: "9464" };
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://[::1]:4318" };
    expect(grantsOf(["start"], { ...all, ...collector })["net"]).toEqual(["[::]:8080", "[::1]:9101", "127.0.0.1:9464", "[::1]:4318"]);
    const localhost = ["localhost:80", "127.0.0.1:80", "[::1]:80"];
    expect(grantsOf(["start"], { HEDDLE_HTTP_HOST: "localhost", HEDDLE_HTTP_PORT: "80" })["net"]).toEqual(localhost);
    expect(grantsOf(["start"], { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" })["net"]).toEqual(["127.0.0.1:8080"]);
  });

  test.each([["0.0.0.0", "127.0.0.1"], ["[::]", "[::1]"], ["[::1]", "[::1]"]])("the doctor's, of a server at %s", (at, asked) => {
    writeFileSync(join(project, "data/heddle.running"), JSON.stringify({ url: `http://${at}:9000` }));
    expect(grantsOf(["doctor"])["net"]).toContain(`${asked}:9000`);
  });

  test("the server's that a command calls; what is no address is for the command to refuse", () => {
    expect(grantsOf(["import", "kept/a.csv"], { HEDDLE_URL: "" })["net"]).toEqual(["127.0.0.1:8080"]);
    expect(grantsOf(["users", "rejected", "--url", "http://[::1]:9000"])["net"]).toEqual(["[::1]:9000"]);
    expect(grantsOf(["users", "rejected"], { HEDDLE_URL: "nowhere" })).not.toHaveProperty("net");
  });
});

test("in the environment of the mesh no command takes ./data for it", () => {
  const mesh = { HEDDLE_CASSANDRA_CONTACT_POINTS: "10.0.0.1" };
  for (const args of [["keys", "list"], ["doctor"], ["export"], ["serve", "profile"]]) {
    const { status, stdout, stderr } = started(args, mesh);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^This works on a data folder, and HEDDLE_CASSANDRA_CONTACT_POINTS is set: .*--data-dir.*docs\/mesh\.md/);
  }
  for (
    const args of [["start"], ["keys", "list", "--data-dir", "data"], ["export", "--ids", "ids.txt"], ["import", "a.csv"], [
      "keys",
      "--help",
    ]]
  ) {
    expect(grantsOf(args, mesh)).toHaveProperty("read");
  }
});

test("a dry run of an import writes nothing on Deno, too, and needs no more than its file", { timeout: 60_000 }, () => {
  writeFileSync(join(project, "kept/users.csv"), "id,size\nu1,2\n");
  writeFileSync(join(project, "map.yaml"), "external_id: id\nshoe: size\n");
  const args = ["import", "kept/users.csv", "--type", "attribute", "--map", "map.yaml", "--dry-run", "--json"];
  const { status, stdout, stderr } = spawnSync(execPath, [resolve(import.meta.dirname, "deno.mjs"), ...args], {
    cwd: project,
    encoding: "utf8",
    env: { PATH: env["PATH"] },
  });
  expect([status, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject({ taken: { attributes: 1 } });
  expect(readdirSync(join(project, "kept"))).toEqual(["users.csv"]);
});

test("signals reach Deno, and what ends it ends this", { timeout: 60_000 }, async () => {
  const script =
    'process.on("SIGHUP", () => process.kill(process.pid, "SIGKILL"));\nconsole.log(process.pid);\nsetInterval(() => {}, 1_000);';
  standIn(`#!${execPath}\n${script}\n`);
  const child = spawn(execPath, [program, "start"], { cwd: project, stdio: ["ignore", "pipe", "inherit"], env: { PATH: env["PATH"] } });
  const ended = once(child, "exit");
  const [pid] = await once(child.stdout, "data");
  child.kill("SIGHUP");
  const [, signal] = await ended;
  if (signal !== "SIGKILL") process.kill(Number(String(pid)), "SIGKILL");
  expect(signal).toBe("SIGKILL");
});
