/** The content service as a process of the mesh: Cassandra and its RPCs put together. */
import { join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { openKeyspace } from "../../platform/cassandra/keyspace.ts";
import type { Session } from "../../platform/cassandra/session.ts";
import type { Clock } from "../../platform/clock.ts";
import { openCassandraDocuments } from "../../platform/documents/cassandra.ts";
import { sweepChunksDaily } from "../../platform/documents/chunk-sweep.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import type { PeerConfig, StoreConfig } from "../../platform/mesh-config.ts";
import { type ClientOptions, connectClient } from "../../platform/rpc/client.ts";
import { rpcRoute } from "../../platform/rpc/guard.ts";
import { serveRpc } from "../../platform/rpc/server.ts";
import type { Tenants } from "../../platform/rpc/tenants.ts";
import type { Readiness } from "../../platform/telemetry/metrics-server.ts";
import type { Telemetry } from "../../platform/telemetry/telemetry.ts";
import { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { MeshContentConfig } from "./mesh-config.ts";
import { centersLayout, translationsLayout } from "./store/layouts.ts";
import { openLinkKeys } from "../../platform/documents/link-keys.ts";
import { type ContentMove, contentMove } from "./store/moved.ts";
import { centersOver, translationsOver } from "./compose.ts";

export { type MeshContentConfig, readMeshContentConfig, readMeshContentStore } from "./mesh-config.ts";

export interface MeshContent {
  /** Where its RPCs are served. */
  readonly url: string;
  health(): Readiness;
  /** Refuses new calls and finishes those under way. */
  close(): Promise<void>;
}

/** Refuses STORE_UNAVAILABLE where Cassandra cannot be reached; the other parts may come later. */
export async function serveMeshContent(
  config: MeshContentConfig,
  { clock, logger, telemetry, tenants }: {
    readonly clock: Clock;
    readonly logger: Logger;
    readonly telemetry: Telemetry;
    readonly tenants?: Tenants;
  },
): Promise<MeshContent> {
  const opened: (() => Promise<unknown> | unknown)[] = [];
  async function close(): Promise<void> {
    for (const closeOne of opened.splice(0).reverse()) await closeOne();
  }
  try {
    const { session, watch, close: closeStore } = await openKeyspace(config, contentMeshSchema, clock);
    opened.push(closeStore);
    opened.push(sweepChunksDaily({ session, clock, logger, layout: translationsLayout }));
    const { centers, translations } = documentsIn(session, clock);
    const behind = connectPeers(config, { clock, logger, tracer: telemetry.tracer }, opened);
    function health(): Readiness {
      return watch.there ? { ready: true } : { ready: false, reason: "Cassandra is away" };
    }
    const server = await serveRpc({
      routes: [
        rpcRoute(ContentService, centersOver(centers, { ...behind, clock, linkLifeMs: config.linkLifeMs })),
        rpcRoute(TranslationService, translationsOver(translations, clock)),
      ],
      ...config.rpc,
      callers: new Map([ContentService, TranslationService].map(({ typeName }) => [typeName, config.rpc.callers])),
      clock,
      logger,
      telemetry,
      health,
      tenants,
    });
    opened.push(() => server.close());
    return { url: server.url, health, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function connectPeers(
  config: MeshContentConfig,
  deps: Pick<ClientOptions, "clock" | "logger" | "tracer">,
  opened: (() => Promise<unknown> | unknown)[],
) {
  function clientOf<Service extends DescService>(service: Service, peer: PeerConfig): Client<Service> {
    const connected = connectClient(service, { ...peer, caller: "content", deadlineMs: limits.drainMsMax, ...deps });
    opened.push(() => connected.close());
    return connected.client;
  }
  return {
    profile: clientOf(ProfileService, config.profile),
    subscription: clientOf(SubscriptionService, config.subscription),
    messagingStatus: clientOf(MessagingStatusService, config.messagingStatus),
  };
}

/** For `heddle migrate` and for the check at the start. */
export const contentMeshSchema = join(import.meta.dirname, "store/schema");

/** The rows of the mesh, for `heddle backup` and `heddle restore` between the shapes. */
export async function openMeshContentMove(
  config: StoreConfig,
  clock: Clock,
): Promise<ContentMove & { readonly linkKeys: ReturnType<typeof openLinkKeys>; readonly close: () => Promise<void> }> {
  const { session, close } = await openKeyspace(config, contentMeshSchema, clock);
  const documents = documentsIn(session, clock);
  return { ...contentMove(documents, clock), linkKeys: openLinkKeys(documents.centers), close };
}

function documentsIn(session: Session, clock: Clock) {
  return {
    centers: openCassandraDocuments({ session, clock, layout: centersLayout }),
    translations: openCassandraDocuments({ session, clock, layout: translationsLayout }),
  };
}
