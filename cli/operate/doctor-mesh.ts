/** heddle doctor for the mesh: settings of NATS, Cassandra and Redis that would break a promise, and tables that are not up to date. */
import { Redis } from "ioredis";
import { errorText } from "../../platform/error-text.ts";
import { openCassandra } from "../../platform/cassandra/driver.ts";
import { currentVersion, readMigrations } from "../../platform/cassandra/migrate.ts";
import type { Session } from "../../platform/cassandra/session.ts";
import { systemClock } from "../../platform/clock.ts";
import { type ConfigReader, readConfig } from "../../platform/config.ts";
import { limits } from "../../platform/limits.ts";
import { laneLayout } from "../../platform/lane/layout.ts";
import { connectJetStream, type JetStreamConnection } from "../../platform/log/jetstream-connection.ts";
import { roomOf, streamProblems } from "../../platform/log/jetstream-stream.ts";
import { findAll } from "../../platform/epoch/guard.ts";
import { streamNamesOf } from "../../platform/epoch/streams.ts";
import { silentLogger } from "../../platform/logger.ts";
import { readStore, readStreams, readTls, type StoreConfig, type StreamsConfig } from "../../platform/mesh-config.ts";
import { openEpochKeyspaces } from "../target/epoch-keyspaces.ts";
import type { Finding } from "../../platform/finding.ts";
import { judgeReach, type Reach } from "./judge-security.ts";
import { gatewayKeyspace, type LoadKeyspace, meshKeyspaces, meshParts } from "../target/mesh-parts.ts";
import { readGatewayReaches, readReaches } from "./mesh-reaches.ts";
import {
  type CassandraFacts,
  judgeCassandra,
  judgeEpoch,
  judgeNats,
  judgeRedis,
  judgeTables,
  type NatsFacts,
  type RedisFacts,
} from "./judge-mesh.ts";

/** One check failing says nothing of the others: each server is asked by itself. */
export async function examineMesh(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const config = readConfig(env, readDoctorConfig);
  const found = await Promise.all([
    config.reaches.map(judgeReach),
    attempt("NATS", async () => judgeNats(await factsOfNats(config))),
    attempt("Cassandra", async () => judgeCassandra(await factsOfCassandra(config.store, config.keyspaces))),
    attempt("tables", () => checkTables(env)),
    attempt("log", () => checkEpochs(env, config.streams)),
    config.redisUrl === "" ? [] : attempt("Redis", async () => judgeRedis(await factsOfRedis(config))),
  ]);
  return found.flat();
}

/** What a gateway can ask while it serves, by its own settings alone: of its servers and its tables, and how it reaches the others. */
export async function examineGateway(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const config = readConfig(
    env,
    (reader) => ({ ...readRedis(reader), reaches: readGatewayReaches(reader), store: readStore(reader, "gateway") }),
  );
  const found = await Promise.all([
    config.reaches.map(judgeReach),
    attempt("Cassandra", async () => judgeCassandra(await factsOfCassandra(config.store, [config.store.keyspace]))),
    attempt("tables", async () => [await checkTablesOf(gatewayKeyspace, env)]),
    attempt("Redis", async () => judgeRedis(await factsOfRedis(config))),
  ]);
  return found.flat();
}

interface DoctorConfig extends RedisConfig {
  readonly reaches: readonly Reach[];
  readonly streams: StreamsConfig;
  readonly monitorUrl: string;
  readonly store: StoreConfig;
  /** Of all parts. */
  readonly keyspaces: readonly string[];
}

interface RedisConfig {
  readonly redisUrl: string;
  readonly redisTls: ReturnType<typeof readTls>;
}

function readRedis(reader: ConfigReader): RedisConfig {
  return { redisUrl: reader.text("HEDDLE_REDIS_URL", { fallback: "", secret: true }), redisTls: readTls(reader, "HEDDLE_REDIS") };
}

function readDoctorConfig(reader: ConfigReader): DoctorConfig {
  return {
    reaches: readReaches(reader),
    streams: readStreams(reader),
    monitorUrl: reader.text("HEDDLE_NATS_MONITOR_URL", { fallback: "" }),
    store: readStore(reader, "profile"),
    keyspaces: [...meshParts.keys(), "gateway"].map((part) => readStore(reader, part).keyspace),
    ...readRedis(reader),
  };
}

async function attempt(check: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [{ check, level: "fail", text: `could not be asked: ${errorText(error)}` }];
  }
}

async function factsOfNats({ streams, monitorUrl }: DoctorConfig): Promise<NatsFacts> {
  const connection = await connectJetStream({ ...streams.nats, logger: silentLogger });
  try {
    const names = streamNamesOf(streams.logName);
    const { partitions, lanes } = streams;
    const orders = { intake: partitions, lanes: laneLayout(partitions, lanes).partitions };
    const found = await Promise.all([
      factsOfStream(connection, names.intake, orders.intake),
      factsOfStream(connection, names.lanes, orders.lanes),
      factsOfStream(connection, names.events),
    ]);
    return {
      version: connection.serverVersion,
      messageBytesMax: connection.messageBytesMax,
      streams: found.flat(),
      sync: monitorUrl === "" ? undefined : await syncOf(monitorUrl),
    };
  } finally {
    await connection.close();
  }
}

