/** Which refusals a route may answer with: those of every route of its kind, and those that its entry names. */
import type { Reason } from "../../platform/refusal.ts";
import type { Route } from "../routing/route.ts";
import type { Entry } from "./entries/entry.ts";
import { type ScimRoute, takesIdempotencyKey } from "../routing/scim-route.ts";

/** The server itself refuses these before any route is known. */
const ofEveryRequest: readonly Reason[] = [
  "REQUEST_MALFORMED",
  "REQUEST_TIMEOUT",
  "HEADERS_TOO_LARGE",
  "EXPECTATION_FAILED",
  "DEADLINE_EXCEEDED",
];
/** What stands behind the gateway cannot be reached, or is stopping. Reads ask the log too: how far it is, and what they wait for. */
const ofParts: readonly Reason[] = [
  "OVERLOADED",
  "LOG_UNAVAILABLE",
  "EPOCH_MISMATCH",
  "STORE_UNAVAILABLE",
  "SERVICE_UNAVAILABLE",
  "OUTCOME_UNKNOWN",
  "SHUTTING_DOWN",
  "NOT_IMPLEMENTED",
];
const ofBodies: readonly Reason[] = [
  "BODY_NOT_JSON",
  "BODY_NOT_UTF8",
  "BODY_TOO_DEEP",
  "BODY_TOO_WIDE",
  "BODY_NOT_DECODED",
  "BODY_KEY_REPEATED",
  "BODY_TOO_LARGE",
  "CONTENT_TYPE_UNSUPPORTED",
];
/** The bodies of links are forms, or not looked at. */
const ofLinkBodies: readonly Reason[] = ["BODY_NOT_DECODED", "BODY_TOO_LARGE", "CONTENT_TYPE_UNSUPPORTED"];
const ofKeys: readonly Reason[] = [
  "KEY_MISSING",
  "KEY_INVALID",
  "KEY_IN_WRONG_PLACE",
  "PERMISSION_MISSING",
  "ADDRESS_NOT_ALLOWED",
  "RATE_LIMITED",
];
const ofTokens: readonly Reason[] = [
  "KEY_MISSING",
  "KEY_INVALID",
  "ORIGIN_NOT_ALLOWED",
  "ADDRESS_NOT_ALLOWED",
  "RATE_LIMITED",
  "IDEMPOTENCY_KEY_INVALID",
];
const ofWrites: readonly Reason[] = ["IDEMPOTENCY_KEY_INVALID", "IDEMPOTENCY_KEY_REUSED", "LOG_FULL"];
/** The key is looked at, and not kept. */
const ofUnkept: readonly Reason[] = ["IDEMPOTENCY_KEY_INVALID", "LOG_FULL"];

export function isOfServer(reason: Reason): boolean {
  return ofEveryRequest.includes(reason);
}

/** Every refusal the route may answer with, none twice. */
export function reasonsOf(route: Route, entry: Entry): readonly Reason[] {
  return [...new Set([...reasonsOfKind(route), ...(entry.reasons ?? []), ...ofEveryRequest])];
}

function reasonsOfKind(route: Route): readonly Reason[] {
  switch (route.guard) {
    case "open":
      return [
        ...(route.path.includes(":token") ? ["RATE_LIMITED" as const] : []),
        ...(route.method === "POST" ? [...ofLinkBodies, "LOG_FULL" as const] : []),
        ...(route.path.includes(":") ? ofParts : []),
      ];
    case "scim":
      return [...ofTokens, "INPUT_INVALID", ...ofScimBody(route), ...describing(route.path), ...ofParts];
    case "key":
      return [
        ...ofKeys,
        "INPUT_INVALID",
        ...(route.method === "GET" ? [] : ofBodies),
        ...(route.takes === "read" ? ["POSITION_INVALID" as const] : route.keepsAnswers === false ? ofUnkept : ofWrites),
        ...ofParts,
      ];
  }
}

function ofScimBody(route: ScimRoute): readonly Reason[] {
  if (route.bodyBytesMax === 0) return [];
  return takesIdempotencyKey(route) ? [...ofBodies, "IDEMPOTENCY_KEY_REUSED"] : ofBodies;
}

/** RFC 7644 section 4: the documents cannot be filtered, and say so. */
function describing(path: string): readonly Reason[] {
  return /\/(ServiceProviderConfig|Schemas|ResourceTypes)/.test(path) ? ["PERMISSION_MISSING"] : [];
}
