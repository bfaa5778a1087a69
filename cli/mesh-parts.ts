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
  /** As in "messaging-status". */
  readonly part: string;
  readonly schemaFolder: string;
  /** Lists the names that builds before did not list; how many there are. */
  readonly listNames?: (store: StoreConfig, clock: Clock) => Promise<number>;
}

/** Those that `heddle migrate` makes and brings up to date, in this order. */
export const meshKeyspaces: readonly (() => Promise<KeyspaceOfPart>)[] = [
  async () => {
    const { listNames, profileSchema } = await import("../services/profile/mesh-wire.ts");
    return { part: "profile", schemaFolder: profileSchema, listNames };
  },
  async () => {
    const { subscriptionSchema } = await import("../services/subscription/mesh-wire.ts");
    return { part: "subscription", schemaFolder: subscriptionSchema };
  },
  async () => {
    const { messagingStatusSchema } = await import("../services/messaging-status/mesh-wire.ts");
    return { part: "messaging-status", schemaFolder: messagingStatusSchema };
  },
  async () => {
    const { scimMeshSchema } = await import("../services/scim/mesh-wire.ts");
    return { part: "scim", schemaFolder: scimMeshSchema };
  },
  async () => {
    const { contentMeshSchema } = await import("../services/content/mesh-wire.ts");
    return { part: "content", schemaFolder: contentMeshSchema };
  },
  async () => {
    const { meshAccessSchema } = await import("../gateway/mesh-access.ts");
    return { part: "gateway", schemaFolder: meshAccessSchema };
  },
];
