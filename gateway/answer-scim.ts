/** What happens to a SCIM request: authenticate, authorize, spend, read, call, refuse, and note it in the company's log. */
import type { Client } from "@connectrpc/connect";
import type { Clock } from "../platform/clock.ts";
import type { Limiter } from "../platform/limiter/limiter.ts";
import type { Logger } from "../platform/logger.ts";
import type { ScimService } from "../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { Access, TokenHolder } from "./access/access.ts";
import { isPaused, readBodyOf, refuseWhilePaused } from "./guards/write-pause.ts";
import { baseUrlOf, type Reached } from "./base-url.ts";
import { scimQueryOf } from "./decode/scim-query.ts";
import { knowingNewKeys } from "./guards/authenticate.ts";
import { authenticateScim, authorizeScim } from "./guards/authenticate-scim.ts";
import type { AddressRule } from "./guards/client-address.ts";
import { checkMediaType } from "./guards/media-type.ts";
import { peekQuota, spendQuota, unknownLimitHeaders } from "./guards/spend.ts";
import { ClientGone, type HttpAnswer, type HttpRequest, type RequestHeaders, wasStopped } from "./http/http-message.ts";
import { idempotencyKeyOf, sentHashOf } from "./http/idempotency-key.ts";
import { companyQuotaOf } from "./access/limits-table.ts";
import type { Observation } from "./observe.ts";
import { isForCaller } from "./render/refusal-rest.ts";
import { scimContentType, scimFaultAnswer, scimRefusalAnswer } from "./render/refusal-scim.ts";
import type { ScimNotes } from "./scim-notes.ts";
import type { ScimDirectory, ScimReply, ScimRoute, ScimScope } from "./routing/scim-route.ts";

/** What is said of a caller goes by these. */
export interface ScimScoping {
  readonly addresses: AddressRule;
  readonly reached: Reached;
}

export interface ScimAnswering extends ScimScoping {
  readonly access: Pick<Access, "findScimToken" | "awaitKey" | "awaitCurrent" | "writesPaused">;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly scim: Client<typeof ScimService>;
  readonly scimNotes: ScimNotes;
  readonly observed: Pick<Observation, "traceparent" | "traceId">;
}

interface Chosen {
  readonly route: ScimRoute;
  readonly params: ReadonlyMap<string, string>;
}

/** The whole answer. Throws only ClientGone. */
export async function answerScim(request: HttpRequest, chosen: Chosen, answering: ScimAnswering): Promise<HttpAnswer> {
  try {
    request.takeSlot("key");
    const holder = await knowingNewKeys(answering.access, () => authenticateScim(request, answering.access));
    // Before anything is noted of it: the log of requests is among what is backed up
    if (isPaused(chosen.route)) refuseWhilePaused(answering.access);
    return negotiated(request.headers, await answerHolder(request, { ...chosen, holder }, answering));
  } catch (error) {
    return negotiated(request.headers, errorAnswer(error, unknownLimitHeaders, { request, ...chosen, ...answering }));
  }
}

type Admitted = Chosen & { readonly holder: TokenHolder };

/** From here on the company is known, so whatever comes of the request is in its log. */
async function answerHolder(request: HttpRequest, admitted: Admitted, answering: ScimAnswering): Promise<HttpAnswer> {
  const { holder, route } = admitted;
  const scope = scopeOf(request, holder, answering);
  const quota = companyQuotaOf(route.limit, holder.company);
  let headers: readonly string[] = unknownLimitHeaders;
  try {
    authorizeScim(request, holder, answering.addresses);
    const spent = await spendQuota(holder.company.id, quota, answering);
    headers = spent.headers;
    if (spent.refusal) throw spent.refusal;
    const reply = await callRoute(request, { ...admitted, scope }, answering);
    if (!reply.logged) answering.scimNotes.add({ scope, status: reply.status });
    return { status: reply.status, headers: [...headers, ...reply.headers], body: reply.body, contentType: scimContentType };
  } catch (error) {
    if (error instanceof ClientGone) throw error;
    if (route.takes === "read" && wasStopped(error, request)) throw new ClientGone();
    if (headers === unknownLimitHeaders) headers = await peekQuota(holder.company.id, quota, answering);
    const answer = errorAnswer(error, headers, { request, route, ...answering });
    const refusal = isForCaller(error) ? { reason: error.reason, detail: error.message } : { reason: "FAULT", detail: request.requestId };
    answering.scimNotes.add({ scope, status: answer.status, ...refusal });
    return answer;
  }
}

