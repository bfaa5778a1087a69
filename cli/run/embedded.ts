/** Heddle in one process: every part on one SQLite file, joined by direct calls. */
import { join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import type { Client, ServiceImpl } from "@connectrpc/connect";

import type { Access } from "../../gateway/access/access.ts";
import { type AccessAdmin, openAccess } from "../../gateway/access/store/sqlite.ts";
import { tenantsOf } from "../../gateway/access/store/tenants.ts";
import { openGateway } from "../../gateway/wire.ts";
import { type Clock, systemClock } from "../../platform/clock.ts";
import { openSqliteEvents } from "../../platform/events/sqlite.ts";
import { limits } from "../../platform/limits.ts";
import { openMemoryLimiter } from "../../platform/limiter/memory.ts";
import type { Log } from "../../platform/log/log.ts";
import { openReachFile } from "../../platform/log/reach-file.ts";
import { openSqliteLog } from "../../platform/log/sqlite.ts";
import type { Logger } from "../../platform/logger.ts";
import type { RpcServerConfig } from "../../platform/mesh-config.ts";
import { openAll, type Opened } from "../../platform/open-all.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import { type RpcRoute, rpcRoute } from "../../platform/rpc/guard.ts";
import { observedService } from "../../platform/rpc/observed.ts";
import type { RpcServer, RpcServerOptions } from "../../platform/rpc/server.ts";
import { type Database, type OpenDatabase, openDatabase } from "../../platform/sqlite/database.ts";
import { lockDirectory } from "../../platform/sqlite/lock.ts";
import { measuredLog } from "../../platform/telemetry/measured-log.ts";
import type { Readiness } from "../../platform/telemetry/metrics-server.ts";
import { openTelemetry, type Telemetry } from "../../platform/telemetry/telemetry.ts";
import { watchWork } from "../../platform/telemetry/work-metrics.ts";
import { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { LogService } from "../../proto/gen/heddle/log/v1/log_service_pb.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type ContentOptions, openContent } from "../../services/content/wire.ts";
import { openMessagingStatus } from "../../services/messaging-status/wire.ts";
import { type EmailStatuses, emailStatusesBy, logService, noStatuses, openLogOperation, openProfile } from "../../services/profile/wire.ts";
import { openScim, type ScimOptions } from "../../services/scim/wire.ts";
import { openSubscription } from "../../services/subscription/wire.ts";
import { databaseFile, partitions } from "../target/data-folder.ts";
import { runningFile } from "../target/running-record.ts";
import type { StartConfig } from "../target/start-config.ts";

export interface Embedded {
  readonly access: Access & AccessAdmin;
  /** `rpcUrl` where RPCs are served. */
  listen(): Promise<{ url: string; rpcUrl?: string }>;
  /** Finishes what was taken, then closes all parts, the ones in front first. */
  close(): Promise<void>;
}

/**
 * Takes the data folder and opens all parts on it. `prepare` runs when it is known who may call, before anything can be
 * called. A part that fails to open closes those opened before it.
 */
export async function openEmbedded(
  config: StartConfig,
  logger: Logger,
  prepare: (access: Access & AccessAdmin, database: Database) => Promise<void>,
): Promise<Embedded> {
  return await openAll(async (opened) => {
    const clock = systemClock;
    const lock = lockDirectory(config.dataDir);
    opened.push(() => void lock.release());
    const running = runningFile(config.dataDir);
    running.remove();
    opened.push(() => running.remove());
    const telemetry = await openTelemetry(config.telemetry, { clock, logger, part: "heddle" });
    opened.push(() => telemetry.close());
    const database = openDatabase({ path: join(config.dataDir, databaseFile), clock, logger });
    opened.push(() => database.close());
    const access = await openAccess({ database, clock });
    opened.push(() => access.close());
    await prepare(access, database);
    const reach = openReachFile(config.dataDir);
    const log = measuredLog(await openSqliteLog({ database, partitions, clock, reach, logger }), "intake", telemetry.metrics);
    opened.push(() => log.close());
    const routes: RpcRoute[] = [];
    function offer<Service extends DescService>(service: Service, implementation: Partial<ServiceImpl<Service>>): Client<Service> {
      routes.push(rpcRoute(service, implementation));
      return directClient(service, observedService(service, implementation, telemetry));
    }
    const below = { database, log, clock, logger, telemetry, offer };
    const parts = await openParts(config, below, opened);
    telemetry.watch(parts.health);
    const gateway = openGateway({
      access,
      ...parts,
      scim: await startScim(below, opened),
      ...await startContent({ ...parts, ...below, linkLifeMs: config.linkLifeMs }),
      limiter: openMemoryLimiter({ clock, keysMax: limits.limiterKeysMax }),
      clock,
      logger,
      config: config.gateway,
      telemetry,
    });
    opened.push(() => gateway.close());
    async function listen(): Promise<{ url: string; rpcUrl?: string }> {
      const served = { routes, clock, logger, telemetry, health: parts.health, tenants: tenantsOf(access) };
      const rpc = await serveRoutes(config.rpc, served);
      if (rpc !== undefined) opened.push(() => rpc.close());
      const { url } = await gateway.listen();
      running.write({ pid: process.pid, url, startedAt: new Date(clock.now()).toISOString() });
      return { url, ...(rpc !== undefined && { rpcUrl: rpc.url }) };
    }
    return { access, listen };
  });
}

/** What serves RPCs is loaded only where it is asked for. */
async function serveRoutes(
  config: RpcServerConfig | undefined,
  parts: Omit<RpcServerOptions, "host" | "port" | "callers">,
): Promise<RpcServer | undefined> {
  if (config === undefined) return undefined;
  const { serveRpc } = await import("../../platform/rpc/server.ts");
  const callers = new Map(parts.routes.map(({ service }) => [service.typeName, config.callers]));
  return await serveRpc({ ...parts, ...config, callers });
}

interface Below {
  /** Makes a part's service known to the others, and to callers from outside where RPCs are served. */
  readonly offer: <Service extends DescService>(service: Service, implementation: Partial<ServiceImpl<Service>>) => Client<Service>;
  readonly database: OpenDatabase;
  readonly log: Log;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
}

/** The parts that call each other: profile asks for the state of addresses; consent is notified by the resolver and asks who is who. */
async function openParts(config: StartConfig, below: Below, opened: Opened) {
  const { database, log, telemetry, offer } = below;
  const consent: { owners: { notify(): void }[]; emailStatuses: EmailStatuses | undefined } = {
    owners: [],
    emailStatuses: undefined,
  };
  const profile = await openProfile({
    ...below,
    undoWindowMs: config.undoWindowMs,
    emailStatuses: { load: (...asked) => consent.emailStatuses?.load(...asked) ?? Promise.resolve(noStatuses) },
    onConsent: () => consent.owners.forEach((owner) => owner.notify()),
  });
  opened.push(() => profile.close());
  watchWork(telemetry.metrics, "profile", profile);
  const profileClient = offer(ProfileService, profile.service);
  const asking = { ...below, tracer: telemetry.tracer, profile: profileClient };
  const subscription = await openSubscription(asking);
  opened.push(() => subscription.close());
  const messagingStatus = await openMessagingStatus(asking);
  opened.push(() => messagingStatus.close());
  watchWork(telemetry.metrics, "subscription", subscription.work);
  watchWork(telemetry.metrics, "messaging-status", messagingStatus.work);
  consent.owners = [subscription, messagingStatus];
  const statusClient = offer(MessagingStatusService, messagingStatus.service);
  consent.emailStatuses = emailStatusesBy(statusClient);
  const operation = await openLogOperation(database, { partitions, tail: (partition) => log.tail(partition) });
  return {
    profile: profileClient,
    // Not served outside this process
    log: directClient(LogService, observedService(LogService, logService(operation), telemetry)),
    subscription: offer(SubscriptionService, subscription.service),
    messagingStatus: statusClient,
    examine: async () => await (await import("../operate/doctor.ts")).examineRunning(config.dataDir),
    health: () => firstTrouble({ store: { health: () => healthOf(database) }, profile, subscription, "messaging-status": messagingStatus }),
  };
}

async function startContent({ offer, ...options }: ContentOptions & Pick<Below, "offer">) {
  const { centers, translations } = await openContent(options);
  return {
    content: offer(ContentService, centers),
    translations: offer(TranslationService, translations),
  };
}

async function startScim(
  { offer, ...options }: Omit<ScimOptions, "publish"> & Pick<Below, "offer" | "database" | "telemetry">,
  opened: Opened,
): Promise<Client<typeof ScimService>> {
  const events = await openSqliteEvents(options);
  const scim = await openScim({ ...options, publish: (event) => events.publish([event]) });
  opened.push(() => scim.close());
  return offer(ScimService, scim.service);
}

/** Once the disk failed, parts that have nothing to do do not notice it. */
function healthOf(database: OpenDatabase): Readiness {
  const failure = database.failure();
  return failure === undefined ? { ready: true } : { ready: false, reason: failure.message };
}

/** A part that is not ready says why; else the first that has something to say. Names the part. */
function firstTrouble(parts: Readonly<Record<string, { health(): Readiness }>>): Readiness {
  const troubled = Object.entries(parts).map(([name, part]) => ({ name, ...part.health() })).filter(({ reason }) => reason !== undefined);
  const { name, ready, reason } = troubled.find((part) => !part.ready) ?? troubled[0] ?? { name: "", ready: true };
  return reason === undefined ? { ready } : { ready, reason: `${name}: ${reason}` };
}
