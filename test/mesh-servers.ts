/** The real servers that the mesh stands on, with its tables made, and what its processes are told of them. */
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { promisify } from "node:util";
import { type CassandraServer, startCassandra } from "./servers/cassandra.ts";
import { type NatsServer, startNats } from "./servers/nats.ts";
import { type RedisServer, startRedis } from "./servers/redis.ts";

const entry = resolve(import.meta.dirname, "../cli/heddle.mjs");
const migrateMsMax = 120_000;

/** About 25 s and 2 GB. Data are thrown away unless `folder` keeps them. Rejects with what is missing on this machine. */
export async function startMeshServers(options: { readonly folder?: string } = {}): Promise<MeshServers> {
  const place = (name: string) => folderOf(options.folder, name);
  const starts = await Promise.allSettled([
    startNats(place("nats")),
    startRedis(place("redis")),
    startCassandra({ ...place("cassandra"), heapMegabytes: 1024, commitlogSync: "group" }),
  ]);
  const [nats, redis, cassandra] = starts;
  async function stop(): Promise<void> {
    await Promise.all(starts.map((start) => start.status === "fulfilled" ? start.value.stop() : undefined));
  }
  try {
    if (nats.status === "rejected") throw nats.reason;
    if (redis.status === "rejected") throw redis.reason;
    if (cassandra.status === "rejected") throw cassandra.reason;
    const settings = settingsOf(nats.value, redis.value, cassandra.value);
    await migrate({ ...settings, HEDDLE_CASSANDRA_REPLICATION: "1" });
    return { nats: nats.value, redis: redis.value, cassandra: cassandra.value, settings, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes the tables; rejects after `msMax`. */
export async function migrate(settings: Readonly<Record<string, string>>, msMax = migrateMsMax): Promise<void> {
  const variables = { PATH: env.PATH ?? "", HOME: env.HOME ?? "", ...settings };
  await promisify(execFile)(execPath, [entry, "migrate"], { env: variables, timeout: msMax });
}

function folderOf(folder: string | undefined, name: string): { folder?: string } {
  if (folder === undefined) return {};
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return { folder: path };
}

function settingsOf(nats: NatsServer, redis: RedisServer, cassandra: CassandraServer): Record<string, string> {
  return {
    HEDDLE_NATS_URL: nats.url,
    HEDDLE_REDIS_URL: redis.url,
    HEDDLE_CASSANDRA_CONTACT_POINTS: cassandra.contactPoint,
    HEDDLE_CASSANDRA_DATACENTER: cassandra.datacenter,
  };
}

export interface MeshServers {
  readonly nats: NatsServer;
  readonly redis: RedisServer;
  readonly cassandra: CassandraServer;
  /** Environment variables of every process of the mesh. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}
