/** The settings of a subscription process of the mesh: a pure function from a record of texts. */
import type { ConfigReader } from "../../platform/config.ts";
import { type MeshPartConfig, readMeshPart, readStore, type StoreConfig } from "../../platform/mesh-config.ts";

export function readMeshSubscriptionConfig(reader: ConfigReader): MeshPartConfig {
  return readMeshPart(reader, "subscription", { port: 9102, callers: ["gateway", "content"] });
}

export function readMeshSubscriptionStore(reader: ConfigReader): StoreConfig {
  return readStore(reader, "subscription");
}
