/** The settings of a content process of the mesh: a pure function from a record of texts. */
import type { ConfigReader } from "../../platform/config.ts";
import { type PeerConfig, readPeer, readRpcServer, readStore, type RpcServerConfig, type StoreConfig } from "../../platform/mesh-config.ts";
import { type ContentConfig, readContentConfig } from "./config.ts";

export interface MeshContentConfig extends StoreConfig, ContentConfig {
  readonly rpc: RpcServerConfig;
  /** Asked who a link is for. */
  readonly profile: PeerConfig;
  /** Where a person's choices are read and set. */
  readonly subscription: PeerConfig;
  readonly messagingStatus: PeerConfig;
}

export function readMeshContentConfig(reader: ConfigReader): MeshContentConfig {
  return {
    ...readStore(reader, "content"),
    ...readContentConfig(reader),
    rpc: readRpcServer(reader, "content", { port: 9105, callers: ["gateway"] }),
    profile: readPeer(reader, "profile"),
    subscription: readPeer(reader, "subscription"),
    messagingStatus: readPeer(reader, "messaging-status"),
  };
}
