/** The real servers that the mesh stands on, with its tables made, and the settings of its processes. */
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { promisify } from "node:util";
import { type CassandraOptions, type CassandraServer, startCassandra } from "./servers/cassandra.ts";
import { type NatsServer, startNats } from "./servers/nats.ts";
import { type RedisServer, startRedis } from "./servers/redis.ts";
import { whileItMoves } from "./start-wait.ts";

const here = resolve(import.meta.dirname, "..");

/** About 25 s and 2 GB. Data are thrown away unless `folder` keeps them. Rejects with what is missing on this machine. */
export async function startMeshServers(
  options: Pick<CassandraOptions, "folder" | "lastsLong" | "isMeasured"> = {},
): Promise<MeshServers> {
  const { lastsLong = false, isMeasured = false } = options;
  const place = (name: string) => folderOf(options.folder, name);
  const starts = await Promise.allSettled([
    startNats(place("nats")),
    startRedis(place("redis")),
    startCassandra({ ...place("cassandra"), heapMegabytes: 1024, commitlogSync: "group", lastsLong, isMeasured }),
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

/** Makes the tables as the build in `repository` knows them; rejects with what it printed where it fails, or stands still. */
export async function migrate(
  settings: Readonly<Record<string, string>>,
  repository = here,
  options: readonly string[] = [],
): Promise<void> {
  const variables = { PATH: env.PATH ?? "", HOME: env.HOME ?? "", ...settings };
  let printed = "";
  const made = promisify(execFile)(execPath, [join(repository, "cli/heddle.mjs"), "migrate", "--wait", "120", ...options], {
    env: variables,
  });
  for (const stream of [made.child.stdout, made.child.stderr]) stream?.on("data", (chunk) => printed += String(chunk));
  await whileItMoves(made, { name: "heddle migrate", pid: made.child.pid, printed: () => printed }).catch((error: unknown) => {
    made.child.kill("SIGKILL");
    throw error;
  });
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
