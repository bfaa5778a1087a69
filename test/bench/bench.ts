/** `npm run bench`: what Heddle costs beside the raw floors measured in the same run. Never part of a timed test. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { firstBody, hotUserBody, mixedBody, oneEventBody, userOf } from "./bodies.ts";
import { type Answer, load, type LoadResult, percentile, send } from "./load.ts";
import { costOf } from "./process-cost.ts";
import { firstLine, startServer } from "./server.ts";

const { values } = parseArgs({
  options: {
    profiles: { type: "string", default: "10000" },
    seconds: { type: "string", default: "8" },
    json: { type: "boolean", default: false },
  },
});
/** The load goes to so many workspaces that no published limit is met; one more is for questions. */
const workspaces = 63;
/** Users of each workspace. */
const users = Math.ceil(Number(values.profiles) / workspaces);
const scale = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
const keys = Array.from({ length: workspaces + 1 }, (_, i) => `bench-key-${String(i).padStart(4, "0")}`);
const table: Row[] = [];

try {
  await floors();
  await heddle();
  print();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function floors(): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "floor.ts"), "http"], { stdio: ["ignore", "pipe", "inherit"] });
  const url = (await firstLine(child, /http:/)).trim();
  await timed(
    { name: "floor: node:http parses 75 objects", pid: child.pid ?? 0, objects: 75 },
    () => load({ url, connections: 16, requests: 800 * scale, make: (n) => ({ path: "/", body: mixedBody(n, users), headers: {} }) }),
  );
  await timed(
    { name: "floor: node:http parses one object", pid: child.pid ?? 0, objects: 1 },
    () => load({ url, connections: 32, requests: 3000 * scale, make: (n) => ({ path: "/", body: oneEventBody(n, users), headers: {} }) }),
  );
  child.kill();
  floorOf("floor: SQLite upserts a row, 500 a commit", ["sqlite"]);
  floorOf(`floor: SQLite reads 3 rows and upserts one, ${values.profiles} users`, ["users", values.profiles]);
}

function floorOf(name: string, [what, count]: readonly [what: string, count?: string]): void {
  const args = [join(import.meta.dirname, "floor.ts"), what, join(folder, `floor-${what}.db`), count ?? ""];
  const out = spawnSync(process.execPath, args, { encoding: "utf8" });
  const row = JSON.parse(out.stdout) as { cpuUs: number; perSecond: number };
  table.push({ name, objectsPerSecond: row.perSecond, cpuUs: row.cpuUs });
}

async function heddle(): Promise<void> {
  // The first start on a machine compiles; the second is what a restart costs
  await (await startServer({ folder: join(folder, "first"), keys })).stop();
  const began = performance.now();
  const server = await startServer({ folder: join(folder, "data"), keys });
  try {
    await send(new Agent(), server.url, track(0, oneEventBody(0, users)));
    table.push({ name: "start to first accepted write", ms: performance.now() - began });
    table.push({ name: "idle", residentMb: costOf(server.pid).residentBytes / 1e6 });
    await measure(server.url, server.pid);
  } finally {
    await server.stop();
  }
}

async function measure(url: string, pid: number): Promise<void> {
  await timed(
    { name: `making ${users * workspaces} profiles`, pid, objects: Math.min(users, 75) },
    () => applied(url, Math.ceil(users / 75) * workspaces, (n) => track(n, firstBody(Math.floor(n / workspaces), users)), 8),
  );
  const mixed = await timed(
    { name: "75 objects a request, applied", pid, objects: 75 },
    () => applied(url, 250 * scale, (n) => track(n, mixedBody(n, users)), 16),
  );
  await timed(
    { name: "one object a request, applied", pid, objects: 1 },
    () => applied(url, 1500 * scale, (n) => track(n, oneEventBody(n, users)), 32),
  );
  await readable(url, pid, mixed.objectsPerSecond ?? 0);
  await timed(
    { name: "one hot user, 75 objects a request", pid, objects: 75 },
    () => applied(url, 60 * scale, (n) => track(0, hotUserBody(n, 75)), 1),
  );
}

