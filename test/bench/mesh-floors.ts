/**
 * The raw floors of the mesh, a process of its own for each: Cassandra that writes and reads 50 rows of one partition at once, JetStream that syncs
 * the same bytes, Redis that runs the script of the limits. Prints microseconds of its own CPU for each one; the server's is seen from outside.
 * Arguments: what, the settings of the servers as JSON, how many. Among the settings: `strategy` of the rows, `bytes` of the messages.
 */
import { readFileSync } from "node:fs";
import type cassandra from "cassandra-driver";
import { Redis } from "ioredis";
import { connect, headers } from "nats";
import { measured } from "../../cli/operate/capacity-model.ts";
import { openBareSession } from "./bare-session.ts";
import { fractionOf } from "./bodies.ts";

const [what = "", settings = "{}", count = "0"] = process.argv.slice(2);
const servers = JSON.parse(settings) as Readonly<Record<string, string>>;
const { strategy = "LeveledCompactionStrategy" } = servers;
const keyspace = "heddle_bench_floor";
const table = `${keyspace}.rows_${strategy.toLowerCase()}`;
const rowsPerBatch = 50;
const rowBytes = 700;
const partitions = 40;
/** As many as a bucket of users has at most (docs/decisions/0052). */
const rowsPerPartition = 8_192;
const inFlight = 32;
/** Messages of a request of 75 objects: what came, what goes to the lanes, what readers of events hear. */
const bytes = JSON.parse(servers["bytes"] ?? JSON.stringify([measured.intakeBytes, measured.laneBytes, measured.eventBytes])) as number[];
const requestBytes = bytes.map((each) => Math.round(each * 75));

const runs: Readonly<Record<string, (count: number) => Promise<void>>> = { fill, write, read, jetstream, publish, redis };
const run = runs[what];
if (run === undefined) throw new Error(`Expected one of ${Object.keys(runs).join(", ")}, got "${what}"`);
await run(Number(count));

async function fill(): Promise<void> {
  const client = await openBareSession(servers);
  const replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
  const columns = "bucket int, id text, body text, PRIMARY KEY (bucket, id)";
  await client.execute(`CREATE KEYSPACE IF NOT EXISTS ${keyspace} WITH replication = ${replication}`);
  await client.execute(`CREATE TABLE IF NOT EXISTS ${table} (${columns}) WITH compaction = {'class': '${strategy}'}`);
  await writeRows(client, partitions * (rowsPerPartition + rowsPerBatch), idsOf);
  await client.shutdown();
}

async function write(rows: number): Promise<void> {
  const client = await openBareSession(servers);
  await writeRows(client, rows / 10, frequentIdsOf);
  await timed(rows, () => writeRows(client, rows, frequentIdsOf));
  await client.shutdown();
}

async function writeRows(client: cassandra.Client, rows: number, ids: (n: number) => Iterable<string>): Promise<void> {
  const query = `INSERT INTO ${table} (bucket, id, body) VALUES (?, ?, ?)`;
  const body = "x".repeat(rowBytes);
  await together(rows / rowsPerBatch, async (n) => {
    const queries = Array.from(ids(n), (id) => ({ query, params: [n % partitions, id, body] }));
    await client.batch(queries, { prepare: true, logged: false });
  });
}

async function read(rows: number): Promise<void> {
  const client = await openBareSession(servers);
  const query = `SELECT id, body FROM ${table} WHERE bucket = ? AND id IN ?`;
  const readRows = (count: number): Promise<void> =>
    together(count / rowsPerBatch, async (n) => {
      const { rowLength } = await client.execute(query, [n % partitions, idsOf(n)]);
      if (rowLength !== rowsPerBatch) throw new Error(`Expected ${rowsPerBatch} rows, got ${rowLength}: fill first`);
    });
  await readRows(rows / 10);
  await timed(rows, () => readRows(rows));
  await client.shutdown();
}

/** Of the nth batch of its partition, spread over it. */
function idsOf(n: number): string[] {
  const first = Math.floor(n / partitions) * rowsPerBatch;
  return Array.from({ length: rowsPerBatch }, (_, i) => idOf(first + i));
}

