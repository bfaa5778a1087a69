/** Three nodes each of Cassandra and nats-server on this machine, and a redis-server: what an installation for production has. */
import { migrate } from "../mesh-servers.ts";
import { cassandraPorts, type CassandraServer, startCassandra } from "../servers/cassandra.ts";
import { type NatsServer, startNats } from "../servers/nats.ts";
import { startRedis } from "../servers/redis.ts";
import { freePorts, type Server } from "../servers/server-process.ts";

const addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
const heapMegabytes = 768;

/** Each row and each message has three copies. About 4 GB, and minutes on a busy machine. */
export async function startClusters(): Promise<Clusters> {
  const started: Server[] = [];
  async function stop(): Promise<void> {
    await Promise.all(started.map((server) => server.stop()));
  }
  try {
    const redis = await startRedis();
    started.push(redis);
    const nats = await startNatsCluster();
    started.push(...nats);
    const cassandra: CassandraServer[] = [];
    const ports = await cassandraPorts();
    // One that joins asks the others, so they come one after the other
    for (const address of addresses) {
      const node = await startCassandra({ address, seeds: addresses, ports, heapMegabytes, commitlogSync: "periodic", lastsLong: true });
      started.push(node);
      cassandra.push(node);
    }
    const settings = {
      HEDDLE_REDIS_URL: redis.url,
      HEDDLE_NATS_URL: nats.map(({ url }) => url).join(),
      HEDDLE_LOG_REPLICAS: "3",
      HEDDLE_CASSANDRA_CONTACT_POINTS: cassandra.map(({ contactPoint }) => contactPoint).join(),
      HEDDLE_CASSANDRA_DATACENTER: "datacenter1",
    };
    await migrate({ ...settings, HEDDLE_CASSANDRA_REPLICATION: "3" });
    return { cassandra, nats, settings, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** All at once: none is ready before it found another one. */
async function startNatsCluster(): Promise<NatsServer[]> {
  const ports = await freePorts(addresses.length);
  const routes = await freePorts(addresses.length);
  return await Promise.all(ports.map((port, at) => startNats({ cluster: { port, routePort: routes[at] ?? 0, routes } })));
}

export interface Clusters {
  readonly cassandra: readonly CassandraServer[];
  readonly nats: readonly NatsServer[];
  /** Environment variables of every process of the mesh. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}
