/** What is seen of each request: metrics by the pattern of its route, a span, a line of the log, the console's counts. */
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/logger.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import type { Telemetry } from "../platform/telemetry/telemetry.ts";
import { formatTraceparent, parseTraceparent } from "../platform/telemetry/trace-context.ts";
import type { Span } from "../platform/telemetry/tracer.ts";
import type { RequestCounts } from "./access/admin/request-counts.ts";
import type { Activity } from "./console/activity.ts";
import type { LiveSource } from "./console/live/live.ts";
import type { HttpAnswer, HttpRequest } from "./http/http-message.ts";
import { faultFrom, reasonOf } from "./render/refusal-rest.ts";

export interface Observing extends Telemetry {
  readonly activity: Activity;
  readonly live: LiveSource;
  readonly requests: Pick<RequestCounts, "note">;
}

export interface ObservedRoute {
  readonly method: string;
  /** The pattern, never what was sent: a path may name a user. */
  readonly path: string;
}

interface ObservationDeps {
  readonly observing: Observing;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A request that no route takes: anything may stand in its path and method, and nothing of it becomes a label. */
const noRoute: ObservedRoute = { method: "any", path: "none" };

/** Called all the time by machines: a trace of each would hide all others. */
const probes: ReadonlySet<string> = new Set(["/livez", "/readyz", "/readyz/gateway"]);

/** One a request; what is learned on the way is put on it. */
export class Observation {
  /** Of the caller's trace or of ours; undefined where there is none. */
  readonly traceId: string | undefined;
  /** What the services get: of the request's own span, or what the caller sent where this process records nothing; or empty. */
  readonly traceparent: string;
  /** Known once a key was found. */
  workspaceId: string | undefined;
  /** Which the request takes from, once that is known. */
  limit: string | undefined;
  /** That limit was used up. */
  isLimited = false;
  readonly #deps: ObservationDeps;
  readonly #request: Pick<HttpRequest, "requestId">;
  readonly #route: ObservedRoute;
  readonly #began: number;
  readonly #span: Span | undefined;
  /** Only while a workspace is watched. */
  #body: Uint8Array | undefined;

  constructor(request: Pick<HttpRequest, "requestId" | "headers">, route: ObservedRoute = noRoute, deps: ObservationDeps) {
    const { tracer } = deps.observing;
    this.#deps = deps;
    this.#request = request;
    this.#route = route;
    this.#began = deps.clock.monotonic();
    const sent = request.headers.get("traceparent");
    if (sent === undefined && (!tracer.on || probes.has(route.path))) {
      this.traceparent = "";
      return;
    }
    const attributes = { "http.request.method": route.method, "http.route": route.path, "heddle.request_id": request.requestId };
    this.#span = tracer.begin(`${route.method} ${route.path}`, sent, { kind: "server", attributes });
    const caller = parseTraceparent(sent);
    this.traceId = this.#span?.traceId ?? caller?.traceId;
    this.traceparent = this.#span?.traceparent ?? (caller?.sampled && !tracer.on ? formatTraceparent(caller) : "");
  }

  /** The body is looked at where the workspace is watched, and is gone with the request. */
  keepBody(body: Uint8Array): void {
    if (this.#deps.observing.live.watched) this.#body = body;
  }

  /** The answer goes out; it gets the header `traceresponse` where the request was recorded. */
  end(answer: HttpAnswer): HttpAnswer {
    const { observing, clock, logger } = this.#deps;
    const { requestId } = this.#request;
    const { method, path: route } = this.#route;
    const { status } = answer;
    const ms = clock.monotonic() - this.#began;
    const reason = reasonOf(answer);
    observing.metrics.count("httpRequests", { route, method, status: String(status) });
    observing.metrics.observe("httpDuration", { route, method }, ms / 1_000);
    if (status === tooMany) observing.metrics.count("limiterRefused", { limit: limitOf(answer) });
    const seen = { requestId, ...(this.traceId !== undefined && { traceId: this.traceId }) };
    logger.debug("request", { ...seen, method, route, status, ms: Math.round(ms), ...(reason !== "" && { reason }) });
    if (this.workspaceId !== undefined) {
      if (this.limit !== undefined) observing.requests.note(this.workspaceId, { limit: this.limit, isLimited: this.isLimited, reason });
      observing.activity.note(this.workspaceId, { ...seen, at: clock.now(), route, method, status, ms, reason });
      if (observing.live.watched) {
        const { workspaceId } = this;
        observing.live.note({ workspaceId, requestId, at: clock.now(), route, method, status, ms, reason, body: this.#body, answer });
      }
    }
    if (this.#span === undefined) return answer;
    this.#span.end({
      attributes: { "http.response.status_code": status, ...(reason !== "" && { "error.type": reason }) },
      failed: status >= faultFrom,
    });
    return { ...answer, headers: [...answer.headers, "traceresponse", this.#span.traceparent] };
  }

  /** The client hung up: no answer is sent. */
  abandon(): void {
    this.#span?.end({ attributes: { "error.type": "client_gone" } });
  }
}

/** An answer that is given without a look for its route: to what is no request, to a preflight, or in place of one that comes too late. */
export function countUnrouted(metrics: Metrics, status: number): void {
  metrics.count("httpRequests", { route: noRoute.path, method: noRoute.method, status: String(status) });
}

const tooMany = 429;

/** The name that the RateLimit header gives the bucket. */
function limitOf({ headers }: HttpAnswer): string {
  const at = headers.indexOf("RateLimit");
  return /^"([\w-]+)"/.exec(headers[at + 1] ?? "")?.[1] ?? "unknown";
}
