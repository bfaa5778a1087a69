/** The SCIM service as a process of the mesh: Cassandra, the relay of its events and its RPCs put together. */
import { join } from "node:path";
import { openKeyspace } from "../../platform/cassandra/keyspace.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ConfigReader } from "../../platform/config.ts";
import { openEventStream } from "../../platform/events/jetstream.ts";
import { limits } from "../../platform/limits.ts";
import {
  type EventsConfig,
  readEvents,
  readRpcServer,
  readStore,
  type RpcServerConfig,
  type StoreConfig,
} from "../../platform/mesh-config.ts";
import { repeatedly } from "../../platform/repeatedly.ts";
import { rpcRoute } from "../../platform/rpc/guard.ts";
import type { PartEnds, ServedPart } from "../../platform/rpc/served-part.ts";
import { serveStoreService } from "../../platform/rpc/store-service.ts";
import { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { composeScim } from "./compose.ts";
import type { LogEntry, LogQuestion } from "./domain/ports.ts";
import { openCassandraScim } from "./store/cassandra.ts";
import { type ScimMove, scimMove } from "./store/moved.ts";
import { openRequestLog } from "./store/request-log.ts";

/** Refuses as serveStoreService, and LOG_UNAVAILABLE where NATS cannot be reached. Events that wait go out by another process or the next start. */
export async function serveMeshScim(config: MeshScimConfig, deps: PartEnds): Promise<ServedPart> {
  const { clock, logger } = deps;
  return await serveStoreService({ ...config, schemaFolder: scimMeshSchema }, deps, async (session, opened) => {
    const events = await openEventStream({ ...config.events, logger });
    opened.push(() => events.close());
    const part = composeScim(openCassandraScim(session, clock), { clock, logger, publish: (event) => events.publish([event]) });
    opened.push(() => part.close());
    // What a process left that died between a change and its event
    opened.push(repeatedly(clock, limits.scimOutboxLookMs, () => part.wake()));
    return [rpcRoute(ScimService, part.service)];
  });
}

/** The newest requests of a company, for `heddle scim log`. Refuses STORE_UNAVAILABLE. */
export async function readMeshScimLog(config: StoreConfig, asked: LogQuestion, clock: Clock): Promise<readonly LogEntry[]> {
  const { session, close } = await openKeyspace(config, scimMeshSchema, clock);
  try {
    const limit = Math.min(asked.limit, limits.scimLogEntriesMax);
    return await openRequestLog(openCassandraScim(session, clock), clock).newest({ ...asked, limit });
  } finally {
    await close();
  }
}

/** For `heddle migrate` and for the check at the start. */
export const scimMeshSchema = join(import.meta.dirname, "store/schema");

/** The rows of the mesh, for `heddle backup` and `heddle restore` between the shapes. */
export async function openMeshScimMove(
  config: StoreConfig,
  clock: Clock,
): Promise<ScimMove & { readonly close: () => Promise<void> }> {
  const { session, close } = await openKeyspace(config, scimMeshSchema, clock);
  return { ...scimMove(openCassandraScim(session, clock), clock), close };
}

export interface MeshScimConfig extends StoreConfig {
  readonly rpc: RpcServerConfig;
  /** Where its events go. */
  readonly events: EventsConfig;
}

export function readMeshScimConfig(reader: ConfigReader): MeshScimConfig {
  return {
    ...readStore(reader, "scim"),
    rpc: readRpcServer(reader, "scim", { port: 9104, callers: ["gateway"] }),
    events: readEvents(reader),
  };
}
