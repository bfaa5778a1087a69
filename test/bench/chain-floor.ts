/**
 * What no mesh of these packages can spare, with nothing of Heddle between: a gateway that parses the body, asks Redis for the limit and calls a part for
 * all requests that wait; a part that syncs one message for all that wait, then one of what was decided with one for readers of events, then writes a row
 * of each user, those of a partition at once, and has read nothing. A request whose body is null is answered when all before it is written. A process each,
 * for `floors.ts`; they take their settings as JSON. Of several parts each has workspaces of its own.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import { Redis } from "ioredis";
import { connect } from "nats";
import { openBareSession } from "./bare-session.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";

const [role = "", settings = "{}"] = process.argv.slice(2);
const servers = JSON.parse(settings) as Readonly<Record<string, string>>;
const table = "heddle_bench_chain.rows";
const rowBytes = 700;
const inFlight = 32;
/** Of a run of what is decided: its message stays below what NATS takes. */
const requestsPerRun = 48;

interface Body {
  readonly attributes?: readonly User[];
  readonly events?: readonly User[];
  readonly purchases?: readonly User[];
}

interface User {
  readonly external_id: string;
}

type Tracked = readonly [workspace: string, body: Body | null];

if (role === "gateway") await gateway((servers["parts"] ?? "").split(" "));
else if (role === "part") await part();
else throw new Error(`Expected gateway or part, got "${role}"`);

async function gateway(partUrls: readonly string[]): Promise<void> {
  const redis = new Redis(servers["HEDDLE_REDIS_URL"] ?? "");
  const hash = String(await redis.script("LOAD", readFileSync(new URL("../../platform/limiter/bucket.lua", import.meta.url), "utf8")));
  const tracks = partUrls.map((baseUrl) => {
    const client = createClient(ProfileService, createConnectTransport({ baseUrl, httpVersion: "2" }));
    return together(async (requests: readonly Tracked[]) => {
      await client.trackUsers({ bodyJson: Buffer.from(JSON.stringify(requests)) });
    });
  });
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const workspace = request.headers.authorization ?? "";
      await redis.evalsha(hash, 1, `heddle-bench-chain:${workspace}`, "", 1, 1, 1, 1_000_000, 3_000);
      const own = Number(/\d+$/.exec(workspace)?.[0] ?? 0) % tracks.length;
      await Promise.all(tracks.filter((_, at) => body === null || at === own).map((track) => track([workspace, body])));
      response.writeHead(201, { "content-type": "application/json" });
      response.end('{"message":"success"}');
    })();
  });
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

async function bodyOf(request: IncomingMessage): Promise<Body | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Body | null;
}

async function part(): Promise<void> {
  const write = await rows();
  const publish = await stream();
  const apply = together(async (requests: readonly Tracked[]) => {
    const bytes = Buffer.from(JSON.stringify(requests));
    await Promise.all([publish("lane", bytes), publish("events", bytes)]);
    await write(Map.groupBy(requests, ([workspace]) => workspace));
  }, requestsPerRun);
  const append = together(async (calls: readonly Uint8Array[]) => void await publish("intake", Buffer.concat(calls)));
  const server = createHttp2Server(connectNodeAdapter({
    routes: (router) =>
      void router.service(ProfileService, {
        async trackUsers({ bodyJson }) {
          await append(bodyJson);
          // Answered before it is applied
          const all = (JSON.parse(Buffer.from(bodyJson).toString()) as Tracked[]).map((request) => [request, apply(request)] as const);
          for (const [[, body], applied] of all) if (body === null) await applied;
          return {};
        },
      }),
  }));
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

async function rows() {
  const client = await openBareSession(servers);
  await client.execute(
    "CREATE KEYSPACE IF NOT EXISTS heddle_bench_chain WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
  );
  await client.execute(`CREATE TABLE IF NOT EXISTS ${table} (owner text, id text, body text, PRIMARY KEY (owner, id))`);
  const query = `INSERT INTO ${table} (owner, id, body) VALUES (?, ?, ?)`;
  const body = "x".repeat(rowBytes);
  return async (byOwner: ReadonlyMap<string, readonly Tracked[]>): Promise<void> => {
    const left = [...byOwner];
    await Promise.all(Array.from({ length: inFlight }, async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const [owner, some] = next;
        const ids = new Set(some.flatMap(([, tracked]) => usersOf(tracked)));
        const queries = [...ids].map((id) => ({ query, params: [owner, id, body] }));
        if (queries.length === 0) continue;
        if (queries.length === 1) await client.execute(query, queries[0]?.params);
        else await client.batch(queries, { prepare: true, logged: false });
      }
    }));
  };
}

function usersOf(body: Body | null): string[] {
  const { attributes = [], events = [], purchases = [] } = body ?? {};
  return [...attributes, ...events, ...purchases].map(({ external_id: id }) => id);
}

async function stream() {
  const connection = await connect({ servers: [servers["HEDDLE_NATS_URL"] ?? ""] });
  const { streams } = await connection.jetstreamManager();
  const name = "heddle_bench_chain";
  // The first part makes it
  if (servers["joins"] === undefined) await streams.delete(name).catch(() => false);
  await streams.add({ name, subjects: ["heddle-bench-chain.*"], max_bytes: 512 * 1024 ** 2, duplicate_window: 0 });
  const client = connection.jetstream();
  return async (subject: string, bytes: Uint8Array): Promise<void> => {
    await client.publish(`heddle-bench-chain.${subject}`, bytes, { timeout: 60_000 });
  };
}

/** One run of `work` at a time, each for all that came meanwhile, or for so many of them, in order. */
function together<T>(work: (items: readonly T[]) => Promise<void>, itemsMax = Number.POSITIVE_INFINITY): (item: T) => Promise<void> {
  let waiting: { readonly item: T; readonly done: () => void }[] = [];
  let isRunning = false;
  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const some = waiting.slice(0, itemsMax);
      waiting = waiting.slice(some.length);
      await work(some.map(({ item }) => item));
      for (const { done } of some) done();
    }
    isRunning = false;
  }
  return (item) =>
    new Promise((done) => {
      waiting.push({ item, done });
      // What comes in the same turn goes together
      if (!isRunning) queueMicrotask(() => void (isRunning || run()));
    });
}
