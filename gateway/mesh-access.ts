/** Who may call in the mesh: its settings, its keyspace, and the notices between gateways, put together. */
import { join } from "node:path";
import { openKeyspace } from "../platform/cassandra/keyspace.ts";
import type { Clock } from "../platform/clock.ts";
import type { ConfigReader } from "../platform/config.ts";
import { openCassandraDocuments } from "../platform/documents/cassandra.ts";
import type { Logger } from "../platform/logger.ts";
import { readOptionalNats, readStore, type StoreConfig, type StreamsConfig } from "../platform/mesh-config.ts";
import type { Tenants } from "../platform/rpc/tenants.ts";
import type { Access } from "./access/access.ts";
import type { AccessAdmin } from "./access/admin/admin.ts";
import { openAccessNotices } from "./access/store/notices.ts";
import { openProcesses, type Processes } from "./access/admin/processes.ts";
import { accessLayout, openAccess } from "./access/store/store.ts";
import { openTenants } from "./access/store/tenants.ts";
import { openRestoreNotes, type RestoreNotes } from "./access/store/restore-notes.ts";
import { connectGatewayBus, type GatewayBus } from "./access/store/gateway-bus.ts";
import { openWritePause, type WritePause } from "./access/store/write-pause.ts";

export interface MeshAccessConfig {
  readonly store: StoreConfig;
  /** HEDDLE_LOG_NAME: several installations may share a keyspace as they may share a NATS. */
  readonly installation: string;
  /** Without it gateways see changes by polling alone. */
  readonly nats?: StreamsConfig["nats"];
}

export function readMeshAccess(reader: ConfigReader): MeshAccessConfig {
  const nats = readOptionalNats(reader);
  return {
    store: readStore(reader, "gateway"),
    installation: reader.text("HEDDLE_LOG_NAME", { fallback: "heddle" }),
    ...(nats ? { nats } : {}),
  };
}

export const meshAccessSchema = join(import.meta.dirname, "access/schema");

export interface MeshAccess {
  readonly access: Access & AccessAdmin;
  readonly restores: RestoreNotes;
  readonly writes: WritePause;
  readonly processes: Processes;
  /** To the other gateways; undefined where there is no NATS. */
  readonly bus?: GatewayBus;
  close(): Promise<void>;
}

/** Refuses STORE_UNAVAILABLE where Cassandra cannot be reached, and where its tables wait for `heddle migrate`. */
export async function openMeshAccess(
  config: MeshAccessConfig,
  deps: { readonly clock: Clock; readonly logger: Logger },
): Promise<MeshAccess> {
  const keyspace = await openKeyspace(config.store, meshAccessSchema, deps.clock);
  const bus = config.nats ? connectGatewayBus({ ...config.nats, logger: deps.logger }, deps.clock) : undefined;
  async function closeBehind(): Promise<void> {
    await bus?.close();
    await keyspace.close();
  }
  try {
    const documents = openCassandraDocuments({ session: keyspace.session, layout: accessLayout, clock: deps.clock });
    const { installation } = config;
    const access = await openAccess({
      documents,
      installation,
      ...deps,
      ...(bus && { notices: openAccessNotices(bus, `${installation}-access`) }),
    });
    return {
      access,
      ...(bus && { bus }),
      restores: openRestoreNotes({ documents, installation, clock: deps.clock }),
      processes: openProcesses({ documents, installation, ...deps }),
      writes: openWritePause({ documents, installation, clock: deps.clock }),
      async close() {
        access.close();
        await closeBehind();
      },
    };
  } catch (error) {
    await closeBehind();
    throw error;
  }
}

/** What a part that serves RPCs reads and writes of it. */
export interface MeshTenants extends Tenants, Pick<Processes, "announce"> {
  close(): Promise<void>;
}

/** Which workspaces and companies there are, and that the part runs. Refuses as openMeshAccess does. */
export async function openMeshTenants(
  { store, installation }: MeshAccessConfig,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<MeshTenants> {
  const { session, close } = await openKeyspace(store, meshAccessSchema, clock);
  try {
    const documents = openCassandraDocuments({ session, layout: accessLayout, clock });
    const { isKnown, find, close: closeTenants } = await openTenants({ documents, installation, clock });
    return {
      isKnown,
      find,
      announce: openProcesses({ documents, installation, clock, logger }).announce,
      async close() {
        closeTenants();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
