/** The gateway as a process of the mesh: who may call in a file of its own, limits in Redis, profiles over RPC. */
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import type { Access } from "../gateway/access/access.ts";
import { parseDeclaration } from "../gateway/access/declaration.ts";
import { type AccessAdmin, openAccess } from "../gateway/access/sqlite.ts";
import { type GatewayConfig, readGatewayConfig } from "../gateway/config.ts";
import { openGateway } from "../gateway/wire.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import type { ConfigReader } from "../platform/config.ts";
import { openRedisLimiter } from "../platform/limiter/redis.ts";
import { limits } from "../platform/limits.ts";
import type { Logger } from "../platform/logger.ts";
import { connectClient } from "../platform/rpc/client.ts";
import { openConnection } from "../platform/rpc/connection.ts";
import { directClient } from "../platform/rpc/direct.ts";
import { openDatabase } from "../platform/sqlite/database.ts";
import { lockDirectory } from "../platform/sqlite/lock.ts";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../proto/gen/grpc/health/v1/health_pb.ts";
import { MessagingStatusService } from "../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { ScimService } from "../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { applyText, describeResult, fileProblems, readDeclarationFile } from "./apply.ts";
import { databaseFile } from "./data-folder.ts";
import { print } from "./output.ts";
import { defaultDataDir } from "./start-config.ts";

export interface MeshGatewayConfig {
  readonly gateway: GatewayConfig;
  readonly dataDir: string;
  readonly redisUrl: string;
  /** How many gateways share the limits. */
  readonly gateways: number;
  readonly profileUrls: readonly string[];
}

export function readMeshGatewayConfig(reader: ConfigReader): MeshGatewayConfig {
  return {
    gateway: readGatewayConfig(reader),
    dataDir: reader.text("HEDDLE_DATA_DIR", { fallback: defaultDataDir }),
    redisUrl: reader.text("HEDDLE_REDIS_URL", { secret: true }),
    gateways: reader.whole("HEDDLE_GATEWAYS", { min: 1, max: 1_000, fallback: 1 }),
    profileUrls: reader.list("HEDDLE_PROFILE_URL"),
  };
}

export async function openMeshGateway(
  config: MeshGatewayConfig,
  logger: Logger,
  applyFile: string | undefined,
): Promise<{ close(): Promise<void> }> {
  const opened: (() => Promise<void> | void)[] = [];
  async function close(): Promise<void> {
    for (const closeOne of opened.splice(0).reverse()) await closeOne();
  }
  try {
    const declaration = applyFile === undefined ? undefined : { file: applyFile, text: readDeclarationFile(applyFile) };
    if (declaration) fileProblems(declaration.file, () => parseDeclaration(declaration.text));
    const access = await openAccessFile(config.dataDir, logger, opened);
    if (declaration) {
      const applied = await applyText(access, declaration.text, { file: declaration.file });
      if (applied.secrets.length > 0) print(describeResult(applied, false));
    }
    const { url } = await listen(config, { access, logger }, opened);
    logger.info("listening", { url });
    print(`Heddle is listening on ${url}`);
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAccessFile(dataDir: string, logger: Logger, opened: (() => Promise<void> | void)[]): Promise<Access & AccessAdmin> {
  const lock = lockDirectory(dataDir);
  opened.push(() => void lock.release());
  const database = openDatabase({ path: join(dataDir, databaseFile), clock: systemClock, logger });
  opened.push(() => database.close());
  const access = await openAccess({ database, clock: systemClock });
  opened.push(() => access.close());
  return access;
}

async function listen(
  config: MeshGatewayConfig,
  { access, logger }: { readonly access: Access; readonly logger: Logger },
  opened: (() => Promise<void> | void)[],
): Promise<{ url: string }> {
  const clock = systemClock;
  const limiter = await openRedisLimiter({ url: config.redisUrl, clock, logger, localShare: 1 / config.gateways });
  opened.push(() => limiter.close());
  const profile = connectClient(ProfileService, {
    addresses: config.profileUrls,
    caller: "gateway",
    // A call never lasts longer than a drain may
    deadlineMs: limits.drainMsMax,
    shared: ["trackUsers"],
    clock,
  });
  opened.push(() => profile.close());
  const watch = await watchHealth(config.profileUrls, clock);
  opened.push(() => watch.close());
  const gateway = openGateway({
    access,
    profile: profile.client,
    // These refuse NOT_IMPLEMENTED until the parts have drivers for the mesh
    subscription: directClient(SubscriptionService, {}),
    messagingStatus: directClient(MessagingStatusService, {}),
    scim: directClient(ScimService, {}),
    limiter,
    clock,
    logger,
    config: config.gateway,
    health: () => watch.ready() ? { ready: true } : { ready: false, reason: "No profile process is ready" },
  });
  opened.push(() => gateway.close());
  return await gateway.listen();
}

/** Asks all processes again and again whether they are ready; one that is suffices. Resolves after the first answers. */
async function watchHealth(urls: readonly string[], clock: Clock): Promise<{ ready(): boolean; close(): void }> {
  const connections = urls.map((url) => openConnection({ url, tls: undefined, clock, unreachable: () => {} }));
  const clients = connections.map(({ transport }) => createClient(Health, transport));
  let ready = false;
  let closed = false;
  async function look(): Promise<void> {
    const answers = await Promise.allSettled(clients.map((client) => client.check({}, { timeoutMs: limits.rpcConnectMsMax })));
    ready = answers.some((answer) => answer.status === "fulfilled" && answer.value.status === ServingStatus.SERVING);
    if (!closed) clock.after(limits.rpcHealthCheckMs, () => void look());
  }
  await look();
  return {
    ready: () => ready,
    close() {
      closed = true;
      for (const connection of connections) connection.close();
    },
  };
}
