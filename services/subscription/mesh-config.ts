/** The settings of a subscription process of the mesh: a pure function from a record of texts. */
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

export interface MeshSubscriptionConfig extends StoreConfig, StreamsConfig {
  readonly events: EventsConfig;
  readonly rpc: RpcServerConfig;
  /** Asked who is meant. */
  readonly profile: PeerConfig;
}

export function readMeshSubscriptionConfig(reader: ConfigReader): MeshSubscriptionConfig {
  return {
    ...readMeshSubscriptionStore(reader),
    ...readStreams(reader),
    events: readEvents(reader),
    rpc: readRpcServer(reader, "subscription", { port: 9102, callers: ["gateway", "content"] }),
    profile: readPeer(reader, "profile"),
  };
}

export function readMeshSubscriptionStore(reader: ConfigReader): StoreConfig {
  return readStore(reader, "subscription");
}
