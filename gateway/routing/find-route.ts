/** From method and path to a row of the route table: exact, case-sensitive, and without regular expressions. */
import type { HttpRequest } from "../http/http-message.ts";
import type { Route } from "./route.ts";

export type Found =
  | { readonly kind: "route"; readonly route: Route; readonly params: ReadonlyMap<string, string> }
  /** The path is there, the method is not; `allow` is the Allow header. */
  | { readonly kind: "other_method"; readonly allow: string }
  /** `hint`: the path without its trailing slash is there. */
  | { readonly kind: "unknown"; readonly hint?: string };

/** HEAD is answered as GET. Methods that no row has, OPTIONS too, are an "other_method" (cors.ts answers preflights before). */
export type FindRoute = (method: string, path: string) => Found;

/** As `FindRoute`, for the host that a request names. */
export type FindRouteOf = (request: Pick<HttpRequest, "method" | "path" | "headers">) => Found;

/**
 * Routes of a table. Where people's pages have a host of their own, it serves those pages and nothing else; links that begin
 * with another address stay good.
 */
export function openRoutesByHost(table: readonly Route[], urls: Urls): FindRouteOf {
  const all = openRoutes(table);
  const host = hostOf(urls.pagesUrl);
  if (host === undefined || host === hostOf(urls.publicUrl)) return ({ method, path }) => all(method, path);
  const pages = openRoutes(table.filter(isPersonPage));
  // Some clients name the port that goes without saying
  const hosts = [host, `${host}:${urls.pagesUrl.startsWith("http:") ? 80 : 443}`];
  return ({ method, path, headers }) => (hosts.includes(headers.get("host")?.toLowerCase() ?? "") ? pages : all)(method, path);
}

interface Urls {
  /** Empty: not set. */
  readonly publicUrl: string;
  readonly pagesUrl: string;
}

function hostOf(url: string): string | undefined {
  return url === "" ? undefined : new URL(url).host;
}

/** The token in its path is the proof. */
function isPersonPage({ guard, path }: Route): boolean {
  return guard === "open" && path.endsWith("/:token");
}

/**
 * Routes of a table. A path is compared as it was sent, so `//`, `%2e` and an encoded slash never lead to another route.
 * A trailing slash is tolerated (clients send it, api-facts 1.2), and gets a hint where the path takes another method.
 */
export function openRoutes(table: readonly Route[]): FindRoute {
  const exact = new Map<string, Methods>();
  const patterns: Pattern[] = [];
  for (const route of table) {
    if (!route.path.includes("/:")) {
      addTo(exact, route.path, route);
      continue;
    }
    const segments = route.path.split("/");
    const known = patterns.find((pattern) => pattern.segments.join("/") === route.path);
    if (known) known.methods.set(route.method, route);
    else patterns.push({ segments, endsInText: "endsInText" in route, methods: new Map([[route.method, route]]) });
  }
  function find(path: string): PathMatch | undefined {
    return findPath(exact, patterns, path);
  }
  return (method, path) => {
    const wanted = method === "HEAD" ? "GET" : method;
    const direct = find(path);
    if (direct) return choose(direct, wanted);
    const shorter = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : undefined;
    const tolerated = shorter === undefined || shorter.endsWith("/") ? undefined : find(shorter);
    if (!tolerated || shorter === undefined) return unknown;
    return tolerated.methods.has(wanted) ? choose(tolerated, wanted) : { kind: "unknown", hint: shorter };
  };
}

type Methods = Map<string, Route>;

interface Pattern {
  readonly segments: readonly string[];
  readonly endsInText: boolean;
  readonly methods: Methods;
}

interface PathMatch {
  readonly methods: Methods;
  readonly params: ReadonlyMap<string, string>;
}

const unknown: Found = { kind: "unknown" };
const noParams: ReadonlyMap<string, string> = new Map();

function addTo(exact: Map<string, Methods>, path: string, route: Route): void {
  const methods = exact.get(path) ?? new Map<string, Route>();
  exact.set(path, methods.set(route.method, route));
}

function findPath(exact: ReadonlyMap<string, Methods>, patterns: readonly Pattern[], path: string): PathMatch | undefined {
  const methods = exact.get(path);
  if (methods) return { methods, params: noParams };
  const sent = path.split("/");
  for (const pattern of patterns) {
    const params = matchSegments(pattern, sent);
    if (params) return { methods: pattern.methods, params };
  }
  return undefined;
}

function matchSegments({ segments, endsInText }: Pattern, sent: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (segments.length !== sent.length) return undefined;
  const params = new Map<string, string>();
  for (const [at, segment] of segments.entries()) {
    const text = sent[at] ?? "";
    if (!segment.startsWith(":")) {
      if (segment !== text) return undefined;
      continue;
    }
    const value = segmentText(text);
    const isText = endsInText && at === segments.length - 1;
    if (value === undefined || value === "" || !(isText || isName(value))) return undefined;
    params.set(segment.slice(1), value);
  }
  return params;
}

/** No path of its own. */
function isName(value: string): boolean {
  return value !== "." && value !== ".." && !/[/\\\p{Cc}]/u.test(value);
}

/** The decoded segment; undefined where it is no valid text. */
function segmentText(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function choose(match: PathMatch, method: string): Found {
  const route = match.methods.get(method);
  if (route) return { kind: "route", route, params: match.params };
  const methods = [...match.methods.keys()];
  return { kind: "other_method", allow: methods.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ") };
}
