/** The gateway as a process of the mesh: who may call in Cassandra, limits in Redis, the parts behind it over RPC. */
import type { DescService } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { Access } from "../../gateway/access/access.ts";
import type { AccessAdmin } from "../../gateway/access/admin/admin.ts";
import { type GatewayConfig, readGatewayConfig } from "../../gateway/config.ts";
import type { Between } from "../../gateway/console/live/live.ts";
import type { Processes } from "../../gateway/access/admin/processes.ts";
import { type MeshAccessConfig, openMeshAccess, readMeshAccess } from "../../gateway/mesh-access.ts";
import { openGateway } from "../../gateway/wire.ts";
import type { ConfigReader } from "../../platform/config.ts";
import type { Finding } from "../../platform/finding.ts";
import { openRedisLimiter } from "../../platform/limiter/redis.ts";
import { limits } from "../../platform/limits.ts";
import { type PeerConfig, readOptionalPeer, readPeer, readTls } from "../../platform/mesh-config.ts";
import { openAll, type Opened } from "../../platform/open-all.ts";
import { ownProcess } from "../../platform/own-process.ts";
import { connectClient } from "../../platform/rpc/client.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import { watchParts } from "../../platform/rpc/watch-parts.ts";
import type { PartEnds, ServedPart } from "../../platform/rpc/served-part.ts";
import { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { LogService } from "../../proto/gen/heddle/log/v1/log_service_pb.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { applyAtStart, readDeclaration } from "../declare/apply.ts";
import { print } from "../shell/output.ts";

export interface MeshGatewayConfig {
  readonly gateway: GatewayConfig;
  readonly access: MeshAccessConfig;
  readonly redisUrl: string;
  readonly redisTls: ReturnType<typeof readTls>;
  /** How many gateways share the limits, until Redis says it. */
  readonly gateways: number;
  /** The parts behind it, by name. Those that are missing refuse NOT_IMPLEMENTED. */
  readonly peers: ReadonlyMap<string, PeerConfig>;
}

/** What may stand behind a gateway besides the profile service. */
const optionalParts = ["subscription", "messaging-status", "scim", "content"];

export function readMeshGatewayConfig(reader: ConfigReader): MeshGatewayConfig {
  const optional = optionalParts.map((part) => [part, readOptionalPeer(reader, part)] as const);
  return {
    gateway: readGatewayConfig(reader),
    access: readMeshAccess(reader),
    redisUrl: reader.text("HEDDLE_REDIS_URL", { secret: true }),
    redisTls: readTls(reader, "HEDDLE_REDIS"),
    gateways: reader.whole("HEDDLE_GATEWAYS", { min: 1, max: 1_000, fallback: 1 }),
    peers: new Map([
      ["profile", readPeer(reader, "profile")],
      ...optional.flatMap(([part, peer]) => peer === undefined ? [] : [[part, peer] as const]),
    ]),
  };
}

export async function openMeshGateway(
  config: MeshGatewayConfig,
  deps: PartEnds,
  { apply: applyFile, env }: { readonly apply?: string; readonly env: NodeJS.ProcessEnv },
): Promise<Pick<ServedPart, "health" | "close">> {
  const { clock, logger } = deps;
  return await openAll(async (opened) => {
    const declaration = applyFile === undefined ? undefined : readDeclaration(applyFile);
    const { access, bus, processes, close: closeAccess } = await openMeshAccess(config.access, { clock, logger });
    const listed: { end?: () => Promise<void> } = {};
    opened.push(closeAccess, async () => await listed.end?.());
    if (declaration) await applyAtStart(access, declaration, undefined);
    const { url, health } = await listen(config, {
      access,
      processes,
      examine: () => examine(env),
      ...deps,
      ...(bus && { between: { bus, installation: config.access.installation } }),
    }, opened);
    listed.end = processes.announce(ownProcess("gateway", clock));
    logger.info("listening", { url });
    print(`Heddle is listening on ${url}`);
    return { health };
  });
}

/** As `heddle doctor` does, as far as a gateway can. */
async function examine(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const [{ examineRuntime }, { examineGateway }] = await Promise.all([import("../operate/doctor.ts"), import("../operate/doctor-mesh.ts")]);
  return [examineRuntime(), ...await examineGateway(env)];
}

async function listen(
  config: MeshGatewayConfig,
  { access, processes, examine, clock, logger, telemetry, between }: PartEnds & {
    readonly access: Access & AccessAdmin;
    readonly processes: Processes;
    readonly examine: () => Promise<readonly Finding[]>;
    readonly between?: Between;
  },
  opened: Opened,
): Promise<Omit<ServedPart, "close">> {
  const limiter = await openRedisLimiter({
    url: config.redisUrl,
    ...(config.redisTls && { tls: config.redisTls }),
    clock,
    logger,
    gateways: { installation: config.access.installation, expected: config.gateways },
  });
  opened.push(() => limiter.close());
  const watch = await watchParts(config.peers, clock);
  opened.push(() => watch.close());
  function clientOf<Service extends DescService>(part: string, service: Service, shared: readonly string[] = []): Client<Service> {
    const peer = config.peers.get(part);
    if (peer === undefined) return directClient(service, {});
    // A call never lasts longer than a drain may
    const { tracer } = telemetry;
    const connected = connectClient(service, { ...peer, caller: "gateway", deadlineMs: limits.drainMsMax, shared, clock, logger, tracer });
    opened.push(() => connected.close());
    return connected.client;
  }
  const gateway = openGateway({
    access,
    processes: () => processes.list(),
    examine,
    profile: clientOf("profile", ProfileService, ["trackUsers"]),
    log: clientOf("profile", LogService),
    subscription: clientOf("subscription", SubscriptionService),
    messagingStatus: clientOf("messaging-status", MessagingStatusService),
    scim: clientOf("scim", ScimService),
    content: clientOf("content", ContentService),
    translations: clientOf("content", TranslationService),
    limiter,
    clock,
    logger,
    config: config.gateway,
    health: () => watch.health(),
    telemetry,
    ...(between && { between }),
  });
  opened.push(() => gateway.close());
  return { ...await gateway.listen(), health: () => watch.health() };
}
