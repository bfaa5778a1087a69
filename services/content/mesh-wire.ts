/** The content service as a process of the mesh: Cassandra and its RPCs put together. */
import { join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { openKeyspace } from "../../platform/cassandra/keyspace.ts";
import type { Session } from "../../platform/cassandra/session.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ConfigReader } from "../../platform/config.ts";
import { openCassandraDocuments } from "../../platform/documents/cassandra.ts";
import { sweepChunksDaily } from "../../platform/documents/chunk-sweep.ts";
import { openLinkKeys } from "../../platform/documents/link-keys.ts";
import { limits } from "../../platform/limits.ts";
import { type PeerConfig, readPeer, readRpcServer, readStore, type RpcServerConfig, type StoreConfig } from "../../platform/mesh-config.ts";
import type { Opened } from "../../platform/open-all.ts";
import { type ClientOptions, connectClient } from "../../platform/rpc/client.ts";
import { rpcRoute } from "../../platform/rpc/guard.ts";
import type { PartEnds, ServedPart } from "../../platform/rpc/served-part.ts";
import { serveStoreService } from "../../platform/rpc/store-service.ts";
import { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { centersOver, translationsOver } from "./compose.ts";
import { type ContentConfig, readContentConfig } from "./config.ts";
import { centersLayout, translationsLayout } from "./store/layouts.ts";
import { type ContentMove, contentMove } from "./store/moved.ts";

/** Refuses as serveStoreService; the services it asks may come later. */
export async function serveMeshContent(config: MeshContentConfig, deps: PartEnds): Promise<ServedPart> {
  const { clock, logger, telemetry: { tracer } } = deps;
  return await serveStoreService({ ...config, schemaFolder: contentMeshSchema }, deps, async (session, opened) => {
    opened.push(sweepChunksDaily({ session, clock, logger, layout: translationsLayout }));
    const { centers, translations } = documentsIn(session, clock);
    const peers = connectPeers(config, { clock, logger, tracer }, opened);
    return [
      rpcRoute(ContentService, centersOver(centers, { ...peers, clock, linkLifeMs: config.linkLifeMs })),
      rpcRoute(TranslationService, translationsOver(translations, clock)),
    ];
  });
}

function connectPeers(
  config: MeshContentConfig,
  deps: Pick<ClientOptions, "clock" | "logger" | "tracer">,
  opened: Opened,
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
