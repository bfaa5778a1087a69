/** Settings that parts of the mesh have in common, each read by one function; none of them opens anything. */
import type { ConnectionOptions } from "node:tls";
import type { ConfigReader } from "./config.ts";
import { isLoopback } from "./internal-host.ts";
import { limits } from "./limits.ts";

export interface CassandraConfig {
  /** `host` or `host:port`, some of the cluster. */
  readonly contactPoints: readonly string[];
  readonly datacenter: string;
  /** Absent only for what creates keyspaces. */
  readonly keyspace?: string;
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly tls?: ConnectionOptions;
  /** The longest a statement may take, with everything the driver tries. */
  readonly deadlineMs?: number;
}

/** Where a part keeps its tables. */
export interface StoreConfig {
  readonly cassandra: Omit<CassandraConfig, "keyspace" | "deadlineMs">;
  readonly keyspace: string;
}

export interface NatsConfig {
  /** `nats://host:port`, several of one cluster. */
  readonly servers: readonly string[];
  readonly credentials?: { readonly user: string; readonly password: string } | { readonly token: string };
  /** PEM texts: the authority of the servers, and our own certificate where they ask for one. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
}

/** The streams of a cluster and how to reach them: the same for all parts that read or write them. */
export interface StreamsConfig {
  readonly nats: NatsConfig;
  /** Streams are called `<logName>_intake` and `<logName>_lanes`. */
  readonly logName: string;
  readonly replicas: number;
  /** Of each stream. */
  readonly bytesMax: number;
  /** Of the intake. Fixed when the streams are made, as are `lanes`. */
  readonly partitions: number;
  /** Of each service. */
  readonly lanes: number;
}

/** The stream of events, as `openEventStream` takes it. */
export interface EventsConfig extends NatsConfig {
  readonly name: string;
  readonly replicas: number;
  readonly bytesMax: number;
  readonly keepMs: number;
}

/** PEM texts: the authority that callers' certificates must come from, and this side's own. */
export interface ServerTls {
  readonly ca: string | Buffer;
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** Where a part serves its RPCs, and to whom. */
export interface RpcServerConfig {
  readonly host: string;
  readonly port: number;
  readonly reflection: boolean;
  /** Who may call, by the name that callers give, or that their certificates have. */
  readonly callers: readonly string[];
  /** Names that the port may be asked by, beside those of private networks. */
  readonly hosts: readonly string[];
  readonly tls?: ServerTls;
}

/** Another part, as `connectClient` takes it. */
export interface PeerConfig {
  /** Of each of its processes. */
  readonly addresses: readonly string[];
  /** The certificate of this process, and the authority that the other's must come from. */
  readonly tls?: ServerTls;
}

/** A part that owns consent, as `serveMeshPart` takes it. */
export interface MeshPartConfig extends StoreConfig, StreamsConfig {
  readonly events: EventsConfig;
  readonly rpc: RpcServerConfig;
  /** Asked who is meant. */
  readonly profile: PeerConfig;
}

/** `port` and `callers` where they are not given. */
export function readMeshPart(
  reader: ConfigReader,
  part: string,
  rpc: { readonly port: number; readonly callers: readonly string[] },
): MeshPartConfig {
  return {
    ...readStore(reader, part),
    ...readStreams(reader),
    events: readEvents(reader),
    rpc: readRpcServer(reader, part, rpc),
    profile: readPeer(reader, "profile"),
  };
}

/** `part` as in "messaging-status": HEDDLE_MESSAGING_STATUS_KEYSPACE, `heddle_messaging_status` unless given. */
export function readStore(reader: ConfigReader, part: string): StoreConfig {
  const tls = readTls(reader, "HEDDLE_CASSANDRA");
  const username = reader.text("HEDDLE_CASSANDRA_USER", { fallback: "" });
  const password = reader.text("HEDDLE_CASSANDRA_PASSWORD", { fallback: "", secret: true });
  return {
    cassandra: {
      contactPoints: reader.list("HEDDLE_CASSANDRA_CONTACT_POINTS"),
      datacenter: reader.text("HEDDLE_CASSANDRA_DATACENTER"),
      ...(username === "" ? {} : { credentials: { username, password } }),
      ...(tls && { tls }),
    },
    keyspace: reader.text(partVariable(part, "KEYSPACE"), { fallback: `heddle_${part.replaceAll("-", "_")}` }),
  };
}

/** What the streams may be given, as the settings HEDDLE_LOG_MEGABYTES, _PARTITIONS and _LANES have it. */
export const streamBounds = {
  megabytes: { min: 64, max: 1024 * 1024 },
  partitions: { min: 1, max: 64 },
  lanes: { min: 1, max: 1024 },
} as const;

export function readStreams(reader: ConfigReader): StreamsConfig {
  return {
    ...readStreamNames(reader),
    bytesMax: megabyte * reader.whole("HEDDLE_LOG_MEGABYTES", { ...streamBounds.megabytes, fallback: 1024 }),
    partitions: reader.whole("HEDDLE_LOG_PARTITIONS", { ...streamBounds.partitions, fallback: 4 }),
    lanes: reader.whole("HEDDLE_LOG_LANES", { ...streamBounds.lanes, fallback: limits.lanesPerService }),
  };
}

function readStreamNames(reader: ConfigReader): Pick<StreamsConfig, "nats" | "logName" | "replicas"> {
  return {
    nats: readNats(reader),
    logName: reader.text("HEDDLE_LOG_NAME", { fallback: "heddle" }),
    replicas: reader.whole("HEDDLE_LOG_REPLICAS", { min: 1, max: 5, fallback: 1 }),
  };
}

/** The same for all parts that publish or read events. */
export function readEvents(reader: ConfigReader): EventsConfig {
  const { nats, logName, replicas } = readStreamNames(reader);
  const bounds = { min: 60_000, max: 365 * 24 * 3600 * 1000, fallback: limits.eventsKeepMs };
  return {
    ...nats,
    name: `${logName}_events`,
    replicas,
    bytesMax: megabyte * reader.whole("HEDDLE_EVENTS_MEGABYTES", { min: 1, max: 1024 * 1024, fallback: 256 }),
    keepMs: reader.durationMs("HEDDLE_EVENTS_KEEP", bounds),
  };
}

/** HEDDLE_<PART>_RPC_HOST, _RPC_PORT and _CALLERS, with the operators; `port` and `callers` where they are not given. */
export function readRpcServer(
  reader: ConfigReader,
  part: string,
  { port, callers }: { readonly port: number; readonly callers: readonly string[] },
): RpcServerConfig {
  return {
    ...readRpcAddress(reader, partVariable(part, "RPC_HOST")),
    port: reader.whole(partVariable(part, "RPC_PORT"), { min: 0, max: limits.portMax, fallback: port }),
    reflection: reader.flag("HEDDLE_RPC_REFLECTION", { fallback: false }),
    callers: [...reader.list(partVariable(part, "CALLERS"), { fallback: callers }), ...readOperators(reader)],
  };
}

/** HEDDLE_OPERATORS: who calls every part, as commands of operators do. */
export function readOperators(reader: ConfigReader): readonly string[] {
  return reader.list("HEDDLE_OPERATORS", { fallback: ["operator"] });
}

/** Of all parts in one process: HEDDLE_RPC_HOST, _PORT and _CALLERS. Undefined where no port is given: nothing is served. */
export function readOptionalRpcServer(reader: ConfigReader): RpcServerConfig | undefined {
  const port = reader.whole("HEDDLE_RPC_PORT", { min: notServed, max: limits.portMax, fallback: notServed });
  if (port === notServed) return undefined;
  return {
    ...readRpcAddress(reader, "HEDDLE_RPC_HOST"),
    port,
    reflection: reader.flag("HEDDLE_RPC_REFLECTION", { fallback: false }),
    callers: reader.list("HEDDLE_RPC_CALLERS", { fallback: ["client"] }),
  };
}

/** Without certificates a caller is believed by the name that it says: beyond this machine only where the operator chose that by name. */
function readRpcAddress(reader: ConfigReader, hostKey: string): Pick<RpcServerConfig, "host" | "hosts" | "tls"> {
  const host = reader.text(hostKey, { fallback: "127.0.0.1" });
  const own = identity(reader);
  if (own.tls === undefined && !isLoopback(host)) {
    reader.text("HEDDLE_RPC_INSECURE", { choices: ["private-network"], expected: insecure(hostKey) });
  }
  return { host, hosts: reader.list("HEDDLE_INTERNAL_HOSTS", { fallback: [] }).map((name) => name.toLowerCase()), ...own };
}

function insecure(hostKey: string): string {
  return `HEDDLE_RPC_TLS_CA, _CERT and _KEY, as ${hostKey} is beyond this machine and callers without certificates are believed by name; or ` +
    '"private-network" here, where nobody but Heddle can reach the port';
}

/** The certificate of a part, as a server and as a caller: all three of HEDDLE_RPC_TLS_CA, _CERT and _KEY or none. */
function identity(reader: ConfigReader): { tls?: ServerTls } {
  const keys = ["CA", "CERT", "KEY"].map((end) => `HEDDLE_RPC_TLS_${end}`);
  if (keys.every((key) => reader.text(key, { fallback: "" }) === "")) return {};
  const [ca = "", cert = "", key = ""] = keys.map((each) => reader.file(each));
  return { tls: { ca, cert, key } };
}

/** TLS to a server: its authority, and where the server asks for it our own certificate. Undefined where no authority is given. */
export function readTls(reader: ConfigReader, prefix: string): { ca: string; cert?: string; key?: string } | undefined {
  const [ca, cert] = ["CA", "CERT"].map((end) => reader.text(`${prefix}_TLS_${end}`, { fallback: "" }) !== "");
  if (!ca && !cert) return undefined;
  const own = cert ? { cert: reader.file(`${prefix}_TLS_CERT`), key: reader.file(`${prefix}_TLS_KEY`) } : {};
  return { ca: reader.file(`${prefix}_TLS_CA`), ...own };
}

/** HEDDLE_<PART>_URL of a part without which this one cannot do. */
export function readPeer(reader: ConfigReader, part: string): PeerConfig {
  return { addresses: reader.list(partVariable(part, "URL")), ...identity(reader) };
}

/** HEDDLE_<PART>_URL of a part that there may be; undefined where it is not given. */
export function readOptionalPeer(reader: ConfigReader, part: string): PeerConfig | undefined {
  const addresses = reader.list(partVariable(part, "URL"), { fallback: [] });
  return addresses.length === 0 ? undefined : { addresses, ...identity(reader) };
}

/** Undefined where HEDDLE_NATS_URL is not given: for a part that can do without. */
export function readOptionalNats(reader: ConfigReader): StreamsConfig["nats"] | undefined {
  return reader.list("HEDDLE_NATS_URL", { fallback: [] }).length === 0 ? undefined : readNats(reader);
}

function readNats(reader: ConfigReader): StreamsConfig["nats"] {
  const tls = readTls(reader, "HEDDLE_NATS");
  const at = { servers: reader.list("HEDDLE_NATS_URL"), ...(tls && { tls }) };
  const token = reader.text("HEDDLE_NATS_TOKEN", { fallback: "", secret: true });
  const user = reader.text("HEDDLE_NATS_USER", { fallback: "" });
  const password = reader.text("HEDDLE_NATS_PASSWORD", { fallback: "", secret: true });
  if (token !== "") return { ...at, credentials: { token } };
  return user === "" ? at : { ...at, credentials: { user, password } };
}

/** The environment variable of a part: ("messaging-status", "URL") is HEDDLE_MESSAGING_STATUS_URL. */
export function partVariable(part: string, name: string): string {
  return `HEDDLE_${part.replaceAll("-", "_").toUpperCase()}_${name}`;
}

const notServed = -1;
const megabyte = 1024 * 1024;
