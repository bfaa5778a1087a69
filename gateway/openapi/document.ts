/** The OpenAPI 3.1 document: the live routes, each with what is written by hand about it. */
import { limits } from "../../platform/limits.ts";
import { buildVersion } from "../../platform/own-process.ts";
import type { Route } from "../routing/route.ts";
import { errorExamples } from "./answers.ts";
import { entries, schemas } from "./entries.ts";
import { type Entry, type RouteName, tags } from "./entries/entry.ts";
import { operationOf, pathOf } from "./operation.ts";
import { type Schema, text, whole } from "./schemas/schema.ts";
import { type Json, openSharedAnswers } from "./shared-answers.ts";

/** A route without an entry is left out and named in `x-heddle-undocumented`; entries.test.ts fails for it and says where to add it. */
export function openapiDocument(routes: readonly Route[]): Json {
  const byName = new Map(routes.map((route) => [routeName(route), route]));
  const missing = [...byName.keys()].filter((name) => !entryOf(name));
  const shared = openSharedAnswers();
  const paths: Record<string, Record<string, Json>> = {};
  for (const entry of entries) {
    const route = byName.get(entry.route);
    if (!route) continue;
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, entry, shared) };
  }
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/", description: "This server" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      parameters: requestHeaders,
      headers: answerHeaders,
      responses: shared.components(),
      examples: errorExamples(),
      securitySchemes,
    },
    ...(missing.length === 0 ? {} : { "x-heddle-undocumented": missing }),
  };
}

export function routeName({ method, path }: Pick<Route, "method" | "path">): RouteName {
  return `${method} ${path as `/${string}`}`;
}

export function entryOf(name: RouteName): Entry | undefined {
  return byRoute.get(name);
}

const byRoute: ReadonlyMap<RouteName, Entry> = new Map(entries.map((entry) => [entry.route, entry]));

const info = {
  title: "Heddle",
  version: buildVersion,
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  description:
    "The customer-data API that you run yourself. Send `Authorization: Bearer <key>`. Every refusal has its reason in the header " +
    "`X-Heddle-Reason` and is JSON with a `message`, but for dashboard users an error of SCIM, and for people who open a link a page. Answers carry `X-RateLimit-Limit`, `-Remaining` and `-Reset`. HEAD is answered as " +
    `GET. Request line and headers have ${
      limits.requestHeadBytesMax / 1024
    } KiB together, else it is a 431; how large a body may be stands with each call. ` +
    `Answers to reads of ${
      limits.compressedAnswerBytesMin / 1024
    } KiB and more come in gzip, br or zstd where \`Accept-Encoding\` takes it. Pages in browsers may ` +
    "call where the workspace declares their origin (`corsOrigins`). " +
    " A path that no route has is a 404 (`ROUTE_UNKNOWN`), another method of a known path a 405 (`METHOD_NOT_ALLOWED`, with `Allow`). " +
    "What each refusal means and what to do: [/docs/errors](/docs/errors).",
};

const securitySchemes = {
  apiKey: { type: "http", scheme: "bearer", description: "An API key of a workspace: `npx heddle keys create`." },
  scimToken: { type: "http", scheme: "bearer", description: "A SCIM token of a company: `npx heddle scim-tokens create`." },
} as const;

const answerHeaders: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>> = {
  "X-Request-Id": { description: "The client's own, or one that was made; logs and faults name it.", schema: text() },
  "X-RateLimit-Limit": { description: "Requests the bucket holds. Empty where no caller is known.", schema: text() },
  "X-RateLimit-Remaining": { description: "Requests that are left.", schema: text() },
  "X-RateLimit-Reset": { description: "The epoch second at which the bucket is full again.", schema: text() },
  "RateLimit-Policy": {
    description: "Names, quotas (q) and windows in seconds (w), draft-ietf-httpapi-ratelimit-headers.",
    schema: text(),
  },
  "RateLimit": { description: "What remains (r) of the nearest limit, and seconds until it is full (t).", schema: text() },
  "X-Ratelimit-Retry-After": { description: "As Retry-After, where a limit is used up.", schema: whole() },
  "X-Heddle-Position": { description: "Send it with a read that must see this write.", schema: text() },
  "X-Heddle-Read": { description: "`behind`: the read answered although it has not seen every earlier write.", schema: text() },
  "Idempotency-Replayed": {
    description: "`true`: the answer of an earlier request with the same key; nothing was done again.",
    schema: text(),
  },
  "X-Heddle-Reason": { description: "The reason of a refusal, for programs. Stable for ever.", schema: text() },
  "Retry-After": { description: "Seconds to wait before the next try.", schema: whole() },
  "WWW-Authenticate": { description: "`Bearer`", schema: text() },
  "Accept-Encoding": { description: "The codings in which a body is taken, where it came in another one.", schema: text() },
  "ETag": { description: "The version, for `If-None-Match` and, of a dashboard user, `If-Match`.", schema: text() },
  "Location": { description: "The user's address.", schema: text() },
  "Set-Cookie": { description: "The session of the browser, or its end.", schema: text() },
};

/** components.parameters: `Idempotency-Key` of writes, `X-Heddle-Position` of reads, `X-Request-Origin` of SCIM. */
const requestHeaders = {
  IdempotencyKey: {
    in: "header",
    name: "Idempotency-Key",
    description:
      "Makes the request safe to repeat: the same key and body have the same answer and one effect. A body is the same where its bytes " +
      "are, so send again the text that was sent; another one is refused with 422. Kept 7 days for `/users/track` and its variants, 24 hours for " +
      "other routes.",
    schema: text(undefined, { minLength: 1, maxLength: limits.idempotencyKeyCharsMax }),
  },
  Position: {
    in: "header",
    name: "X-Heddle-Position",
    description: "The header of a write that this read must see. It waits for it, bounded.",
    schema: text(undefined, { maxLength: limits.positionCharsMax }),
  },
  RequestOrigin: {
    in: "header",
    name: "X-Request-Origin",
    description: "The origin that the token is bound to. Needed unless the token was made with `--origin-optional`.",
    schema: text(),
  },
} as const;
