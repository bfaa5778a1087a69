/** Serves RPCs: gRPC, gRPC-web and Connect on one port, callers checked before a byte of their message is read. */
import type { Http2ServerRequest } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { DescMethod } from "@bufbuild/protobuf";
import { type ConnectRouter, createContextKey, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { compressionGzip, connectNodeAdapter } from "@connectrpc/connect-node";
import { Health } from "../../proto/gen/grpc/health/v1/health_pb.ts";
import { SharedCallService } from "../../proto/gen/heddle/rpc/v1/shared_call_service_pb.ts";
import { ServerReflection } from "../../proto/gen/grpc/reflection/v1/reflection_pb.ts";
import type { Clock } from "../clock.ts";
import { isInternalHost } from "../internal-host.ts";
import { limits } from "../limits.ts";
import type { ServerTls } from "../mesh-config.ts";
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { noTelemetry, type Telemetry } from "../telemetry/telemetry.ts";
import { callerHeader, type CallerRules, certificateNames, checkCaller } from "./callers.ts";
import { guarded, noteFault, type RpcRoute } from "./guard.ts";
import { healthRoute } from "./health.ts";
import { listen, type Listener, type NodeRequest, type NodeResponse } from "./listener.ts";
import { observedRoute } from "./observed.ts";
import { reflectionRoute } from "./reflection.ts";
import { errorFromThrown } from "./refusal-wire.ts";
import { sharedRoute } from "./shared-answers.ts";
import { tenantRoute, type Tenants } from "./tenants.ts";

export interface RpcServerOptions {
  readonly routes: readonly RpcRoute[];
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** With `tls` a caller is the names of its certificate; without, what it says in the header `heddle-caller`. */
  readonly callers: CallerRules;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tls?: ServerTls;
  /** Names that the port may be asked by beside those of private networks, where callers have no certificates. */
  readonly hosts?: readonly string[];
  /** Gives the contract to every client that may connect; off unless asked for. */
  readonly reflection?: boolean;
  readonly health: () => { readonly ready: boolean };
  readonly telemetry?: Telemetry;
  /** Without it every workspace and company is taken for one that there is. */
  readonly tenants?: Tenants | undefined;
}

export interface RpcServer {
  readonly url: string;
  readonly port: number;
  /**
   * Says NOT_SERVING, refuses what comes anew, finishes what is under way within `drainMsMax` and cuts the rest.
   * Resolves when no connection is left.
   */
  close(drainMsMax?: number): Promise<void>;
}

/** Rejects with the system's error where the address cannot be had. */
export async function serveRpc(options: RpcServerOptions): Promise<RpcServer> {
  const { clock, logger, tls } = options;
  const state: State = { closing: false, inFlight: 0, idle: () => {} };
  const all = routesOf(options, state);
  const answer = connectNodeAdapter({
    routes: (router: ConnectRouter) => {
      for (const route of all) router.service(route.service, guarded(route, { clock, logger }));
    },
    readMaxBytes: limits.rpcMessageBytesMax,
    acceptCompression: [compressionGzip],
    contextValues: (request) => createContextValues().set(callerNames, tls ? namesByCertificate(request as NodeRequest) : undefined),
    requestGate: (context) => gate(options, state, context),
  });
  const listener = await listen({
    ...options,
    handle: (request, response) => {
      if (tls === undefined && !isInternalHost(authorityOf(request), options.hosts ?? [])) return misdirected(response);
      count(state, { answer, request, response, logger });
    },
  });
  return {
    url: `${tls ? "https" : "http"}://${options.host.includes(":") ? `[${options.host}]` : options.host}:${listener.port}`,
    port: listener.port,
    close: (drainMsMax = limits.drainMsMax) => close(listener, state, { clock, drainMsMax }),
  };
}

interface State {
  closing: boolean;
  inFlight: number;
  /** Called whenever nothing is in flight. */
  idle: () => void;
}

/** Undefined where callers have no certificates. */
const callerNames = createContextKey<readonly string[] | undefined>(undefined);

function routesOf(options: RpcServerOptions, state: State): RpcRoute[] {
  const { callers, clock, logger, reflection, telemetry = noTelemetry } = options;
  const routes = options.routes.map((route) => observedRoute(tenantRoute(route, options.tenants), telemetry));
  const services = routes.map(({ service }) => service);
  return [
    ...routes,
    sharedRoute(routes, { clock, logger, allow: (method, context) => checkCaller(callers, method, namesOfCaller(context)) }),
    healthRoute({
      services: services.map(({ typeName }) => typeName),
      ready: () => options.health().ready,
      closing: () => state.closing,
      clock,
    }),
    ...(reflection ? [reflectionRoute([...services, SharedCallService, Health])] : []),
  ];
}

/** Services whose callers are not ours to name, or are looked at call by call. */
const openServices: ReadonlySet<string> = new Set([Health.typeName, ServerReflection.typeName, SharedCallService.typeName]);

/** Runs before the message is read. */
function gate(options: RpcServerOptions, state: State, context: HandlerContext): void {
  try {
    const { service } = context;
    if (service.typeName === Health.typeName) return;
    if (state.closing) throw new Refusal("SHUTTING_DOWN");
    if (state.inFlight > limits.rpcCallsInFlightMax) {
      throw new Refusal("OVERLOADED", undefined, { retryAfterSeconds: limits.overloadRetryAfterSeconds });
    }
    if (!openServices.has(service.typeName)) checkCaller(options.callers, context.method as DescMethod, namesOfCaller(context));
  } catch (thrown) {
    const { method } = context;
    throw errorFromThrown(thrown, { fault: (fault) => noteFault(options.logger, fault, { method }), bounded: true });
  }
}

function namesOfCaller(context: HandlerContext): readonly string[] {
  const proven = context.values.get(callerNames);
  if (proven) return proven;
  const said = context.requestHeader.get(callerHeader);
  return said === null ? [] : [said];
}

const namesBySession = new WeakMap<object, readonly string[]>();

function namesByCertificate(request: NodeRequest): readonly string[] {
  const session = (request as Partial<Http2ServerRequest>).stream?.session;
  const socket = (session?.socket ?? request.socket) as TLSSocket;
  const holder = session ?? socket;
  const known = namesBySession.get(holder);
  if (known) return known;
  const names = certificateNames(socket);
  namesBySession.set(holder, names);
  return names;
}

interface Exchange {
  readonly answer: ReturnType<typeof connectNodeAdapter>;
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly logger: Logger;
}

function count(state: State, { answer, request, response, logger }: Exchange): void {
  state.inFlight += 1;
  response.once("close", () => {
    state.inFlight -= 1;
    if (state.inFlight === 0) state.idle();
  });
  try {
    answer(request as Parameters<typeof answer>[0], response as Parameters<typeof answer>[1]);
  } catch (error) {
    // An authority that makes no URL is thrown right here, and must not end the process
    logger.debug("rpc_request_malformed", { message: error instanceof Error ? error.message : "" });
    response.statusCode = malformed;
    response.end();
  }
}

/** The name that it asks for; with HTTP/2 not in the header Host. */
function authorityOf({ headers }: NodeRequest): string | undefined {
  return headers[":authority"] as string | undefined ?? headers.host;
}

function misdirected(response: NodeResponse): void {
  response.statusCode = misdirectedStatus;
  response.end();
}

const misdirectedStatus = 421;
const malformed = 400;

async function close(listener: Listener, state: State, { clock, drainMsMax }: { clock: Clock; drainMsMax: number }): Promise<void> {
  state.closing = true;
  // A connection counts as idle only when the event that ends its answer is over
  state.idle = () => setImmediate(() => listener.endIdle());
  listener.drain();
  await listener.ended(clock, drainMsMax);
}
