/** The parts of the mesh that serve RPCs, and the keyspaces that parts have: a row each. A row loads its part's code alone. */
import type { Clock } from "../../platform/clock.ts";
import type { ConfigReader } from "../../platform/config.ts";
import type { StoreConfig } from "../../platform/mesh-config.ts";
import type { PartEnds, ServedPart } from "../../platform/rpc/served-part.ts";

type ServePart = <Config extends object>(
  read: (reader: ConfigReader) => Config,
  serve: (config: Config, deps: PartEnds) => Promise<ServedPart>,
) => Promise<number>;

interface MeshPart {
  readonly schemaFolder: string;
  /** Lists the names that builds before did not list; how many there are. */
  readonly listNames?: (store: StoreConfig, clock: Clock) => Promise<number>;
  serve(run: ServePart): Promise<number>;
}

/** By name, as `heddle serve` takes it; the other parts find it by HEDDLE_<NAME>_URL. */
export const meshParts: ReadonlyMap<string, () => Promise<MeshPart>> = new Map<string, () => Promise<MeshPart>>([
  ["profile", async () => {
    const part = await import("../../services/profile/mesh-wire.ts");
    return {
      schemaFolder: part.profileSchema,
      listNames: part.listNames,
      serve: (run) => run(part.readMeshProfileConfig, part.serveMeshProfile),
    };
  }],
  ["subscription", async () => {
    const part = await import("../../services/subscription/mesh-wire.ts");
    return { schemaFolder: part.subscriptionSchema, serve: (run) => run(part.readMeshSubscriptionConfig, part.serveMeshSubscription) };
  }],
  ["messaging-status", async () => {
    const part = await import("../../services/messaging-status/mesh-wire.ts");
    return {
      schemaFolder: part.messagingStatusSchema,
      serve: (run) => run(part.readMeshMessagingStatusConfig, part.serveMeshMessagingStatus),
    };
  }],
  ["scim", async () => {
    const part = await import("../../services/scim/mesh-wire.ts");
    return { schemaFolder: part.scimMeshSchema, serve: (run) => run(part.readMeshScimConfig, part.serveMeshScim) };
  }],
  ["content", async () => {
    const part = await import("../../services/content/mesh-wire.ts");
    return { schemaFolder: part.contentMeshSchema, serve: (run) => run(part.readMeshContentConfig, part.serveMeshContent) };
  }],
]);

/** That `heddle migrate` makes and brings up to date. */
export type LoadKeyspace = () => Promise<Omit<MeshPart, "serve"> & { readonly part: string }>;

export async function gatewayKeyspace(): ReturnType<LoadKeyspace> {
  const { meshAccessSchema } = await import("../../gateway/mesh-access.ts");
  return { part: "gateway", schemaFolder: meshAccessSchema };
}

/** In the order of migration. */
export const meshKeyspaces: readonly LoadKeyspace[] = [
  ...[...meshParts].map(([part, load]): LoadKeyspace => async () => ({ part, ...await load() })),
  gatewayKeyspace,
];
