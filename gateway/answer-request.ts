/** What happens to a request between the server and its route: find, authenticate, authorize, spend, read, call, refuse. */
import { limits } from "../platform/limits.ts";
import type { Logger } from "../platform/logger.ts";
import { type Reason, Refusal } from "../platform/refusal.ts";
import type { Access } from "./access/access.ts";
import { isPaused, readBodyOf, readUnlessPaused, refuseWhilePaused } from "./guards/write-pause.ts";
import { answerNoRoute } from "./answer-no-route.ts";
import { answerScim } from "./answer-scim.ts";
import type { Reached } from "./base-url.ts";
import { compressedAnswer } from "./routing/compress-answer.ts";
import { preflightAnswer, readableAnswer } from "./cors.ts";
import { authenticate, type Authenticating, type Caller, knowingNewKeys } from "./guards/authenticate.ts";
import type { AddressLimits } from "./guards/address-limits.ts";
import { authorize } from "./guards/authorize.ts";
import { checkMediaType } from "./guards/media-type.ts";
import { countUnrouted, Observation, type Observing } from "./observe.ts";
import { peek, spend, type Spending, type Spent, unknownLimitHeaders } from "./guards/spend.ts";
import type { FindRouteOf, Found } from "./routing/find-route.ts";
import { ClientGone, type HttpAnswer, type HttpRequest, isPrintableAscii, type RequestHeaders, wasStopped } from "./http/http-message.ts";
import { idempotencyKeyOf, sentHashOf } from "./http/idempotency-key.ts";
import { sessionTokenOf } from "./guards/session-cookie.ts";
import { scimRefusalAnswer } from "./render/refusal-scim.ts";
import { faultAnswer, isForCaller, refusalAnswer } from "./render/refusal-rest.ts";
import type { RequestContext } from "../platform/request-context.ts";
import type { Deps, KeyRoute, Route } from "./routing/route.ts";
import type { ScimNotes } from "./scim-notes.ts";

export interface Answering extends Authenticating, Spending {
  readonly access: Pick<
    Access,
    "findApiKey" | "findSession" | "awaitSession" | "awaitKey" | "awaitCurrent" | "findScimToken" | "allowsOrigin" | "writesPaused"
  >;
  readonly findRoute: FindRouteOf;
  readonly reached: Reached;
  readonly addressLimits: AddressLimits;
  readonly deps: Deps;
  readonly scimNotes: ScimNotes;
  readonly logger: Logger;
  readonly observing: Observing;
}

/** The whole answer to one request. Throws only ClientGone; a fault is logged here, once, and answered with a 500. */
export async function answerRequest(request: HttpRequest, answering: Answering): Promise<HttpAnswer> {
  const preflight = preflightAnswer(request, answering);
  if (preflight !== undefined) {
    countUnrouted(answering.observing.metrics, preflight.status);
    return preflight;
  }
  const found = answering.findRoute(request);
  const answer = await answerSeen(request, found, answering);
  const packed = found.kind === "route" ? await compressedAnswer(answer, request, found.route) : answer;
  return readableAnswer(packed, request, { found, access: answering.access });
}

async function answerSeen(request: HttpRequest, found: Found, answering: Answering): Promise<HttpAnswer> {
  const { observing, clock, logger } = answering;
  const observed = new Observation(request, found.kind === "route" ? found.route : undefined, { observing, clock, logger });
  try {
    return observed.end(countRefused(await answerFound(request, found, { ...answering, observed }), { request, found }, answering));
  } catch (error) {
    observed.abandon();
    throw error;
  }
}

/** Wrong keys and what a key may not do are counted by address; a request that is let through costs nothing here. */
function countRefused(
  answer: HttpAnswer,
  { request, found }: { request: HttpRequest; found: Found },
  { addressLimits }: Answering,
): HttpAnswer {
  if (answer.status !== unauthorized && answer.status !== forbidden) return answer;
  const refusal = addressLimits.refused(request);
  if (refusal === undefined) return answer;
  if (request.path.startsWith("/scim/")) return scimRefusalAnswer(refusal, unknownLimitHeaders);
  const dialect = found.kind === "route" && found.route.guard === "key" ? found.route.dialect : "rest";
  return refusalAnswer(refusal, dialect, unknownLimitHeaders);
}

const unauthorized = 401;
const forbidden = 403;

type Observed = Answering & { readonly observed: Observation };

async function answerFound(request: HttpRequest, found: Found, answering: Observed): Promise<HttpAnswer> {
  // A probe asks nothing of who may call
  if (!isOpenRead(found)) await answering.access.awaitCurrent();
  if (found.kind !== "route") return await answerNoRoute(request, found, answering);
  const { route, params } = found;
  const { traceparent } = answering.observed;
  try {
    const link = params.get("token");
    if (route.guard === "open" && link !== undefined) {
      answering.addressLimits.useLink(request, link);
      request.takeSlot("link");
    }
    if (route.guard === "open") {
      if (route.method !== "GET") refuseWhilePaused(answering.access);
      const { deps, access } = answering;
      return await route.handler(deps, {
        request,
        readBody: (bytesMax) => readUnlessPaused(request, bytesMax, access),
        params,
        traceparent,
      });
    }
    if (route.guard === "scim") {
      return await answerScim(request, { route, params }, { ...answering, scim: answering.deps.scim });
    }
    return await answerWithKey(request, { route, params }, answering);
  } catch (error) {
    return answerError(error, { request, route, headers: [], ...answering });
  }
}

function isOpenRead(found: Found): boolean {
  return found.kind === "route" && found.route.guard === "open" && found.route.method === "GET";
}

