/** The settings of a messaging-status process of the mesh: a pure function from a record of texts. */
import type { ConfigReader } from "../../platform/config.ts";
import { type MeshPartConfig, readMeshPart, readStore, type StoreConfig } from "../../platform/mesh-config.ts";

export function readMeshMessagingStatusConfig(reader: ConfigReader): MeshPartConfig {
  return readMeshPart(reader, "messaging-status", { port: 9103, callers: ["gateway", "profile", "content"] });
}

export function readMeshMessagingStatusStore(reader: ConfigReader): StoreConfig {
  return readStore(reader, "messaging-status");
}