/** At half load: how long after an answer a read that sees it comes back. */
async function readable(url: string, pid: number, objectsPerSecond: number): Promise<void> {
  const perSecond = objectsPerSecond / 75 / 2;
  const waits: number[] = [];
  const agent = new Agent({ keepAlive: true });
  const onAnswer = async (n: number, answer: Answer): Promise<void> => {
    if (n % 20 !== 0) return;
    const start = performance.now();
    const body = Buffer.from(JSON.stringify({ external_ids: [userOf(n * 75, users)], fields_to_export: ["custom_attributes"] }));
    const headers = { ...track(n, body).headers, "x-heddle-position": String(answer.headers["x-heddle-position"] ?? "") };
    await send(agent, url, { path: "/users/export/ids", body, headers });
    waits.push(performance.now() - start);
  };
  await timed(
    { name: "75 objects a request at half load", pid, objects: 75 },
    () =>
      load({
        url,
        connections: 16,
        requests: Math.floor(perSecond * scale),
        perSecond,
        make: (n) => track(n, mixedBody(n, users)),
        onAnswer,
      }),
  );
  const sorted = Float64Array.from(waits).sort();
  table.push({
    name: "  answered to readable",
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    p999: percentile(sorted, 0.999),
  });
  agent.destroy();
}

/** A load that ends when its last object can be read. */
async function applied(
  url: string,
  requests: number,
  make: (n: number) => ReturnType<typeof track>,
  connections: number,
): Promise<LoadResult> {
  let position = "";
  const began = performance.now();
  const result = await load({
    url,
    requests,
    connections,
    make,
    onAnswer: (_n, answer) => void (position = String(answer.headers["x-heddle-position"] ?? "")),
  });
  const agent = new Agent();
  const read = { path: "/users/export/ids", body: Buffer.from('{"external_ids":["user-1"],"fields_to_export":["email"]}') };
  for (;;) {
    const answer = await send(agent, url, {
      ...read,
      headers: { authorization: `Bearer ${keys[workspaces]}`, "x-heddle-position": position },
    });
    if (answer.headers["x-heddle-read"] === undefined) break;
  }
  return { ...result, seconds: (performance.now() - began) / 1000 };
}

async function timed(row: { name: string; pid: number; objects: number }, run: () => Promise<LoadResult>): Promise<Row> {
  const before = costOf(row.pid);
  const result = await run();
  const after = costOf(row.pid);
  const objects = result.latencies.length * row.objects;
  const measured: Row = {
    name: row.name,
    objectsPerSecond: Math.round(objects / result.seconds),
    cpuUs: (after.cpuUs - before.cpuUs) / objects,
    p50: percentile(result.latencies, 0.5),
    p99: percentile(result.latencies, 0.99),
    p999: percentile(result.latencies, 0.999),
    residentMb: after.residentBytes / 1e6,
    failed: result.failed,
  };
  table.push(measured);
  return measured;
}

function track(n: number, body: Buffer): { path: string; body: Buffer; headers: Record<string, string> } {
  return { path: "/users/track", body, headers: { authorization: `Bearer ${keys[n % workspaces]}` } };
}

function print(): void {
  if (values.json) return console.log(JSON.stringify(table, null, 2));
  const columns = ["objectsPerSecond", "cpuUs", "p50", "p99", "p999", "residentMb", "ms"] as const;
  const titles = ["objects/s", "CPU us/object", "p50 ms", "p99 ms", "p99.9 ms", "RSS MB", "ms"];
  console.log(`| ${["", ...titles].join(" | ")} |\n|${" --- |".repeat(titles.length + 1)}`);
  for (const row of table) {
    const cells = columns.map((column) =>
      row[column] === undefined ? "" : row[column] >= 1000 ? String(Math.round(row[column])) : row[column].toFixed(1)
    );
    console.log(`| ${[row.name, ...cells].join(" | ")} |${row.failed ? ` ${row.failed} FAILED` : ""}`);
  }
}

interface Row {
  readonly name: string;
  readonly objectsPerSecond?: number;
  readonly cpuUs?: number;
  readonly p50?: number;
  readonly p99?: number;
  readonly p999?: number;
  readonly residentMb?: number;
  readonly ms?: number;
  readonly failed?: number;
}
