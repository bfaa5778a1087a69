/** Cross-origin requests of browsers (CORS): which origins may read the answers of routes for API keys, and how a preflight is answered. */
import type { Access } from "./access/access.ts";
import type { FindRouteOf, Found } from "./routing/find-route.ts";
import { bearerOf } from "./guards/authenticate.ts";
import { unknownLimitHeaders } from "./guards/spend.ts";
import type { HttpAnswer, HttpRequest } from "./http/http-message.ts";

type Origins = Pick<Access, "findApiKey" | "allowsOrigin">;

/**
 * The answer to a preflight, undefined where the request is none that is allowed. A preflight carries no key, so an origin of any
 * workspace will do; the answer to the request itself goes by the workspace of its key.
 */
export function preflightAnswer(
  request: HttpRequest,
  { access, findRoute }: { readonly access: Origins; readonly findRoute: FindRouteOf },
): HttpAnswer | undefined {
  const origin = request.headers.get("origin");
  const method = request.headers.get("access-control-request-method");
  if (request.method !== "OPTIONS" || origin === undefined || method === undefined || !access.allowsOrigin(origin)) return undefined;
  const found = findRoute({ method, path: request.path, headers: request.headers });
  if (!isForKeys(found) || found.kind !== "route") return undefined;
  const headers = [
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Allow-Methods",
    method,
    "Access-Control-Allow-Headers",
    sentHeaders,
    "Access-Control-Max-Age",
    preflightSeconds,
    "Vary",
    "Origin, Access-Control-Request-Method",
    ...unknownLimitHeaders,
  ];
  return { status: 204, headers, body: "" };
}

/** The answer as the browser of an allowed origin may read it. Credentials are never allowed: a key is sent by the page itself. */
export function readableAnswer(answer: HttpAnswer, request: HttpRequest, { found, access }: { found: Found; access: Origins }): HttpAnswer {
  const origin = request.headers.get("origin");
  if (origin === undefined || !isForKeys(found)) return answer;
  const secret = bearerOf(request.headers.get("authorization"));
  const workspace = secret === undefined ? undefined : access.findApiKey(secret)?.workspace;
  // A page may read that its key is not a good one
  const isAllowed = workspace === undefined ? access.allowsOrigin(origin) : workspace.corsOrigins?.includes(origin) === true;
  const readable = isAllowed ? ["Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", readHeaders] : [];
  return { ...answer, headers: [...answer.headers, ...readable, "Vary", "Origin"] };
}

/** A path that no route has counts too: its 404 is for keys. */
function isForKeys(found: Found): boolean {
  return found.kind === "unknown" || found.kind === "other_method" || found.route.guard === "key";
}

const preflightSeconds = "600";
/** What requests may carry beside what browsers always send. */
const sentHeaders = [
  "Authorization",
  "Content-Type",
  "Content-Encoding",
  "Idempotency-Key",
  "X-Heddle-Position",
  "X-Request-Id",
  "traceparent",
].join(", ");
const readHeaders = [
  "X-Request-Id",
  "X-Heddle-Reason",
  "X-Heddle-Position",
  "X-Heddle-Read",
  "Idempotency-Replayed",
  "Retry-After",
  "X-Ratelimit-Retry-After",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit",
  "RateLimit-Policy",
].join(", ");