async function callRoute(
  request: HttpRequest,
  admitted: Admitted & { scope: ScimScope },
  { scim, observed, access }: Pick<ScimAnswering, "scim" | "observed" | "access">,
): Promise<ScimReply> {
  const { route, params, holder } = admitted;
  const context = { ...admitted.scope, idempotencyKey: idempotencyKeyOf(request.headers), traceparent: observed.traceparent };
  const hasBody = route.bodyBytesMax > 0;
  if (hasBody) checkMediaType(request.headers, bodyTypes);
  const body = hasBody ? await readBodyOf(request, route, access) : noBody;
  const scope = { ...context, ...sentHashOf(context, body) };
  const query = scimQueryOf(request.query);
  const reading = route.takes === "read" ? { signal: request.hungUp } : {};
  const directory = directoryOf(holder);
  const permissionsOptional = holder.token.permissionsOnCreate === "optional";
  return await route.handler({ scope, directory, permissionsOptional, query, headers: request.headers, body, params, reading }, scim);
}

const noBody = new Uint8Array();
const bodyTypes: ReadonlySet<string> = new Set(["application/json", scimContentType]);

export function scopeOf(request: HttpRequest, { token, company }: TokenHolder, { addresses, reached }: ScimScoping): ScimScope {
  return {
    companyId: company.id,
    requestId: request.requestId,
    actor: token.id,
    origin: token.origin,
    method: request.method,
    target: targetOf(request),
    idempotencyKey: "",
    baseUrl: baseUrlOf(request, addresses, reached),
    traceparent: "",
  };
}

const loggedParameters = ["filter", "startIndex", "count", "sortBy", "sortOrder", "attributes", "excludedAttributes"];

/** The path and the parameters that SCIM has: others may be anything, also a token that a client put there. */
function targetOf({ path, query }: HttpRequest): string {
  const known = [...readableQueryOf(query)].filter(([name]) => loggedParameters.includes(name));
  return known.length === 0 ? path : `${path}?${known.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

/** Empty for one that cannot be read: that refuses the call, and not its line in the log. */
function readableQueryOf(text: string): URLSearchParams {
  try {
    return scimQueryOf(text);
  } catch {
    return new URLSearchParams();
  }
}

function directoryOf({ directory, token }: TokenHolder): ScimDirectory {
  return {
    workspaces: directory.workspaces.map(({ id, name, teams }) => ({ id, name, teams: [...teams] })),
    permissionSets: [...directory.permissionSets],
    defaultWorkspaceId: token.defaultWorkspaceId,
  };
}

/** application/scim+json, unless the client names only application/json (RFC 7644 section 3.1). */
function negotiated(headers: RequestHeaders, answer: HttpAnswer): HttpAnswer {
  const accept = headers.get("accept")?.toLowerCase() ?? "";
  const plain = accept.includes("application/json") && !accept.includes(scimContentType) && !accept.includes("*/*");
  return plain ? { ...answer, contentType: "application/json" } : answer;
}

function errorAnswer(
  error: unknown,
  headers: readonly string[],
  { request, route, logger, observed }: Pick<ScimAnswering, "logger" | "observed"> & {
    readonly request: HttpRequest;
    readonly route: ScimRoute;
  },
): HttpAnswer {
  if (isForCaller(error)) return scimRefusalAnswer(error, headers);
  if (error instanceof ClientGone) throw error;
  const { traceId } = observed;
  logger.error("request_failed", error, { requestId: request.requestId, ...(traceId !== undefined && { traceId }), route: route.path });
  return scimFaultAnswer(headers);
}