/** Nothing where it is not there. The stream of events, which has no partitions, is brought to its settings when the profile service starts. */
async function factsOfStream(connection: JetStreamConnection, name: string, partitions?: number): Promise<NatsFacts["streams"]> {
  const room = await roomOf(connection, name);
  if (room === undefined) return [];
  return [{ name, ...room, problems: partitions === undefined ? [] : streamProblems(room.config, { name, partitions }) }];
}

/** From the monitoring port, as no client may ask for it. */
async function syncOf(monitorUrl: string): Promise<NatsFacts["sync"]> {
  const answer = await fetch(new URL("/jsz?config=true", monitorUrl), { signal: AbortSignal.timeout(limits.rpcFirstBytesMsMax) });
  const { config } = await answer.json() as { config?: { sync_always?: boolean; sync_interval?: number } };
  return { always: config?.sync_always === true, everySeconds: (config?.sync_interval ?? 0) / nanosPerSecond };
}

async function factsOfCassandra({ cassandra, keyspace }: StoreConfig, all: readonly string[]): Promise<CassandraFacts> {
  const session = openCassandra(cassandra, systemClock);
  try {
    const [local] = await ask(session, "SELECT release_version FROM system.local");
    const peers = await ask(session, "SELECT peer FROM system.peers");
    const [sync] = await ask(session, "SELECT value FROM system_views.settings WHERE name = 'commitlog_sync'");
    const keyspaces = await ask(session, "SELECT keyspace_name, replication FROM system_schema.keyspaces");
    const tables = await session.execute({ cql: selectTables, values: { all } });
    const own = keyspaces.find((row) => row["keyspace_name"] === keyspace);
    const copies = Object.entries((own?.["replication"] ?? {}) as Record<string, string>).find(([name]) => name === cassandra.datacenter);
    return {
      version: String(local?.["release_version"]),
      nodes: peers.length + 1,
      commitlogSync: String(sync?.["value"] ?? "unknown"),
      copies: copies === undefined ? undefined : Number(copies[1]),
      graces: tables.map((row) => ({
        table: `${String(row["keyspace_name"])}.${String(row["table_name"])}`,
        seconds: Number(row["gc_grace_seconds"]),
      })),
    };
  } finally {
    await session.close();
  }
}

const selectTables = "SELECT keyspace_name, table_name, gc_grace_seconds FROM system_schema.tables WHERE keyspace_name IN :all";

function ask(session: Session, cql: string): ReturnType<Session["execute"]> {
  return session.execute({ cql, values: {} });
}

async function checkTables(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const load of meshKeyspaces) findings.push(await checkTablesOf(load, env));
  return findings;
}

async function checkTablesOf(load: LoadKeyspace, env: NodeJS.ProcessEnv): Promise<Finding> {
  const { part, schemaFolder } = await load();
  const { cassandra, keyspace } = readConfig(env, (reader) => readStore(reader, part));
  const session = openCassandra({ ...cassandra, keyspace }, systemClock);
  const migrations = readMigrations(schemaFolder);
  const version = await currentVersion(session, migrations).catch(errorText);
  await session.close();
  return { check: keyspace, ...(typeof version === "string" ? { level: "fail", text: version } : judgeTables(version, migrations.length)) };
}

/** Whether the log and the rows of each keyspace are of one history. */
async function checkEpochs(env: NodeJS.ProcessEnv, streams: StreamsConfig): Promise<Finding[]> {
  const connection = await connectJetStream({ ...streams.nats, logger: silentLogger });
  const keyspaces = await openEpochKeyspaces(env);
  try {
    const findings: Finding[] = [];
    for (const keyspace of keyspaces.all) {
      const check = `${keyspace.keyspace} log`;
      findings.push(...await attempt(check, async () => [{ check, ...judgeEpoch(await findAll(connection, { ...keyspace, streams })) }]));
    }
    return findings;
  } finally {
    await keyspaces.close();
    await connection.close();
  }
}

async function factsOfRedis({ redisUrl, redisTls }: RedisConfig): Promise<RedisFacts> {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: limits.rpcFirstBytesMsMax,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    ...(redisTls && { tls: redisTls }),
  });
  redis.on("error", () => {});
  try {
    await redis.connect();
    const info = await redis.info();
    const settings = await redis.config("GET", "maxmemory-policy").catch(() => []) as string[];
    return {
      version: /^redis_version:(\S+)/m.exec(info)?.[1] ?? "",
      policy: settings[1],
      appendOnly: /^aof_enabled:1/m.test(info),
    };
  } finally {
    redis.disconnect();
  }
}

const nanosPerSecond = 1e9;
