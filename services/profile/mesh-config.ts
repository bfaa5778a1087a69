/** The settings of a profile process of the mesh: a pure function from a record of texts. */
import type { CassandraConfig } from "../../platform/cassandra/driver.ts";
import type { ConfigReader } from "../../platform/config.ts";
import { limits } from "../../platform/limits.ts";
import type { ConnectOptions } from "../../platform/log/jetstream-connection.ts";
import { readProfileConfig } from "./config.ts";

export interface MeshProfileConfig extends MeshStoreConfig {
  readonly undoWindowMs: number;
  readonly nats: Pick<ConnectOptions, "servers" | "credentials">;
  /** Streams are called `<logName>_intake` and `<logName>_lanes`. */
  readonly logName: string;
  readonly replicas: number;
  /** Of each stream. */
  readonly bytesMax: number;
  /** Fixed when the streams are made, as are `lanes`. */
  readonly partitions: number;
  readonly lanes: number;
  readonly rpc: {
    readonly host: string;
    readonly port: number;
    readonly reflection: boolean;
    /** Who may call, by the name that callers give. */
    readonly callers: readonly string[];
  };
}

export interface MeshStoreConfig {
  readonly cassandra: Omit<CassandraConfig, "keyspace" | "deadlineMs">;
  readonly keyspace: string;
}

export function readMeshProfileConfig(reader: ConfigReader): MeshProfileConfig {
  return {
    ...readMeshStoreConfig(reader),
    ...readProfileConfig(reader),
    nats: readNats(reader),
    logName: reader.text("HEDDLE_LOG_NAME", { fallback: "heddle" }),
    replicas: reader.whole("HEDDLE_LOG_REPLICAS", { min: 1, max: 5, fallback: 1 }),
    bytesMax: megabyte * reader.whole("HEDDLE_LOG_MEGABYTES", { min: 64, max: 1024 * 1024, fallback: 1024 }),
    partitions: reader.whole("HEDDLE_LOG_PARTITIONS", { min: 1, max: 64, fallback: 4 }),
    lanes: reader.whole("HEDDLE_LOG_LANES", { min: 1, max: 1024, fallback: limits.lanesPerService }),
    rpc: {
      host: reader.text("HEDDLE_PROFILE_RPC_HOST", { fallback: "127.0.0.1" }),
      port: reader.whole("HEDDLE_PROFILE_RPC_PORT", { min: 0, max: limits.portMax, fallback: defaultPort }),
      reflection: reader.flag("HEDDLE_RPC_REFLECTION", { fallback: false }),
      callers: reader.list("HEDDLE_PROFILE_CALLERS", { fallback: ["gateway"] }),
    },
  };
}

export function readMeshStoreConfig(reader: ConfigReader): MeshStoreConfig {
  const username = reader.text("HEDDLE_CASSANDRA_USER", { fallback: "" });
  const password = reader.text("HEDDLE_CASSANDRA_PASSWORD", { fallback: "", secret: true });
  return {
    cassandra: {
      contactPoints: reader.list("HEDDLE_CASSANDRA_CONTACT_POINTS"),
      datacenter: reader.text("HEDDLE_CASSANDRA_DATACENTER"),
      ...(username === "" ? {} : { credentials: { username, password } }),
    },
    keyspace: reader.text("HEDDLE_PROFILE_KEYSPACE", { fallback: "heddle_profile" }),
  };
}

function readNats(reader: ConfigReader): MeshProfileConfig["nats"] {
  const servers = reader.list("HEDDLE_NATS_URL");
  const token = reader.text("HEDDLE_NATS_TOKEN", { fallback: "", secret: true });
  const user = reader.text("HEDDLE_NATS_USER", { fallback: "" });
  const password = reader.text("HEDDLE_NATS_PASSWORD", { fallback: "", secret: true });
  if (token !== "") return { servers, credentials: { token } };
  return user === "" ? { servers } : { servers, credentials: { user, password } };
}

const megabyte = 1024 * 1024;
const defaultPort = 9101;
