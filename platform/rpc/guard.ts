/** Handlers as the wire serves them: within their deadline, and what they throw as RPC errors. */
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ConnectError, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../clock.ts";
import { newId } from "../identifier.ts";
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { withinDeadline } from "./deadline.ts";
import { errorFromThrown } from "./refusal-wire.ts";
import { logIdsOf } from "./request-trace.ts";

/** A service and what answers for it. */
export interface RpcRoute {
  readonly service: DescService;
  readonly implementation: Readonly<Record<string, Handler | undefined>>;
}

export type Handler = (request: unknown, context: HandlerContext) => unknown;

export function rpcRoute<Service extends DescService>(service: Service, implementation: Partial<ServiceImpl<Service>>): RpcRoute {
  return { service, implementation: implementation as RpcRoute["implementation"] };
}

export interface GuardDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Every method of the service; those that the implementation lacks refuse NOT_IMPLEMENTED. */
export function guarded({ service, implementation }: RpcRoute, deps: GuardDeps): ServiceImpl<DescService> {
  const methods = Object.entries(service.method).map(([name, method]) => {
    const handler = implementation[name]?.bind(implementation) ?? notImplemented;
    return [name, streams(method) ? streaming(handler, deps) : unary(handler, deps)];
  });
  return Object.fromEntries(methods) as ServiceImpl<DescService>;
}

/** Notes a fault that a caller learns nothing of, and gives the id under which it stands in the log. */
export function noteFault(logger: Logger, fault: unknown, of: { readonly method: DescMethod; readonly request?: unknown }): string {
  const faultId = newId("fault_");
  const { method, request } = of;
  logger.error("rpc_fault", fault, { faultId, method: `${method.parent.typeName}/${method.name}`, ...logIdsOf(request ?? {}) });
  return faultId;
}

function unary(handler: Handler, deps: GuardDeps): Handler {
  return async (request, context) => {
    try {
      return await withinDeadline(context, deps.clock, (inner) => handler(request, inner));
    } catch (thrown) {
      throw wireError(thrown, { context, request }, deps);
    }
  };
}

/** A stream lasts as long as its caller wants; the caller's own deadline ends it. */
function streaming(handler: Handler, deps: GuardDeps): Handler {
  return async function* (request, context) {
    try {
      yield* handler(request, context) as AsyncIterable<unknown>;
    } catch (thrown) {
      throw wireError(thrown, { context, request }, deps);
    }
  };
}

interface Asked {
  readonly context: HandlerContext;
  readonly request: unknown;
}

function wireError(thrown: unknown, { context, request }: Asked, { logger }: GuardDeps): ConnectError {
  return errorFromThrown(thrown, {
    fault: (fault) => noteFault(logger, fault, { method: context.method, request }),
    bounded: context.protocolName !== "connect",
  });
}

function streams({ methodKind }: DescMethod): boolean {
  return methodKind === "server_streaming" || methodKind === "bidi_streaming";
}

function notImplemented(): never {
  throw new Refusal("NOT_IMPLEMENTED");
}
