/**
 * `node test/bench/messages.ts`: what a request of one object makes others do, by kind: NATS messages with their bytes, messages that NATS syncs,
 * rows of Cassandra by table, calls between parts; and the same of a mesh where nothing happens, a second. Never part of a timed test, but requests
 * that do not stand in the intake once each fail it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import cassandra from "cassandra-driver";
import { connect, type Msg, type NatsConnection } from "nats";
import { meshParts } from "../../cli/target/mesh-parts.ts";
import { startMeshServers } from "../mesh-servers.ts";
import { launchMesh } from "../mesh-shape.ts";
import { freePorts } from "../servers/server-process.ts";
import { oneEventBody } from "./bodies.ts";
import { noteFigure } from "./goals.ts";
import { send } from "./load.ts";
import { costOf } from "./process-cost.ts";
import { writeDeclaration } from "./server.ts";
import { meshSizes } from "./targets.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "100" },
    /** Milliseconds between two requests. */
    apart: { type: "string", default: "30" },
    "idle-seconds": { type: "string", default: "60" },
    lanes: { type: "string", default: "64" },
  },
});
const [requests, apartMs, idleSeconds] = [Number(values.requests), Number(values.apart), Number(values["idle-seconds"])];
const users = 100;
const warmRequests = 200;
const settleMs = 5_000;
/** What is applied is trimmed a minute later, and what that left in memory is collected in the minute after. */
const trimmedMs = 120_000;
const key = "bench-key-messages";
const folder = mkdtempSync(join(tmpdir(), "heddle-messages-bench-"));
const declarationPath = writeDeclaration(folder, [key]);
const servers = await startMeshServers({ isMeasured: true });
const parts = ["gateway", ...meshParts.keys()];
const ports = new Map((await freePorts(parts.length)).map((port, at) => [parts[at] ?? "", port]));
const mesh = await launchMesh({
  repository: resolve(import.meta.dirname, "../.."),
  settings: servers.settings,
  dataDir: join(folder, "data"),
  port: 0,
  declarationPath,
  runtimeOf: () => "node",
  env: { ...meshSizes, HEDDLE_LOG_LANES: values.lanes },
  envOf: (part) => ({ HEDDLE_METRICS_PORT: String(ports.get(part)) }),
});
const agent = new Agent({ keepAlive: true });
const nats = await connect({ servers: [servers.nats.url] });
const counted = countAll(nats);
const session = new cassandra.Client({
  contactPoints: [servers.cassandra.contactPoint],
  localDataCenter: servers.cassandra.datacenter,
});
await session.connect();

/** Of the last measure. */
let inIntake = 0;

try {
  for (let n = 0; n < warmRequests; n += 1) await track(n);
  await setTimeout(settleMs);
  const ofRequest = await measure(`a request, ${requests} of one object, ${apartMs} ms apart`, requests, async () => {
    for (let n = 0; n < requests; n += 1) {
      const next = setTimeout(apartMs);
      await track(n);
      await next;
    }
  });
  if (inIntake !== requests) {
    console.error(`\n${requests} requests were answered, and ${inIntake} messages stand in the intake`);
    process.exitCode = 1;
  }
  await setTimeout(trimmedMs);
  const idle = await measure(`a second, while nothing happens for ${idleSeconds} s`, idleSeconds, () => setTimeout(idleSeconds * 1_000));
  console.log(`\nHeddle's own processes, while nothing happens: ${(idle.ownUs / 1e4).toFixed(1)} % of a core`);
  noteFigure("messages-request", ofRequest.messages);
  noteFigure("messages-idle", idle.messages);
  noteFigure("mesh-idle", idle.ownUs / 1e4);
} finally {
  agent.destroy();
  await session.shutdown();
  await nats.close();
  mesh.kill("SIGTERM");
  await mesh.ended;
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function track(n: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  await send(agent, mesh.url, { path: "/users/track", body: oneEventBody(n, users), headers });
}

/** Prints by kind what came on any subject, what Cassandra did and parts asked each other, for each of `count`, and the CPU of every process that serves. */
async function measure(name: string, count: number, work: () => Promise<unknown>): Promise<Measured> {
  const [rows, calls] = [await rowsByTable(), await callsByKind()];
  counted.clear();
  const before = costs();
  await work();
  const after = costs();
  const kinds = [...counted].toSorted(([, a], [, b]) => b.messages - a.messages);
  inIntake = counted.get("_intake.N")?.messages ?? 0;
  const [rowsAfter, callsAfter] = [await rowsByTable(), await callsByKind()];
  const of = (pick: (one: Counted) => number): string => (kinds.reduce((sum, [, one]) => sum + pick(one), 0) / count).toFixed(1);
  console.log(
    `\n${of(({ messages }) => messages)} NATS messages ${name}; ${of(({ synced }) => synced)} synced writes, ${
      of(({ bytes }) => bytes)
    } bytes`,
  );
  for (const [kind, { messages, bytes, synced }] of kinds) {
    console.log(
      `  ${perOne(messages, count)}  ${kind}, ${Math.round(bytes / messages)} bytes${
        synced > 0 ? `, ${(synced / count).toFixed(2)} synced` : ""
      }`,
    );
  }
  print(`Rows of Cassandra ${name.split(",")[0]}`, difference(rows, rowsAfter), count);
  print(`Calls of parts and of stores ${name.split(",")[0]}`, difference(calls, callsAfter), count);
  const cpuUs = difference(before, after);
  print(`CPU us ${name.split(",")[0]}`, cpuUs, count);
  const own = [...cpuUs].filter(([who]) => parts.includes(who));
  return {
    messages: kinds.reduce((sum, [, one]) => sum + one.messages, 0) / count,
    ownUs: own.reduce((sum, [, us]) => sum + us, 0) / count,
  };
}

interface Measured {
  readonly messages: number;
  /** Microseconds of CPU of Heddle's own processes. */
  readonly ownUs: number;
}

function print(title: string, of: ReadonlyMap<string, number>, count: number): void {
  console.log(title);
  for (const [kind, one] of [...of].toSorted(([, a], [, b]) => b - a)) console.log(`  ${perOne(one, count)}  ${kind}`);
}

function perOne(number: number, count: number): string {
  return (number / count).toFixed(2).padStart(9);
}

function difference(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...after].map(([key, number]) => [key, number - (before.get(key) ?? 0)] as const).filter(([, number]) => number > 0));
}

