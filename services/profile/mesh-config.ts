/** The settings of a profile process of the mesh: a pure function from a record of texts. */
import type { ConfigReader } from "../../platform/config.ts";
import {
  type EventsConfig,
  type PeerConfig,
  readEvents,
  readOperators,
  readOptionalPeer,
  readRpcServer,
  readStore,
  readStreams,
  type RpcServerConfig,
  type StoreConfig,
  type StreamsConfig,
} from "../../platform/mesh-config.ts";
import { readProfileConfig } from "./config.ts";

export interface MeshProfileConfig extends StoreConfig, StreamsConfig {
  readonly undoWindowMs: number;
  readonly events: EventsConfig;
  readonly rpc: RpcServerConfig;
  /** Who may ask what cannot be applied, and have it tried again or passed over. */
  readonly operators: readonly string[];
  /** Asked for the email status of exported users; without it they have none. */
  readonly messagingStatus: PeerConfig | undefined;
}

export function readMeshProfileConfig(reader: ConfigReader): MeshProfileConfig {
  return {
    ...readStore(reader, "profile"),
    ...readProfileConfig(reader),
    ...readStreams(reader),
    events: readEvents(reader),
    rpc: readRpcServer(reader, "profile", { port: 9101, callers: ["gateway", "subscription", "messaging-status", "content"] }),
    operators: readOperators(reader),
    messagingStatus: readOptionalPeer(reader, "messaging-status"),
  };
}
