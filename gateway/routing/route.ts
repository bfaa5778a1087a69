/** The shape of a route and of the handlers behind it: what they are given and what they give back. */
import type { Client } from "@connectrpc/connect";
import type { LogService } from "../../proto/gen/heddle/log/v1/log_service_pb.ts";
import type { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { limits } from "../../platform/limits.ts";
import type { Refusal } from "../../platform/refusal.ts";
import type { RequestContext } from "../../platform/request-context.ts";
import type { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { Documents } from "./documents.ts";
import type { Console } from "../console/console.ts";
import type { Spent } from "../guards/spend.ts";
import type { Readiness } from "../../platform/telemetry/metrics-server.ts";
import type { HttpAnswer, HttpRequest, Reading, RequestHeaders } from "../http/http-message.ts";
import type { LimitName } from "../access/limits-table.ts";
import type { Dialect } from "../render/refusal-rest.ts";
import type { ScimRoute } from "./scim-route.ts";

export type Route = KeyRoute | OpenRoute | ScimRoute;

/** For holders of an API key. */
export interface KeyRoute {
  readonly guard: "key";
  readonly method: "GET" | "POST" | "PUT";
  /** A segment that starts with ":" is a parameter. */
  readonly path: string;
  /** The last parameter takes any text, also one that would be a path of its own: it names a user. */
  readonly endsInText?: true;
  readonly permission: string;
  /** A second one that the key must have beside it. */
  readonly alsoPermission?: string;
  readonly limit: LimitName;
  /** A write takes an Idempotency-Key; a read takes an X-Heddle-Position to wait for. */
  readonly takes: "write" | "read";
  /** A write whose answers are not kept: sent again it is another request, whatever its Idempotency-Key. */
  readonly keepsAnswers?: false;
  /** A write that takes names from the query too: they are part of what was sent, as those of the path are. */
  readonly queryNames?: true;
  /** Of a success. */
  readonly status: number;
  readonly bodyBytesMax: number;
  readonly dialect: Dialect;
  /** In the audit log beside what sessions write: this read by a session, or every call. */
  readonly audit?: "session" | "always";
  /** Answers also while writes are paused: it stores nothing then. */
  readonly duringPause?: true;
  readonly handler: KeyHandler;
}

/** What most rows have: a POST with a key that writes. */
export const write = {
  guard: "key",
  method: "POST",
  takes: "write",
  status: 201,
  bodyBytesMax: limits.smallRequestBytesMax,
  dialect: "rest",
} as const satisfies Partial<KeyRoute>;

/** A GET that reads. */
export const read = { ...write, method: "GET", takes: "read", status: 200, bodyBytesMax: 0 } as const satisfies Partial<KeyRoute>;

/** A POST that reads: what is asked for may be longer than a query, and stands in no address. */
export const readByBody = { ...write, takes: "read", status: 200 } as const satisfies Partial<KeyRoute>;

/** For everybody: no key. With a `:token` in its path it is a link, whose uses are limited by link and by address. */
interface OpenRoute {
  readonly guard: "open";
  readonly method: "GET" | "POST";
  readonly path: string;
  /** How a refusal is answered; as JSON unless given. */
  readonly refused?: (refusal: Refusal, request: Pick<HttpRequest, "headers">) => HttpAnswer;
  /** What becomes of the answer to a fault, which is JSON. */
  readonly failed?: (fault: HttpAnswer, request: Pick<HttpRequest, "headers">) => HttpAnswer;
  readonly handler: (deps: Deps, call: OpenCall) => HttpAnswer | Promise<HttpAnswer>;
}

/** A request that carries no key; whatever it proves, it proves by its path. */
export interface OpenCall {
  readonly request: Pick<HttpRequest, "requestId" | "headers" | "query" | "hungUp">;
  /** As HttpRequest.readBody; refuses SERVICE_UNAVAILABLE while writes are paused. */
  readonly readBody: HttpRequest["readBody"];
  readonly params: ReadonlyMap<string, string>;
  /** Of the request's span, for the parts; empty where the request is not recorded. */
  readonly traceparent: string;
}

/** `call` is proof that the caller may and that the limit was spent. Throws a Refusal to refuse. */
type KeyHandler = (call: Call, deps: Deps) => Promise<Reply>;

export interface Call {
  readonly spent: Spent;
  readonly scope: RequestContext;
  /** Empty where the route has no body. */
  readonly body: Uint8Array;
  /** Values of the path's parameters, percent-decoded. */
  readonly params: ReadonlyMap<string, string>;
  /** What stands after `?`, as sent. */
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly reading: Reading;
}

/** A success; the status is the route's. */
export interface Reply {
  readonly body: string | Uint8Array;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** In place of the body: events of the server as they come (`text/event-stream`). */
  readonly stream?: NonNullable<HttpAnswer["stream"]>;
}

/** The services behind the gateway. */
export interface Services {
  readonly profile: Client<typeof ProfileService>;
  readonly subscription: Client<typeof SubscriptionService>;
  readonly messagingStatus: Client<typeof MessagingStatusService>;
  /** What the profile service cannot apply, for operators. */
  readonly log: Client<typeof LogService>;
  readonly scim: Client<typeof ScimService>;
  readonly content: Client<typeof ContentService>;
  readonly translations: Client<typeof TranslationService>;
}

/** What stands behind the gateway, and what it says of itself. */
export interface Deps extends Services {
  /** Where people reach their own pages. No slash at its end. */
  readonly pagesUrl: () => string;
  /** OpenAPI and the pages below /docs. */
  readonly documents: Documents;
  readonly console: Console;
  /** May accepted data be applied and read? */
  readonly health: () => Readiness;
  /** Does this gateway take requests, whatever stands behind it? */
  readonly ownHealth: () => Readiness;
}
