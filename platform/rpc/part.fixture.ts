/** A served part for tests: answers what it is given, on a free port of this machine. */
import type { DescService } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { systemClock } from "../clock.ts";
import { type Logger, silentLogger } from "../logger.ts";
import { type ClientOptions, connectClient, type RpcClient } from "./client.ts";
import { rpcRoute } from "./guard.ts";
import { type RpcServer, type RpcServerOptions, serveRpc } from "./server.ts";

export type Implementation = Partial<ServiceImpl<typeof ProfileService>>;

/** The caller "gateway" may use all of it. */
export function servePart(implementation: Implementation, options: Partial<RpcServerOptions> = {}): Promise<RpcServer> {
  return serveService(ProfileService, implementation, options);
}

/** As `servePart`, for any service. */
export function serveService<S extends DescService>(
  service: S,
  implementation: Partial<ServiceImpl<S>>,
  options: Partial<RpcServerOptions> = {},
): Promise<RpcServer> {
  return serveRpc({
    routes: [rpcRoute(service, implementation)],
    host: "127.0.0.1",
    port: 0,
    callers: new Map([[service.typeName, ["gateway"]]]),
    clock: systemClock,
    logger: silentLogger,
    health: () => ({ ready: true }),
    ...options,
  });
}

export function callPart(addresses: readonly string[], options: Partial<ClientOptions> = {}): RpcClient<typeof ProfileService> {
  return connectClient(ProfileService, { addresses, caller: "gateway", deadlineMs: 5_000, ...options });
}

/** Keeps what was logged, for tests to look at. */
export function keepingLogger(): Logger & { readonly lines: unknown[][] } {
  const lines: unknown[][] = [];
  const logger: Logger = {
    info: (...line) => lines.push(["info", ...line]),
    warn: (...line) => lines.push(["warn", ...line]),
    error: (...line) => lines.push(["error", ...line]),
    debug: () => {},
    with: () => logger,
  };
  return { ...logger, lines };
}