interface Chosen {
  readonly route: KeyRoute;
  readonly params: ReadonlyMap<string, string>;
}

/** What a person did is noted before it is answered. */
async function answerWithKey(request: HttpRequest, chosen: Chosen, answering: Observed): Promise<HttpAnswer> {
  const seen: { caller?: Caller } = {};
  const answer = await answerCaller(request, chosen, { ...answering, seen });
  if (seen.caller) answering.deps.console.noteUse(seen.caller.holder);
  if (seen.caller && isAudited(seen.caller, chosen.route)) {
    await answering.deps.console.noteAction(seen.caller.holder, { requestId: request.requestId, route: chosen.route, answer });
  }
  return answer;
}

function isAudited({ by }: Caller, { takes, audit }: KeyRoute): boolean {
  return audit === "always" || (by.kind === "session" && (takes === "write" || audit === "session"));
}

/** Each step needs the proof of the one before; what is refused after a step carries the headers that step gave. */
async function answerCaller(
  request: HttpRequest,
  chosen: Chosen,
  answering: Observed & { readonly seen: { caller?: Caller } },
): Promise<HttpAnswer> {
  const { route } = chosen;
  let headers = unknownLimitHeaders;
  let caller: Caller | undefined;
  try {
    request.takeSlot("key");
    const session = sessionTokenOf(request.headers);
    if (session !== undefined) await answering.access.awaitSession(session);
    caller = await knowingNewKeys(answering.access, () => authenticate(request, answering));
    answering.seen.caller = caller;
    answering.observed.workspaceId = caller.holder.workspace.id;
    answering.observed.limit = route.limit;
    if (isPaused(route)) refuseWhilePaused(answering.access);
    const permit = authorize(caller, route.permission);
    if (route.alsoPermission) authorize(caller, route.alsoPermission);
    const spent = await spend(permit, route.limit, answering);
    headers = spent.headers;
    if (spent.proof === "overspent") {
      answering.observed.isLimited = true;
      return refusalAnswer(spent.refusal, route.dialect, headers);
    }
    return await callRoute(request, { ...chosen, spent }, answering);
  } catch (error) {
    // A caller without the permission still gets the state of the limit, which was not spent
    if (isRefusal(error, "PERMISSION_MISSING") && caller) headers = await peek(caller.holder, route.limit, answering);
    return answerError(error, { request, route, headers, ...answering });
  }
}

function isRefusal(error: unknown, reason: Reason): boolean {
  return error instanceof Refusal && error.reason === reason;
}

async function callRoute(
  request: HttpRequest,
  chosen: Chosen & { spent: Spent },
  { deps, observed, access }: Pick<Observed, "deps" | "observed" | "access">,
): Promise<HttpAnswer> {
  const { route, params, spent } = chosen;
  const context = { ...scopeOf(request, route, spent), traceparent: observed.traceparent };
  if (route.method !== "GET") checkMediaType(request.headers);
  const body = route.method !== "GET" ? await readBodyOf(request, route, access) : noBody;
  const reading = route.takes === "read" ? { signal: request.hungUp } : {};
  observed.keepBody(body);
  const queried = route.queryNames && request.query !== "" ? [request.query] : [];
  const scope = { ...context, ...sentHashOf(context, body, [...params.values(), ...queried]) };
  const { headers } = request;
  const reply = await route.handler({ spent, scope, body, params, query: request.query, headers, reading }, deps);
  const answer = { status: route.status, headers: [...spent.headers, ...reply.headers], body: reply.body };
  return reply.stream === undefined ? answer : { ...answer, ...eventStream, stream: reply.stream };
}

/** A proxy on the way keeps none of it back, and changes nothing. */
const eventStream = { contentType: "text/event-stream; charset=utf-8", cacheControl: "no-store, no-transform" };

function scopeOf(request: HttpRequest, route: KeyRoute, spent: Spent): Omit<RequestContext, "traceparent"> {
  const { key, workspace } = spent.permit.caller.holder;
  const writes = route.takes === "write";
  return {
    workspaceId: workspace.id,
    requestId: request.requestId,
    actor: key.id,
    route: route.path,
    idempotencyKey: writes ? idempotencyKeyOf(request.headers) : "",
    readAfter: writes ? "" : positionOf(request.headers),
  };
}

/** Opaque here; the service knows what it gave out. */
function positionOf(headers: RequestHeaders): string {
  const position = headers.get("x-heddle-position") ?? "";
  if (position.length > limits.positionCharsMax || !isPrintableAscii(position)) throw new Refusal("POSITION_INVALID");
  return position;
}

const noBody = new Uint8Array();

interface Refused {
  readonly request: HttpRequest;
  readonly route: Route;
  readonly headers: readonly string[];
  readonly logger: Logger;
  readonly observed: Observation;
}

function answerError(error: unknown, { request, route, headers, logger, observed }: Refused): HttpAnswer {
  if (route.guard === "open" && route.refused && isForCaller(error)) return route.refused(error, request);
  if (route.guard === "key" && route.takes === "read" && wasStopped(error, request)) throw new ClientGone();
  const dialect = route.guard === "key" ? route.dialect : "rest";
  if (isForCaller(error)) return refusalAnswer(error, dialect, headers);
  if (error instanceof ClientGone) throw error;
  // The route and not the path, which may name a user
  const { traceId } = observed;
  logger.error("request_failed", error, { requestId: request.requestId, ...(traceId !== undefined && { traceId }), route: route.path });
  const fault = faultAnswer(request.requestId, headers, dialect);
  return route.guard === "open" && route.failed ? route.failed(fault, request) : fault;
}