/** The first rows of a Zipf distribution come again the most, as users do: what is in memory is written over before it is flushed. */
function frequentIdsOf(n: number): Set<string> {
  const ids = new Set<string>();
  for (let i = n * 10 * rowsPerBatch; ids.size < rowsPerBatch; i += 1) ids.add(idOf(Math.floor(rowsPerPartition ** fractionOf(i)) - 1));
  return ids;
}

function idOf(n: number): string {
  return String((n * 7919) % rowsPerPartition).padStart(24, "0");
}

/** What requests of 75 objects make JetStream write, each request's messages synced before they are answered. */
async function jetstream(objects: number): Promise<void> {
  const nats = await stream();
  const bodies = requestBytes.map((bytes) => Buffer.alloc(bytes, "x"));
  const send = (requests: number): Promise<void> =>
    together(requests, async (n) => {
      for (const [at, body] of bodies.entries()) await nats.publish(`heddle-bench-floor.${at}`, body, n);
    });
  await send(objects / 75 / 10);
  await timed(objects, () => send(Math.ceil(objects / 75)));
  await nats.close();
}

/** One after the other: what a synced publish takes. */
async function publish(messages: number): Promise<void> {
  const nats = await stream();
  const body = Buffer.alloc(bytes[0] ?? 0, "x");
  const latencies: number[] = [];
  await timed(messages, async () => {
    for (let n = 0; n < messages; n += 1) {
      const began = performance.now();
      await nats.publish("heddle-bench-floor.0", body, n);
      latencies.push(performance.now() - began);
    }
  }, latencies);
  await nats.close();
}

async function stream() {
  const connection = await connect({ servers: [servers["HEDDLE_NATS_URL"] ?? ""] });
  const { streams } = await connection.jetstreamManager();
  const name = "heddle_bench_floor";
  await streams.delete(name).catch(() => false);
  await streams.add({ name, subjects: ["heddle-bench-floor.*"], max_bytes: 4 * 1024 ** 3, duplicate_window: 0 });
  const client = connection.jetstream();
  return {
    async publish(subject: string, body: Uint8Array, n: number): Promise<void> {
      const header = headers();
      header.set("bench", String(n));
      await client.publish(subject, body, { headers: header, timeout: 60_000 });
    },
    async close(): Promise<void> {
      await streams.delete(name);
      await connection.close();
    },
  };
}

async function redis(calls: number): Promise<void> {
  const client = new Redis(servers["HEDDLE_REDIS_URL"] ?? "");
  const script = readFileSync(new URL("../../platform/limiter/bucket.lua", import.meta.url), "utf8");
  const hash = String(await client.script("LOAD", script));
  const draw = (count: number): Promise<void> =>
    together(count, async (n) => void await client.evalsha(hash, 1, `heddle-bench-floor:${n % 63}`, "", 1, 1, 1, 1_000_000, 3_000));
  await draw(calls / 10);
  await timed(calls, () => draw(calls));
  client.disconnect();
}

/** So many, some of them under way at any time. */
async function together(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (next < count) {
      const n = next;
      next += 1;
      await work(n);
    }
  }));
}

/** The parent looks at the server when it reads "begin" and "end"; what comes before the first warms up. */
async function timed(count: number, work: () => Promise<void>, latencies: readonly number[] = []): Promise<void> {
  await said("begin");
  const [began, start] = [process.cpuUsage(), performance.now()];
  await work();
  const [used, seconds] = [process.cpuUsage(began), (performance.now() - start) / 1_000];
  const p50 = latencies.toSorted((one, other) => one - other)[Math.floor(latencies.length / 2)];
  console.log(JSON.stringify({ cpuUs: (used.user + used.system) / count, perSecond: Math.round(count / seconds), ...(p50 && { p50 }) }));
}

/** Goes on when the parent has looked. */
async function said(word: string): Promise<void> {
  console.log(word);
  await new Promise((resolve) => process.stdin.once("data", resolve));
  process.stdin.pause();
}
