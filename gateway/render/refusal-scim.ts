/** Refusals as SCIM errors (RFC 7644 section 3.12): the statuses of refusal-rest.ts in another body. */
import { type Reason, reasons, type Refusal } from "../../platform/refusal.ts";
import type { HttpAnswer } from "../http/http-message.ts";
import { refusalAnswer } from "./refusal-rest.ts";

export const scimContentType = "application/scim+json";
const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error";

/**
 * `scimType` of RFC 7644, table 9. A name that is taken has none here: the service description fixes that body to `schemas`,
 * `detail` and `status`, and `status` to a number.
 */
const scimTypes: ReadonlyMap<Reason, string> = new Map([
  ["FILTER_INVALID", "invalidFilter"],
  ["TOO_MANY_RESULTS", "tooMany"],
  ["ATTRIBUTE_READ_ONLY", "mutability"],
  ["PATH_INVALID", "invalidPath"],
  ["TARGET_MISSING", "noTarget"],
  ["INPUT_INVALID", "invalidValue"],
  ["BODY_SHAPE_INVALID", "invalidSyntax"],
  ["BODY_NOT_JSON", "invalidSyntax"],
  ["BODY_NOT_UTF8", "invalidSyntax"],
  ["BODY_TOO_DEEP", "invalidSyntax"],
  ["BODY_TOO_WIDE", "invalidSyntax"],
  ["BODY_NOT_DECODED", "invalidSyntax"],
  ["BODY_KEY_REPEATED", "invalidSyntax"],
]);

const texts: ReadonlyMap<Reason, string> = new Map([["KEY_INVALID", "Invalid SCIM token"], ["RATE_LIMITED", reasons.RATE_LIMITED]]);

/** `headers` are added as they are. */
export function scimRefusalAnswer(refusal: Refusal, headers: readonly string[] = []): HttpAnswer {
  const { reason, message } = refusal;
  const answer = refusalAnswer(refusal, "rest", headers);
  return { ...answer, body: errorBody(answer.status, texts.get(reason) ?? message, scimTypes.get(reason)), contentType: scimContentType };
}

/** Nothing of a fault but that there was one. */
export function scimFaultAnswer(headers: readonly string[] = []): HttpAnswer {
  return { status: faultStatus, headers, body: errorBody(faultStatus, "Internal server error"), contentType: scimContentType };
}

const faultStatus = 500;

function errorBody(status: number, detail: string, scimType?: string): string {
  return JSON.stringify({ schemas: [errorSchema], ...(scimType === undefined ? {} : { scimType }), detail, status });
}
