/** The settings of a messaging-status process of the mesh: a pure function from a record of texts. */
import type { ConfigReader } from "../../platform/config.ts";
import {
  type EventsConfig,
  type PeerConfig,
  readEvents,
  readPeer,
  readRpcServer,
  readStore,
  readStreams,
  type RpcServerConfig,
  type StoreConfig,
  type StreamsConfig,
} from "../../platform/mesh-config.ts";

export interface MeshMessagingStatusConfig extends StoreConfig, StreamsConfig {
  readonly events: EventsConfig;
  readonly rpc: RpcServerConfig;
  /** Asked who is meant. */
  readonly profile: PeerConfig;
}

export function readMeshMessagingStatusConfig(reader: ConfigReader): MeshMessagingStatusConfig {
  return {
    ...readMeshMessagingStatusStore(reader),
    ...readStreams(reader),
    events: readEvents(reader),
    rpc: readRpcServer(reader, "messaging-status", { port: 9103, callers: ["gateway", "profile", "content"] }),
    profile: readPeer(reader, "profile"),
  };
}

export function readMeshMessagingStatusStore(reader: ConfigReader): StoreConfig {
  return readStore(reader, "messaging-status");
}
