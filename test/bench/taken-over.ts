/**
 * `node test/bench/taken-over.ts --from REF [--shape mesh] [--users 1000000] [--seconds 20] [--pages 1]`: a data folder, or keyspaces and streams, of another build with so many
 * users are taken over by this one, whose keyspaces are then sealed: how long until it answers, and whether every object that any of them took is there once. Never part of a timed
 * test.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startMeshServers } from "../mesh-servers.ts";
import { bodyOf, firstBody, picked, userOf } from "./bodies.ts";
import { type Answer, type Asked, load, sendUntilApplied } from "./load.ts";
import { startServer } from "./server.ts";
import { type Build, checkedOut, forgetCheckedOut, startMesh, thisBuild } from "./targets.ts";
import { Tally } from "./tally.ts";

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    shape: { type: "string", default: "one" },
    users: { type: "string", default: "1000000" },
    /** Of events to users, by each of the builds. */
    seconds: { type: "string", default: "20" },
    /** Of the pages of users one in so many is read in the end. */
    pages: { type: "string", default: "1" },
  },
});
if (values.from === undefined) throw new Error("Name a commit, tag or branch of the other build with --from");
if (values.shape !== "one" && values.shape !== "mesh") throw new Error(`--shape is one or mesh, not "${values.shape}"`);
const workspaces = 63;
const users = Math.ceil(Number(values.users) / workspaces);
const keys = Array.from({ length: workspaces + 1 }, (_, i) => `bench-key-${String(i).padStart(4, "0")}`);
const folder = mkdtempSync(join(tmpdir(), "heddle-taken-over-"));
const tally = new Tally();
const agent = new Agent({ keepAlive: true });
const [connections, idsPerRead] = [16, 50];

interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

try {
  const other = { name: values.from, folder: checkedOut(values.from, folder) };
  try {
    await takeOver(other);
  } finally {
    forgetCheckedOut(folder);
  }
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}

async function takeOver(other: Build): Promise<void> {
  const servers = values.shape === "mesh" ? await startMeshServers({ isMeasured: true }) : undefined;
  const start = servers === undefined ? startOne : (build: Build) => startParts(servers.settings, build);
  try {
    let began = performance.now();
    await during(start(other), async (url) => {
      await fill(url);
      console.log(`${other.name} has ${users * workspaces} users after ${seconds(began)} s`);
      await events(url, "before");
    });
    began = performance.now();
    await during(start(thisBuild), async (url) => {
      console.log(`this build answers ${seconds(began)} s after it began, with what ${other.name} left`);
      await events(url, "after");
      if (servers === undefined) await check(url);
    });
    if (servers === undefined) return;
    began = performance.now();
    await during(start({ ...thisBuild, migrate: ["--seal"] }), async (url) => {
      console.log(`this build answers ${seconds(began)} s after that, sealed`);
      await events(url, "sealed");
      await check(url);
    });
  } finally {
    await servers?.stop();
  }
}

async function during(starting: Promise<Running>, work: (url: string) => Promise<void>): Promise<void> {
  const running = await starting;
  try {
    await work(running.url);
  } finally {
    await running.stop();
  }
}

async function check(url: string): Promise<void> {
  const began = performance.now();
  console.log(`users who are there: ${await counted(url)}, read in ${seconds(began)} s`);
  const { isRight, text } = await tally.check(url, keys[0] ?? "");
  console.log(`objects that are there once: ${text}`);
  if (!isRight) process.exitCode = 1;
}

function startOne({ folder: build }: Build): Promise<Running> {
  return startServer({ folder, keys, build });
}

async function startParts(settings: Readonly<Record<string, string>>, build: Build): Promise<Running> {
  const mesh = await startMesh(settings, build, { folder, keys, number: 0 });
  return {
    url: mesh.url,
    async stop() {
      mesh.kill("SIGTERM");
      await mesh.ended;
    },
  };
}

async function fill(url: string): Promise<void> {
  const requests = Math.ceil(users / 75) * workspaces;
  const failed = await sent(url, { requests, make: (n) => firstBody(Math.floor(n / workspaces), users) });
  if (failed > 0) throw new Error(`${failed} requests were not taken`);
  await Promise.all(keys.map((_, n) => sendUntilApplied(agent, url, asked(n, "/users/export/ids", bodyOfRead(idsOf(0))))));
}

/** Who is sent more than can be applied is refused meanwhile, and counts what was taken alone. */
async function events(url: string, run: string): Promise<void> {
  const until = performance.now() + 1_000 * Number(values.seconds);
  const pick = picked("zipf", users, run);
  await sent(url, {
    requests: Infinity,
    isOver: () => performance.now() >= until,
    make: (n) => bodyOf("events", n, { objects: 75, pick }),
  });
}

/** Ends when the last answer was given, not when all is applied: what waits in the log is taken over, too. Gives how many were not taken. */
async function sent(
  url: string,
  { make, ...rest }: { readonly requests: number; readonly isOver?: () => boolean; readonly make: (n: number) => Buffer },
): Promise<number> {
  const counting = tally.counting((n) => asked(n, "/users/track", make(n)), (n) => n % workspaces === 0);
  const { failed } = await load({ url, connections, ...rest, ...counting });
  return failed;
}

/** Of pages of users of all workspaces, by their external ids: how many should be there, and are. */
async function counted(url: string): Promise<string> {
  const each = Number(values.pages);
  const pages = Math.ceil(Math.ceil(users / idsPerRead) / each);
  let [wanted, there] = [0, 0];
  const idsOfRead = (n: number) => idsOf(Math.floor(n / workspaces) * each);
  const read = (n: number) => asked(n, "/users/export/ids", bodyOfRead(idsOfRead(n)));
  await load({
    url,
    connections,
    requests: pages * workspaces,
    make: read,
    async onAnswer(n, { status, headers, body }) {
      if (status !== 201) throw new Error(`A read was answered ${status}: ${body.toString()}`);
      // One that was answered before all was applied says so
      const found = foundIn(headers["x-heddle-read"] === undefined ? { body } : await sendUntilApplied(agent, url, read(n)));
      wanted += idsOfRead(n).length;
      there += found;
    },
  });
  if (there !== wanted) process.exitCode = 1;
  return `${there} of ${wanted}`;
}

function idsOf(page: number): string[] {
  return Array.from({ length: Math.min(idsPerRead, users - page * idsPerRead) }, (_, at) => userOf(page * idsPerRead + at, users));
}

function bodyOfRead(ids: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify({ external_ids: ids, fields_to_export: ["external_id"] }));
}

function foundIn({ body }: Pick<Answer, "body">): number {
  return (JSON.parse(body.toString()) as { readonly users: readonly unknown[] }).users.length;
}

function asked(n: number, path: string, body: Buffer): Asked {
  return { path, body, headers: { authorization: `Bearer ${keys[n % workspaces]}` } };
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(1);
}
