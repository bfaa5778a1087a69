/** The parts of the mesh that serve RPCs, and the keyspaces that parts have: a row each. A row loads its part's code alone. */
import type { Clock } from "../platform/clock.ts";
import type { ConfigReader } from "../platform/config.ts";
import type { StoreConfig } from "../platform/mesh-config.ts";
import type { PartEnds, ServedPart } from "../platform/rpc/served-part.ts";

export type ServePart = <Config extends object>(
  read: (reader: ConfigReader) => Config,
  serve: (config: Config, parts: PartEnds) => Promise<ServedPart>,
) => Promise<number>;

/** By name, as `heddle serve` takes it; the other parts find it by HEDDLE_<NAME>_URL. */
export const meshParts: ReadonlyMap<string, (run: ServePart) => Promise<number>> = new Map([
  ["profile", async (run: ServePart) => {
    const { readMeshProfileConfig, serveMeshProfile } = await import("../services/profile/mesh-wire.ts");
    return await run(readMeshProfileConfig, serveMeshProfile);
  }],
  ["subscription", async (run: ServePart) => {
    const { readMeshSubscriptionConfig, serveMeshSubscription } = await import("../services/subscription/mesh-wire.ts");
    return await run(readMeshSubscriptionConfig, serveMeshSubscription);
  }],
  ["messaging-status", async (run: ServePart) => {
    const { readMeshMessagingStatusConfig, serveMeshMessagingStatus } = await import("../services/messaging-status/mesh-wire.ts");
    return await run(readMeshMessagingStatusConfig, serveMeshMessagingStatus);
  }],
  ["scim", async (run: ServePart) => {
    const { readMeshScimConfig, serveMeshScim } = await import("../services/scim/mesh-wire.ts");
    return await run(readMeshScimConfig, serveMeshScim);
  }],
  ["content", async (run: ServePart) => {
    const { readMeshContentConfig, serveMeshContent } = await import("../services/content/mesh-wire.ts");
    return await run(readMeshContentConfig, serveMeshContent);
  }],
]);

export interface KeyspaceOfPart {
  readonly read: (reader: ConfigReader) => StoreConfig;
  readonly schemaFolder: string;
  /** Lists the names that builds before did not list; how many there are. */
  readonly listNames?: (store: StoreConfig, clock: Clock) => Promise<number>;
}

/** Those that `heddle migrate` makes and brings up to date, in this order. */
export const meshKeyspaces: readonly (() => Promise<KeyspaceOfPart>)[] = [
  async () => {
    const { listNames, profileSchema, readMeshProfileStore } = await import("../services/profile/mesh-wire.ts");
    return { read: readMeshProfileStore, schemaFolder: profileSchema, listNames };
  },
  async () => {
    const { readMeshSubscriptionStore, subscriptionSchema } = await import("../services/subscription/mesh-wire.ts");
    return { read: readMeshSubscriptionStore, schemaFolder: subscriptionSchema };
  },
  async () => {
    const { messagingStatusSchema, readMeshMessagingStatusStore } = await import("../services/messaging-status/mesh-wire.ts");
    return { read: readMeshMessagingStatusStore, schemaFolder: messagingStatusSchema };
  },
  async () => {
    const { readMeshScimStore, scimMeshSchema } = await import("../services/scim/mesh-wire.ts");
    return { read: readMeshScimStore, schemaFolder: scimMeshSchema };
  },
  async () => {
    const { contentMeshSchema, readMeshContentStore } = await import("../services/content/mesh-wire.ts");
    return { read: readMeshContentStore, schemaFolder: contentMeshSchema };
  },
  async () => {
    const { meshAccessSchema, readMeshAccessStore } = await import("../gateway/mesh-access.ts");
    return { read: readMeshAccessStore, schemaFolder: meshAccessSchema };
  },
];