/** Mutations and reads of a partition so far, as the node counts them: a batch of one partition is one. */
async function rowsByTable(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const kind of ["read", "write"]) {
    const { rows } = await session.execute(`SELECT keyspace_name, table_name, "count" FROM system_views.local_${kind}_latency`);
    for (const row of rows) found.set(`${kind} ${row["keyspace_name"]}.${row["table_name"]}`, Number(row["count"]));
  }
  return found;
}

/** Calls between parts as those that were called count them, and calls of stores, each of one statement or more. */
async function callsByKind(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const [part, port] of ports) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const [, kind = "", labels = "", number] of text.matchAll(/^heddle_(rpc|store)_duration_seconds_count\{([^}]*)\} (\d+)/gm)) {
      const values = [...labels.matchAll(/(?:method|store|operation)="([^"]*)"/g)].map(([, value]) => value);
      const name = `${kind} ${part} ${values.join(" ")}`;
      found.set(name, (found.get(name) ?? 0) + Number(number));
    }
  }
  return found;
}

function costs(): Map<string, number> {
  const pids = [
    ["nats", servers.nats.pid],
    ["cassandra", servers.cassandra.pid],
    ["redis", servers.redis.pid],
    ["gateway", mesh.gateway.pid],
    ...[...mesh.parts].map(([name, { pid }]) => [name, pid] as const),
  ] as const;
  return new Map(pids.map(([name, pid]) => [name, costOf(pid).cpuUs]));
}

interface Counted {
  readonly messages: number;
  readonly bytes: number;
  /** Writes that JetStream syncs: a batch is one, with its last message. */
  readonly synced: number;
}

function countAll(connection: NatsConnection): Map<string, Counted> {
  const counts = new Map<string, Counted>();
  connection.subscribe(">", {
    callback: (_, message) => {
      const kind = kindOf(message.subject);
      const { messages, bytes, synced } = counts.get(kind) ?? { messages: 0, bytes: 0, synced: 0 };
      counts.set(kind, { messages: messages + 1, bytes: bytes + message.data.byteLength, synced: synced + (isSynced(message) ? 1 : 0) });
    },
  });
  return counts;
}

/** What is stored has somebody who waits for it; of a batch the last message. */
function isSynced({ subject, reply, headers }: Msg): boolean {
  if (reply === undefined || reply === "" || !/_(intake|lanes|events)\./.test(subject) || subject.startsWith("$")) return false;
  return headers?.get("Nats-Batch-Id") ? headers.get("Nats-Batch-Commit") !== "" : true;
}

/** The subject without what differs from one message to the next. */
function kindOf(subject: string): string {
  if (subject.startsWith("_INBOX.")) return "replies";
  if (subject.startsWith("$JS.API.")) {
    return subject.split(".").slice(2, 5).filter((part) => !part.includes("_intake") && !part.includes("_lanes")).join(".");
  }
  if (subject.startsWith("$JS.EVENT.ADVISORY")) return "advisories";
  return subject.replace(/^t[0-9a-f]{12}/, "").replaceAll(/\.\d+|ws_\w+|\.[\w-]*-\d+/g, ".N");
}
