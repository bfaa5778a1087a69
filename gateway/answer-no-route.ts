/** What is said where no route is: 404 or 405 in the form of the path's API, counted, noted and with the state of a limit where the caller is known. */
import { Refusal } from "../platform/refusal.ts";
import type { Access, TokenHolder } from "./access/access.ts";
import { type ScimScoping, scopeOf } from "./answer-scim.ts";
import type { FindRouteOf, Found } from "./routing/find-route.ts";
import { authenticate, type Authenticating } from "./guards/authenticate.ts";
import { authenticateScim } from "./guards/authenticate-scim.ts";
import { type Spending, spendQuota, unknownLimitHeaders } from "./guards/spend.ts";
import type { HttpAnswer, HttpRequest } from "./http/http-message.ts";
import { companyQuotaOf, quotaOf } from "./access/limits-table.ts";
import { refusalAnswer } from "./render/refusal-rest.ts";
import { scimRefusalAnswer } from "./render/refusal-scim.ts";
import type { ScimNotes } from "./scim-notes.ts";

export interface NoRouteAnswering extends Authenticating, Spending, ScimScoping {
  readonly access: Pick<Access, "findApiKey" | "findSession" | "findScimToken">;
  readonly findRoute: FindRouteOf;
  readonly scimNotes: ScimNotes;
}

export async function answerNoRoute(
  request: HttpRequest,
  found: Exclude<Found, { kind: "route" }>,
  answering: NoRouteAnswering,
): Promise<HttpAnswer> {
  const isStart = request.path === "/" && hasDocuments(request, answering);
  if (isStart && isBrowser(request)) return { status: seeOther, headers: ["Location", "/docs", "Vary", "Accept"], body: "" };
  const isScim = request.path.startsWith("/scim/");
  const token = isScim ? knownOr(() => authenticateScim(request, answering.access)) : undefined;
  const { refusal, headers } = await (isScim ? spendUnknownScim(token, answering) : spendUnknown(request, answering));
  const said = refusal ?? (isStart ? new Refusal("ROUTE_UNKNOWN", "No route has this path; start at /docs") : refusalOf(found));
  const all = found.kind === "other_method" ? ["Allow", found.allow, ...headers] : headers;
  if (!isScim) return refusalAnswer(said, "rest", all);
  const answer = scimRefusalAnswer(said, all);
  const { status } = answer;
  if (token) answering.scimNotes.add({ scope: scopeOf(request, token, answering), status, reason: said.reason, detail: said.message });
  return answer;
}

/** Not where people's pages have a host of their own. */
function hasDocuments({ headers }: HttpRequest, { findRoute }: NoRouteAnswering): boolean {
  return findRoute({ method: "GET", path: "/docs", headers }).kind === "route";
}

/** Of a person who opened the server's address alone; programs get JSON. */
function isBrowser({ method, headers }: HttpRequest): boolean {
  return (method === "GET" || method === "HEAD") && (headers.get("accept") ?? "").toLowerCase().includes("text/html");
}

const seeOther = 303;

function refusalOf(found: Exclude<Found, { kind: "route" }>): Refusal {
  if (found.kind === "other_method") return new Refusal("METHOD_NOT_ALLOWED", `This path takes ${found.allow}`);
  const hint = found.hint === undefined ? "" : `; did you mean '${found.hint}', without the slash at its end?`;
  return new Refusal("ROUTE_UNKNOWN", `No route has this path${hint}`);
}

interface Counted {
  readonly refusal?: Refusal;
  readonly headers: readonly string[];
}

/** A bucket of their own: what does not exist takes nothing from what does. */
async function spendUnknown(request: HttpRequest, answering: NoRouteAnswering): Promise<Counted> {
  const holder = knownOr(() => authenticate(request, answering).holder);
  return holder ? await spendQuota(holder.workspace.id, quotaOf("unknown_routes", holder), answering) : { headers: unknownLimitHeaders };
}

/** As spendUnknown(), of the company whose token was sent. */
async function spendUnknownScim(holder: TokenHolder | undefined, answering: NoRouteAnswering): Promise<Counted> {
  if (!holder) return { headers: unknownLimitHeaders };
  return await spendQuota(holder.company.id, companyQuotaOf("unknown_routes", holder.company), answering);
}

/** A caller who may not call gets no limit: the headers are there, and empty. */
function knownOr<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
