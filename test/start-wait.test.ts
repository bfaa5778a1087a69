/** Waiting for processes that start: a fake clock says how long, and `npm run mesh` is started before servers that never get ready. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { fakeClock } from "../platform/clock.fixture.ts";
import { cassandraVersion, natsVersion } from "./servers/provision.ts";
import { tellWaits, whileItMoves } from "./start-wait.ts";

const repository = resolve(import.meta.dirname, "..");

test("whileItMoves() waits as long as the process prints, without a limit", async () => {
  const { clock, starting, outcome, ready } = stage();
  for (let minute = 0; minute < 30; minute += 1) {
    starting.text += "another line\n";
    clock.advance(59_000);
  }
  ready.resolve("ready");
  expect(await outcome).toBe("ready");
});

test("whileItMoves() waits as long as the process works, whatever it prints", async () => {
  const { clock, starting, outcome, ready } = stage();
  for (let minute = 0; minute < 30; minute += 1) {
    starting.cpuMs += 5_000;
    clock.advance(59_000);
  }
  ready.resolve("ready");
  expect(await outcome).toBe("ready");
});

test("whileItMoves() gives up when the process stands still, and says what it printed last", async () => {
  const { clock, starting, outcome } = stage();
  starting.text = "opening the door\n";
  clock.advance(30_000);
  // As an idle process takes it
  for (let second = 0; second < 61; second += 1) {
    starting.cpuMs += 5;
    clock.advance(1_000);
  }
  expect(await outcome).toMatch(/^Error: nats is not ready and did nothing for 60000 ms[^]*opening the door/);
});

test("whileItMoves() says every few seconds what it waits for and what that said last", async () => {
  const told: string[] = [];
  tellWaits((line) => told.push(line));
  onTestFinished(() => tellWaits(() => {}));
  const { clock, starting, outcome, ready } = stage();
  clock.advance(5_000);
  starting.text = "one\ntwo\n";
  clock.advance(5_000);
  ready.resolve("ready");
  await outcome;
  expect(told).toEqual(["Waiting for nats, 5 s: it has said nothing yet", "Waiting for nats, 10 s: two"]);
});

test("npm run mesh says what it waits for, and Ctrl-C ends it and what it started", { timeout: 120_000 }, async () => {
  const folder = standIns();
  const place = { PATH: `${folder}/bin${delimiter}${env.PATH}`, HOME: folder, JAVA_HOME: `${folder}/java`, HEDDLE_SERVERS_DIR: folder };
  const child = spawn(execPath, [join(repository, "test/mesh.ts")], {
    env: { ...place, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => printed += String(chunk));
  const ended = new Promise<number | null>((done) => child.once("close", done));
  await expect.poll(() => printed, { timeout: 50_000 }).toMatch(/Waiting for nats-server, \d+ s: nats-server warms up/);
  await expect.poll(() => printed, { timeout: 50_000 }).toMatch(/Waiting for cassandra, \d+ s: java warms up/);
  const pids = ["nats-server", "redis-server", "java"].map((name) => Number(readFileSync(join(folder, `${name}.pid`), "utf8")));
  expect(pids.filter(isAlive)).toHaveLength(3);
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

/** Servers that warm up for ever, where the real ones would lie. */
function standIns(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-stand-ins-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  function put(place: string, name: string): void {
    mkdirSync(join(folder, place), { recursive: true });
    const path = join(folder, place, name);
    const version = `[ "$1" = -version ] && { echo 'openjdk version "17.0.1"' >&2; exit; }`;
    writeFileSync(path, `#!/bin/sh\n${version}\necho $$ > ${folder}/${name}.pid\necho ${name} warms up\nexec sleep 600\n`);
    chmodSync(path, 0o755);
  }
  put("bin", "redis-server");
  put(`nats-server-${natsVersion}`, "nats-server");
  put("java/bin", "java");
  mkdirSync(join(folder, `cassandra-${cassandraVersion}`));
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function stage() {
  const clock = fakeClock();
  const ready = Promise.withResolvers<string>();
  const starting = { text: "", cpuMs: 0 };
  const outcome = whileItMoves(ready.promise, { name: "nats", pid: 1, printed: () => starting.text }, {
    stillMsMax: 60_000,
    clock,
    cpuMs: () => starting.cpuMs,
  }).catch(String);
  return { clock, ready, starting, outcome };
}
