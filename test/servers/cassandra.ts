/** A real Cassandra of one node, as a plain Java process. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type CassandraPlace, type CassandraTls, cassandraYaml, javaFlags, logback } from "./cassandra-files.ts";
import { provision } from "./provision.ts";
import { freePorts, type Server, startServer } from "./server-process.ts";
import { withTimerSlack } from "./timer-slack.ts";

/**
 * Takes 8 to 20 s and 1.5 GB. `commitlogSync` is "periodic" (10 s: fast, and a power cut would lose them) unless a test
 * asks for "group" or "batch". A process kill loses nothing either way.
 */
export async function startCassandra(options: CassandraOptions = {}): Promise<CassandraServer> {
  const { found, missing } = await provision("cassandra");
  if (!found) throw new Error(missing);
  const library = join(found.folder ?? "", "lib");
  const { address = local, seeds = [address], ports } = options;
  const { port, storagePort, tlsPort } = ports ?? await cassandraPorts();
  const [jmxPort = 0] = options.isMeasured ? await freePorts(1) : [];
  const server = await startServer({
    name: "cassandra",
    host: address,
    port,
    ready: /Starting listening for CQL clients/,
    command: (folder) => {
      const data = join(folder, "data");
      if (!existsSync(data)) mkdirSync(data, { recursive: true });
      const tls = options.tls && writeTls(folder, tlsPort, options.tls);
      const place = { data, address, seeds, port, storagePort, commitlogSync: options.commitlogSync ?? "periodic" };
      writeFileSync(join(folder, "cassandra.yaml"), cassandraYaml({ ...place, ...(tls && { tls }) }));
      writeFileSync(join(folder, "logback.xml"), logback);
      return withTimerSlack([
        found.program,
        ...heapOf(options),
        "-XX:+UseG1GC",
        // The second compiler takes ten seconds of CPU at each start, and pays only where a server runs for long
        ...(options.lastsLong || options.isMeasured ? [] : ["-XX:TieredStopAtLevel=1"]),
        `-javaagent:${join(library, "jamm-0.4.0.jar")}`,
        `-Dcassandra.config=file://${join(folder, "cassandra.yaml")}`,
        `-Dcassandra.storagedir=${data}`,
        // Libraries are unpacked there at each start, and stay where the server is killed
        `-Djava.io.tmpdir=${folder}`,
        "-Dcassandra-foreground=yes",
        ...(jmxPort > 0 ? [`-Dcassandra.jmx.local.port=${jmxPort}`] : []),
        `-Dlogback.configurationFile=${join(folder, "logback.xml")}`,
        "-Dcassandra.ring_delay_ms=100",
        "-Dcassandra.skip_wait_for_gossip_to_settle=0",
        "-Djdk.attach.allowAttachSelf=true",
        ...javaFlags,
        "-cp",
        `${folder}:${join(library, "*")}`,
        "org.apache.cassandra.service.CassandraDaemon",
      ]);
    },
  }, options.folder);
  async function nodetool(...args: readonly string[]): Promise<string> {
    const tool = ["-cp", join(library, "*"), "org.apache.cassandra.tools.NodeTool", "-p", String(jmxPort), ...args];
    return (await promisify(execFile)(found?.program ?? "", [...javaFlags, ...tool])).stdout;
  }
  return Object.assign(server, { port, tlsPort, contactPoint: `${address}:${port}`, datacenter: "datacenter1", nodetool });
}

/** All nodes of a cluster have the same, at addresses of their own. */
export async function cassandraPorts(): Promise<CassandraPorts> {
  const [port = 0, storagePort = 0, tlsPort = 0] = await freePorts(3);
  return { port, storagePort, tlsPort };
}

const local = "127.0.0.1";

function writeTls(folder: string, port: number, { ca, cert, key }: CassandraTls): CassandraPlace["tls"] {
  const tls = { port, own: join(folder, "own.pem"), authority: join(folder, "authority.pem") };
  writeFileSync(tls.own, key + cert);
  writeFileSync(tls.authority, ca);
  return tls;
}

function heapOf({ heapMegabytes = defaultHeapMegabytes, isMeasured }: CassandraOptions): string[] {
  const measured = productionHeapMegabytes(totalmem() / 2 ** 20);
  return isMeasured ? [`-Xms${measured}m`, `-Xmx${measured}m`] : ["-Xms512m", `-Xmx${heapMegabytes}m`];
}

const defaultHeapMegabytes = 2048;

/** As Cassandra's own scripts choose it (conf/cassandra-env.sh): with less, what the bench writes makes it mark its old objects all the time. */
function productionHeapMegabytes(machineMegabytes: number): number {
  return Math.floor(Math.max(Math.min(machineMegabytes / 2, 1024), Math.min(machineMegabytes / 4, 8192)));
}

export interface CassandraOptions {
  readonly folder?: string;
  readonly commitlogSync?: "periodic" | "group" | "batch";
  readonly heapMegabytes?: number;
  /** Of a server that works for a good while: compiled as in production. */
  readonly lastsLong?: boolean;
  /** As with `lastsLong`, and with the heap of production instead of `heapMegabytes`. */
  readonly isMeasured?: boolean;
  /** Of a node of a cluster; 127.0.0.1 and no other node unless given. */
  readonly address?: string;
  readonly seeds?: readonly string[];
  readonly ports?: CassandraPorts;
  /** Serves `tlsPort` too. */
  readonly tls?: CassandraTls;
}

export interface CassandraPorts {
  readonly port: number;
  readonly storagePort: number;
  readonly tlsPort: number;
}

export type CassandraServer = Server & {
  readonly port: number;
  /** For clients with a certificate; nothing is there without `tls`. */
  readonly tlsPort: number;
  readonly contactPoint: string;
  readonly datacenter: string;
  /** What Cassandra's own tool prints; of a node that `isMeasured` alone, as it takes a port more. */
  nodetool(...args: readonly string[]): Promise<string>;
};
