/**
 * `node test/bench/backup.ts [--users 1000000] [--seconds 60]`: in one process, how long a backup of so many users takes while it is written, and its
 * restore; and how long a start after kill -9 in the middle of a load, until all that was answered can be read. Never part of a timed test.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bodyOf, picked } from "./bodies.ts";
import { noteFigure } from "./goals.ts";
import { type Asked, load, sendUntilApplied } from "./load.ts";
import { seedFolder } from "./seed.ts";
import { type BenchServer, startServer } from "./server.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "1000000" },
    /** Of load before the process is killed. */
    seconds: { type: "string", default: "60" },
  },
});
const [users, seconds] = [Number(values.users), Number(values.seconds)];
const program = resolve(import.meta.dirname, "../../cli/heddle.mjs");
const folder = mkdtempSync(join(tmpdir(), "heddle-backup-bench-"));
const key = "bench-key-backup";
const server = { folder, keys: [key] };
const agent = new Agent({ keepAlive: true });

try {
  await (await startServer(server)).stop();
  await seedFolder(join(folder, "data"), users);
  let running = await startServer(server);
  try {
    const file = join(folder, "copy.heddle");
    const took = timed(() => heddle("backup", file, "--data-dir", join(folder, "data")));
    said("backup", `backup of ${users} users, ${(statSync(file).size / 1e6).toFixed(0)} MB`, took);
    said("restore", "its restore", timed(() => heddle("restore", file, "--data-dir", join(folder, "restored"))));
    const last = await loaded(running);
    const killed = once(running.process, "exit");
    running.process.kill("SIGKILL");
    await killed;
    const began = performance.now();
    running = await startServer(server);
    const listening = (performance.now() - began) / 1_000;
    await readable(running.url, last);
    said(
      "after-kill",
      `start after kill -9 in ${seconds} s of load, listening after ${listening.toFixed(1)} s, all applied`,
      (performance.now() - began) / 1_000,
    );
  } finally {
    await running.stop();
  }
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}

function heddle(...args: readonly string[]): void {
  execFileSync(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "inherit"] });
}

function timed(work: () => void): number {
  const began = performance.now();
  work();
  return (performance.now() - began) / 1_000;
}

function said(name: string, what: string, took: number): void {
  console.log(`${what}: ${took.toFixed(1)} s`);
  noteFigure(name, took);
}

/** Gives the position of the last answer. */
async function loaded({ url }: BenchServer): Promise<string> {
  const until = performance.now() + seconds * 1_000;
  let position = "";
  const pick = picked("zipf", users, "load");
  await load({
    url,
    connections: 32,
    requests: Infinity,
    isOver: () => performance.now() >= until,
    make: (n) => asked("/users/track", bodyOf("events", n, { objects: 75, pick })),
    onAnswer: (_n, { status, headers }) => {
      if (status === 201) position = String(headers["x-heddle-position"] ?? "");
    },
  });
  return position;
}

async function readable(url: string, position: string): Promise<void> {
  const question = asked("/users/export/ids", Buffer.from('{"external_ids":["user-1"],"fields_to_export":["external_id"]}'));
  await sendUntilApplied(agent, url, { ...question, headers: { ...question.headers, "x-heddle-position": position } });
}

function asked(path: string, body: Buffer): Asked {
  return { path, body, headers: { authorization: `Bearer ${key}` } };
}
