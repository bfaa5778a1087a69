/** The table of refusals: every reason, and the bodies that clients know. */
import { expect, test } from "vitest";
import { type Reason, reasons, Refusal } from "../../platform/refusal.ts";
import { type Dialect, faultAnswer, refusalAnswer, refusalTable } from "./refusal-rest.ts";

const statuses: Record<Reason, number> = {
  BODY_NOT_JSON: 400,
  BODY_NOT_UTF8: 400,
  BODY_NOT_DECODED: 400,
  BODY_SHAPE_INVALID: 400,
  BODY_TOO_DEEP: 400,
  BODY_TOO_WIDE: 400,
  BODY_KEY_REPEATED: 400,
  BODY_TOO_LARGE: 413,
  CONTENT_TYPE_UNSUPPORTED: 415,
  REQUEST_MALFORMED: 400,
  REQUEST_TIMEOUT: 408,
  HEADERS_TOO_LARGE: 431,
  EXPECTATION_FAILED: 417,
  ROUTE_UNKNOWN: 404,
  METHOD_NOT_ALLOWED: 405,
  INPUT_INVALID: 400,
  BATCH_TOO_LARGE: 400,
  NOTHING_VALID: 400,
  FILTER_INVALID: 400,
  PATH_INVALID: 400,
  TARGET_MISSING: 400,
  ATTRIBUTE_READ_ONLY: 400,
  TOO_MANY_RESULTS: 400,
  ORIGIN_NOT_ALLOWED: 403,
  VERSION_MISMATCH: 412,
  IDEMPOTENCY_KEY_INVALID: 400,
  IDEMPOTENCY_KEY_REUSED: 422,
  KEY_MISSING: 401,
  KEY_INVALID: 401,
  KEY_IN_WRONG_PLACE: 401,
  PERMISSION_MISSING: 403,
  FEATURE_NOT_ENABLED: 403,
  ADDRESS_NOT_ALLOWED: 403,
  RATE_LIMITED: 429,
  NOT_FOUND: 404,
  POSITION_INVALID: 400,
  ALREADY_EXISTS: 409,
  STATE_CONFLICT: 409,
  LOG_FULL: 503,
  BEHIND: 503,
  LOG_UNAVAILABLE: 503,
  EPOCH_MISMATCH: 503,
  STORE_UNAVAILABLE: 503,
  PARTLY_DONE: 503,
  OUTCOME_UNKNOWN: 503,
  SERVICE_UNAVAILABLE: 503,
  CALLER_NOT_ALLOWED: 500,
  DEADLINE_EXCEEDED: 503,
  OVERLOADED: 503,
  SHUTTING_DOWN: 503,
  NOT_IMPLEMENTED: 501,
};

function bodyOf(refusal: Refusal, dialect: Dialect = "rest"): Record<string, unknown> {
  return JSON.parse(String(refusalAnswer(refusal, dialect).body));
}

for (const reason of Object.keys(reasons) as Reason[]) {
  test(`refusalAnswer() ${reason} is ${statuses[reason]} with a message and the reason in a header`, () => {
    const answer = refusalAnswer(new Refusal(reason), "rest");
    expect(answer.status).toBe(statuses[reason]);
    expect(JSON.parse(String(answer.body))["message"]).toMatch(/\S/);
    expect(answer.headers.slice(0, 2)).toEqual(["X-Heddle-Reason", reason]);
  });
}

test("refusalTable has a row for each reason and no other", () => {
  expect(Object.keys(refusalTable).toSorted()).toEqual(Object.keys(reasons).toSorted());
});

test("refusalAnswer() puts the text for bad JSON under message and error, and what is wrong beside it", () => {
  const text = "Error while parsing request body. Please check your syntax.";
  expect(bodyOf(new Refusal("BODY_NOT_JSON"))).toEqual({ message: text, error: text });
  expect(bodyOf(new Refusal("BODY_NOT_JSON", "Unexpected end at byte 3"))).toEqual({
    message: text,
    error: text,
    errors: ["Unexpected end at byte 3"],
  });
  expect(bodyOf(new Refusal("BODY_TOO_DEEP", "Deeper than 64"))).toEqual({ message: "Deeper than 64", error: text });
});

test("refusalAnswer() repeats the text of a fatal error of /users/track in errors, unless there are details", () => {
  const long = "Max Input Length Exceeded";
  expect(bodyOf(new Refusal("BATCH_TOO_LARGE", long), "track")).toEqual({ message: long, errors: [long] });
  expect(bodyOf(new Refusal("BATCH_TOO_LARGE", long))).toEqual({ message: long });
  const errors = [{ type: "'quantity' is not valid", input_array: "purchases", index: 0 }];
  expect(bodyOf(new Refusal("NOTHING_VALID", "none", { errors }), "track")).toEqual({ message: "none", errors });
  expect(bodyOf(new Refusal("KEY_INVALID"), "track")).toEqual({ message: "Invalid API key" });
});

for (const reason of Object.keys(reasons) as Reason[]) {
  test(`refusalAnswer() ${reason} of /users/track has its text in errors, but with 401`, () => {
    const { message, errors } = bodyOf(new Refusal(reason, "the text"), "track");
    if (statuses[reason] === 401) expect(errors).toBeUndefined();
    else expect(errors).toContain(message);
  });
}

test("refusalAnswer() tells when to try again", () => {
  expect(refusalAnswer(new Refusal("OVERLOADED"), "rest").headers).toContain("Retry-After");
  expect(refusalAnswer(new Refusal("LOG_FULL", "full", { retryAfterSeconds: 7 }), "rest").headers).toEqual([
    "X-Heddle-Reason",
    "LOG_FULL",
    "Retry-After",
    "7",
  ]);
  expect(refusalAnswer(new Refusal("NOT_FOUND"), "rest").headers).not.toContain("Retry-After");
});

test("faultAnswer() says nothing but the request id", () => {
  const fault = { message: "Internal server error", request_id: 'a"b' };
  expect(JSON.parse(String(faultAnswer('a"b').body))).toEqual(fault);
  expect(JSON.parse(String(faultAnswer('a"b', [], "track").body))).toEqual({ ...fault, errors: [fault.message] });
  expect(faultAnswer("", ["X-A", "1"]).headers).toEqual(["X-A", "1"]);
});
