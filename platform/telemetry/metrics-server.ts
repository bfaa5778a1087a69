/** The port for operators: /metrics, /livez and /readyz, apart from the port of clients. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isInternalHost } from "../internal-host.ts";
import { createServer } from "../node-http.ts";
import { limits } from "../limits.ts";
import type { ShownMetrics } from "./metrics.ts";

/** Whether a process can do its work. */
export interface Readiness {
  readonly ready: boolean;
  /** Names the part that fails; with `ready`, what waits for a human. */
  readonly reason?: string;
}

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

interface Shown {
  /** Names that the port may be asked by beside those of private networks. */
  readonly hosts: readonly string[];
  readonly metrics: ShownMetrics;
  readonly health: () => Readiness;
}

export interface MetricsServerOptions extends Shown {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
}

/** Rejects with the system's error where the address cannot be had. */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer({ maxHeaderSize: limits.headerBytesMax, headersTimeout: limits.headersTimeoutMs }, (request, response) => {
    void send(options, request, response);
  });
  server.maxConnections = limits.metricsConnectionsMax;
  server.timeout = limits.socketIdleMs;
  const { address, family, port } = await listening(server, options);
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function send(deps: Shown, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, type, body } = isInternalHost(request.headers.host, deps.hosts)
    ? await answer(deps, request.method ?? "", request.url ?? "")
    : json(421, { message: "This port is for operators: ask it by an address, or list the name in HEDDLE_INTERNAL_HOSTS" });
  response.writeHead(status, { "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff" });
  response.end(request.method === "HEAD" ? undefined : body);
}

function listening(server: Server, { host, port }: { host: string; port: number }): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Never rejects. */
async function answer(deps: Shown, method: string, target: string): Promise<Answer> {
  if (method !== "GET" && method !== "HEAD") return json(405, { message: "This port takes GET" });
  const [path] = target.split("?");
  if (path === "/livez") return json(200, { status: "ok" });
  if (path === "/readyz") return readyz(deps.health());
  if (path !== "/metrics") return json(404, { message: "This port has /metrics, /livez and /readyz" });
  try {
    return { status: 200, type: deps.metrics.contentType, body: await deps.metrics.text() };
  } catch {
    return json(500, { message: "The metrics cannot be gathered" });
  }
}

function readyz({ ready, reason }: Readiness): Answer {
  return json(ready ? 200 : 503, { status: ready ? "ready" : "not_ready", ...(reason !== undefined && { reason }) });
}

function json(status: number, value: object): Answer {
  return { status, type: "application/json", body: JSON.stringify(value) };
}
