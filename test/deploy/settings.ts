/** What the parts make of an environment: their own readers of settings, with a note of every name they asked for. */
import { readConfig } from "../../platform/config.ts";
import { meshKeyspaces, meshParts } from "../../cli/target/mesh-parts.ts";
import { readReaches } from "../../cli/operate/mesh-reaches.ts";
import { readMeshGatewayConfig } from "../../cli/run/serve-gateway.ts";
import { readMeshAccess } from "../../gateway/mesh-access.ts";
import type { ConfigReader } from "../../platform/config.ts";
import { readEvents, readPeer, readStore, readStreams, type RpcServerConfig, type StoreConfig } from "../../platform/mesh-config.ts";
import { readTelemetryConfig } from "../../platform/telemetry/config.ts";

/** And what else the part makes of it. */
export interface PartSettings {
  readonly asked: ReadonlySet<string>;
  readonly rpc?: RpcServerConfig;
  readonly gateway?: { readonly port: number };
  readonly metricsPort?: number | undefined;
  /** Of the migration. */
  readonly stores?: readonly StoreConfig[];
}

/** Names that a process reads beside its part's. */
const ofEveryProcess = ["HEDDLE_LOG_LEVEL", "TMPDIR", "NODE_COMPILE_CACHE"];

/** Throws ConfigError with every problem, as the part would at its start. */
export async function readPart(part: string, environment: Readonly<Record<string, string>>): Promise<PartSettings> {
  const asked = new Set(ofEveryProcess);
  const record = new Proxy(withFiles(environment), {
    getOwnPropertyDescriptor(target, key) {
      asked.add(String(key));
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  });
  const read = await readerOf(part);
  const { settings, telemetry } = readConfig(record, (reader) => ({ settings: read(reader), telemetry: readTelemetryConfig(reader) }));
  return { asked, ...settings, metricsPort: telemetry.metricsPort };
}

/** Certificates are mounted in the cluster; here any file stands for them. */
export function withFiles(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.startsWith(mounted) ? import.meta.filename : value]),
  );
}

/** Beneath it is what Secrets hold as files. */
export const mounted = "/etc/heddle/";
/** Where the component `tls` mounts them. */
export const certificates = "/etc/heddle/tls";

async function readerOf(part: string): Promise<(reader: ConfigReader) => Omit<PartSettings, "asked">> {
  if (part === "gateway") return readMeshGatewayConfig;
  if (part === "migrate") return readMigrate;
  if (part === "operator" || part === "backup") return readOperator;
  const loadPart = meshParts.get(part);
  if (!loadPart) throw new Error(`Expected a part of the mesh, got "${part}"`);
  let found: ((reader: ConfigReader) => object) | undefined;
  const { serve } = await loadPart();
  await serve((read) => {
    found = read;
    return Promise.resolve(0);
  });
  if (!found) throw new Error(`"${part}" has no settings`);
  return found;
}

const keyspaces = await Promise.all(meshKeyspaces.map((load) => load()));

function readMigrate(reader: ConfigReader): Omit<PartSettings, "asked"> {
  reader.whole("HEDDLE_CASSANDRA_REPLICATION", { min: 1, max: 9, fallback: 3 });
  return { stores: keyspaces.map(({ part }) => readStore(reader, part)) };
}

/** What commands read that operate the mesh: heddle log, doctor, backup and restore. */
function readOperator(reader: ConfigReader): Omit<PartSettings, "asked"> & Record<string, unknown> {
  return {
    reaches: readReaches(reader),
    streams: readStreams(reader),
    events: readEvents(reader),
    access: readMeshAccess(reader),
    peers: ["profile", "subscription", "messaging-status"].map((part) => readPeer(reader, part)),
    stores: keyspaces.map(({ part }) => readStore(reader, part)),
  };
}

/** All parts that run as processes of their own. */
export const partNames: readonly string[] = ["gateway", ...meshParts.keys()];
