/** Handlers of a service that are seen: how long each call takes, how it ends, and a span where its request is recorded. */
import type { DescService } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Refusal } from "../refusal.ts";
import { noMetrics } from "../telemetry/metrics.ts";
import { noTelemetry, type Telemetry } from "../telemetry/telemetry.ts";
import type { Attributes } from "../telemetry/tracer.ts";
import type { Handler, RpcRoute } from "./guard.ts";
import { traceparentOf, withTraceparent } from "./request-trace.ts";

/** The same route where metrics and traces are off. Methods that stream are left as they are. */
export function observedRoute({ service, implementation }: RpcRoute, telemetry: Telemetry): RpcRoute {
  if (telemetry.metrics === noMetrics && !telemetry.tracer.on) return { service, implementation };
  const methods = Object.entries(service.method).flatMap(([name, method]) => {
    const handler = implementation[name]?.bind(implementation);
    if (handler === undefined) return [];
    return [[name, method.methodKind === "unary" ? observed(handler, `${service.typeName}/${method.name}`, telemetry) : handler] as const];
  });
  return { service, implementation: Object.fromEntries(methods) };
}

/** As observedRoute, for calls within the process. */
export function observedService<Service extends DescService>(
  service: Service,
  implementation: Partial<ServiceImpl<Service>>,
  telemetry: Telemetry = noTelemetry,
): Partial<ServiceImpl<Service>> {
  const route = observedRoute({ service, implementation: implementation as RpcRoute["implementation"] }, telemetry);
  return route.implementation as Partial<ServiceImpl<Service>>;
}

function observed(handler: Handler, method: string, { metrics, tracer }: Telemetry): Handler {
  return async (request: unknown, context: HandlerContext) => {
    const began = performance.now();
    const span = tracer.on
      ? tracer.child(method, traceparentOf(request), { kind: "server", attributes: rpcAttributes(method) })
      : undefined;
    let outcome = "answered";
    let reason = "";
    try {
      // What the handler does is a child of its call
      return await handler(span === undefined ? request : withTraceparent(request, span.traceparent), context);
    } catch (thrown) {
      outcome = thrown instanceof Refusal ? "refused" : "fault";
      reason = thrown instanceof Refusal ? thrown.reason : "FAULT";
      throw thrown;
    } finally {
      metrics.observe("rpcDuration", { method, outcome }, (performance.now() - began) / millis);
      span?.end({ failed: outcome === "fault", ...(reason !== "" && { attributes: { "error.type": reason } }) });
    }
  };
}

const millis = 1_000;

/** What OpenTelemetry's conventions for Connect say of a call, for both of its sides. */
export function rpcAttributes(method: string): Attributes {
  return { "rpc.system.name": "connectrpc", "rpc.method": method };
}
