/** Opens the gateway: joins server, routes, guards and what stands behind them. */
import type { Clock } from "../platform/clock.ts";
import type { Limiter } from "../platform/limiter/limiter.ts";
import type { Logger } from "../platform/logger.ts";
import type { Finding } from "../platform/finding.ts";
import { newId } from "../platform/identifier.ts";
import { ownProcess } from "../platform/own-process.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import { measuredLimiter } from "../platform/telemetry/measured-limiter.ts";
import { noTelemetry, type Telemetry } from "../platform/telemetry/telemetry.ts";
import type { Access } from "./access/access.ts";
import type { AccessAdmin } from "./access/admin/admin.ts";
import type { RunningProcess } from "./access/admin/processes.ts";
import { answerRequest } from "./answer-request.ts";
import type { GatewayConfig } from "./config.ts";
import { documentsWhenAsked } from "./documents/when-asked.ts";
import { createActivity } from "./console/activity.ts";
import { type Between, openLive } from "./console/live/live.ts";
import { openConsole } from "./console/console.ts";
import { openRoutesByHost } from "./routing/find-route.ts";
import { addressList } from "./access/address-range.ts";
import { openAddressLimits } from "./guards/address-limits.ts";
import { countUnrouted, type Observing } from "./observe.ts";
import type { Readiness } from "../platform/telemetry/metrics-server.ts";
import type { Services } from "./routing/route.ts";
import { routeTable } from "./route-table.ts";
import { openScimNotes } from "./scim-notes.ts";
import { type HttpServer, openServer } from "./server.ts";

export interface Gateway {
  /** Starts to accept; the url has the port given out where the configured one is 0. Throws when the address is taken. */
  listen(): Promise<{ url: string }>;
  /** Stops accepting, finishes requests in flight, bounded. Closes none of what it was given. */
  close(): Promise<void>;
}

export interface GatewayOptions extends Services {
  readonly access: Access & AccessAdmin;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly config: GatewayConfig;
  /** What /readyz answers; always ready where it is left out. */
  readonly health?: () => Readiness;
  readonly telemetry?: Telemetry;
  /** Those of the installation; without it this process is all of them. */
  readonly processes?: () => Promise<readonly RunningProcess[]>;
  /** What `heddle doctor` finds, as far as this process can look; nothing where it is left out. */
  readonly examine?: () => Promise<readonly Finding[]>;
  /** To the other gateways; without it the live view shows the requests of this one. */
  readonly between?: Between;
}

export function openGateway(options: GatewayOptions): Gateway {
  const { access, scim, clock, logger, config, health = () => ({ ready: true }), telemetry = noTelemetry } = options;
  const { processes = alone(clock), examine = async () => [] } = options;
  const live = openLive({ clock, ...(options.between && { between: options.between }) });
  const observing: Observing = { ...telemetry, activity: createActivity(clock), live, requests: access.requests };
  const scimNotes = openScimNotes({ scim, clock, logger, metrics: telemetry.metrics });
  let { publicUrl: reachedAt } = config;
  let ownHealth: Readiness = { ready: true };
  const limiter = measuredLimiter(options.limiter, telemetry.metrics);
  const addresses = { trustedProxies: addressList(config.trustedProxies) };
  const answering = {
    findRoute: openRoutesByHost(routeTable, config),
    reached: { publicUrl: config.publicUrl, hosts: config.hosts.map((host) => host.toLowerCase()) },
    addresses,
    addressLimits: openAddressLimits({ clock, addresses }),
    deps: {
      ...servicesOf(options),
      pagesUrl: () => config.pagesUrl || reachedAt,
      health,
      ownHealth: () => ownHealth,
      documents: documentsWhenAsked(routeTable),
      console: openConsole({ activity: observing.activity, live, access, limiter, clock, logger, processes, examine }),
    },
    scimNotes,
    access,
    limiter,
    clock,
    logger,
    observing,
  };
  const server = openServer({
    host: config.host,
    port: config.port,
    leaveMs: config.leaveMs,
    clock,
    logger,
    newRequestId: () => newId("uuid"),
    answer: (request) => answerRequest(request, answering),
    answeredAlone: (status) => countUnrouted(telemetry.metrics, status),
  });
  showGauges(telemetry.metrics, { access, server });
  return {
    async listen() {
      const listening = await server.listen();
      reachedAt ||= listening.url;
      return listening;
    },
    async close() {
      ownHealth = { ready: false, reason: "This gateway is about to end" };
      const closed = server.close();
      // Once it drains, the connections of views end with them, and they come back elsewhere
      live.close();
      await closed;
      await Promise.all([scimNotes.close(), access.requests.flush()]);
    },
  };
}

function showGauges(metrics: Metrics, { access, server }: { readonly access: Access; readonly server: HttpServer }): void {
  metrics.gauge("httpInFlight", () => [{ value: server.inFlight() }]);
  metrics.gauge("writesPaused", () => [{ value: access.writesPaused() ? 1 : 0 }]);
}

/** This process is the whole installation. */
function alone(clock: Clock): NonNullable<GatewayOptions["processes"]> {
  const own = ownProcess("heddle", clock);
  return async () => [{ ...own, heardAt: clock.now() }];
}

function servicesOf({ profile, log, subscription, messagingStatus, scim, content, translations }: Services): Services {
  return { profile, log, subscription, messagingStatus, scim, content, translations };
}
