/** The settings of a SCIM process of the mesh: a pure function from a record of texts. */
import type { ConfigReader } from "../../platform/config.ts";
import {
  type EventsConfig,
  readEvents,
  readRpcServer,
  readStore,
  type RpcServerConfig,
  type StoreConfig,
} from "../../platform/mesh-config.ts";

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
