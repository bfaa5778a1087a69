/** grpc.health.v1: what probes and load balancers ask before they send calls here. */
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  Health,
  type HealthCheckRequest,
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthCheckResponseSchema,
} from "../../proto/gen/grpc/health/v1/health_pb.ts";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { type RpcRoute, rpcRoute } from "./guard.ts";

export interface HealthDeps {
  /** Full names of the services on this port. */
  readonly services: readonly string[];
  /** Whether calls may come now. */
  ready(): boolean;
  /** True when the port closes: a watch ends after it said so. */
  closing(): boolean;
  readonly clock: Clock;
}

/** All services of a port are ready together, as they stand on the same log and store. */
export function healthRoute(deps: HealthDeps): RpcRoute {
  const known = new Set(["", Health.typeName, ...deps.services]);
  function statusOf(service: string): ServingStatus {
    if (!known.has(service)) return ServingStatus.SERVICE_UNKNOWN;
    return deps.ready() && !deps.closing() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }
  return rpcRoute(Health, {
    check({ service }) {
      const status = statusOf(service);
      if (status === ServingStatus.SERVICE_UNKNOWN) throw new Refusal("NOT_FOUND", "Expected the name of a service on this port");
      return { status };
    },
    watch: (request, context) => watch(deps, { statusOf, request, context }),
  });
}

async function* watch(
  { closing, clock }: HealthDeps,
  { statusOf, request, context }: {
    statusOf: (service: string) => ServingStatus;
    request: HealthCheckRequest;
    context: HandlerContext;
  },
): AsyncGenerator<HealthCheckResponse> {
  let sent: ServingStatus | undefined;
  while (!context.signal.aborted) {
    const status = statusOf(request.service);
    if (status !== sent) yield create(HealthCheckResponseSchema, { status });
    sent = status;
    if (closing()) return;
    await pause(clock, context.signal);
  }
}

/** Until the next look, or until the caller is gone. */
async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    function end(): void {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    }
    const cancel = clock.after(limits.rpcHealthCheckMs, end);
    signal.addEventListener("abort", end);
  });
}
