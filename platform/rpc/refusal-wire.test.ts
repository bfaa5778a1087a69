/** Refusals over the wire: every reason there and back, and nothing of a fault but its id. */
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { limits } from "../limits.ts";
import { type Reason, reasons, Refusal } from "../refusal.ts";
import {
  detailFromRefusal,
  errorFromThrown,
  isLost,
  isNotSent,
  notSent,
  refusalCodes,
  refusalFromDetail,
  RemoteFault,
  thrownFromError,
} from "./refusal-wire.ts";

const plain = { fault: () => "f1", bounded: false };

/** As in google.rpc.Code: who is to blame, and whether a client may repeat by itself (UNAVAILABLE only). */
const codes: Record<Reason, string> = {
  BODY_NOT_JSON: "InvalidArgument",
  BODY_TOO_LARGE: "ResourceExhausted",
  BODY_TOO_DEEP: "InvalidArgument",
  BODY_TOO_WIDE: "InvalidArgument",
  BODY_KEY_REPEATED: "InvalidArgument",
  BODY_NOT_UTF8: "InvalidArgument",
  BODY_NOT_DECODED: "InvalidArgument",
  BODY_SHAPE_INVALID: "InvalidArgument",
  CONTENT_TYPE_UNSUPPORTED: "InvalidArgument",
  REQUEST_MALFORMED: "InvalidArgument",
  REQUEST_TIMEOUT: "DeadlineExceeded",
  HEADERS_TOO_LARGE: "ResourceExhausted",
  EXPECTATION_FAILED: "InvalidArgument",
  ROUTE_UNKNOWN: "Unimplemented",
  METHOD_NOT_ALLOWED: "Unimplemented",
  INPUT_INVALID: "InvalidArgument",
  BATCH_TOO_LARGE: "InvalidArgument",
  NOTHING_VALID: "InvalidArgument",
  FILTER_INVALID: "InvalidArgument",
  PATH_INVALID: "InvalidArgument",
  TARGET_MISSING: "FailedPrecondition",
  ATTRIBUTE_READ_ONLY: "InvalidArgument",
  TOO_MANY_RESULTS: "ResourceExhausted",
  ORIGIN_NOT_ALLOWED: "PermissionDenied",
  VERSION_MISMATCH: "FailedPrecondition",
  IDEMPOTENCY_KEY_INVALID: "InvalidArgument",
  IDEMPOTENCY_KEY_REUSED: "FailedPrecondition",
  KEY_MISSING: "Unauthenticated",
  KEY_INVALID: "Unauthenticated",
  KEY_IN_WRONG_PLACE: "Unauthenticated",
  PERMISSION_MISSING: "PermissionDenied",
  FEATURE_NOT_ENABLED: "PermissionDenied",
  ADDRESS_NOT_ALLOWED: "PermissionDenied",
  RATE_LIMITED: "ResourceExhausted",
  CALLER_NOT_ALLOWED: "PermissionDenied",
  NOT_FOUND: "NotFound",
  POSITION_INVALID: "InvalidArgument",
  ALREADY_EXISTS: "AlreadyExists",
  STATE_CONFLICT: "FailedPrecondition",
  LOG_FULL: "ResourceExhausted",
  BEHIND: "Unavailable",
  LOG_UNAVAILABLE: "Unavailable",
  EPOCH_MISMATCH: "Unavailable",
  STORE_UNAVAILABLE: "Unavailable",
  SERVICE_UNAVAILABLE: "Unavailable",
  PARTLY_DONE: "Unknown",
  OUTCOME_UNKNOWN: "Unknown",
  DEADLINE_EXCEEDED: "DeadlineExceeded",
  OVERLOADED: "ResourceExhausted",
  SHUTTING_DOWN: "Unavailable",
  NOT_IMPLEMENTED: "Unimplemented",
};

describe("errorFromThrown() and thrownFromError()", () => {
  for (const reason of Object.keys(reasons) as Reason[]) {
    test(`${reason} is ${codes[reason]} and comes back as itself`, () => {
      const errors = [{ type: "'x' is not valid", index: 1 }, "ß"];
      const error = errorFromThrown(new Refusal(reason, "text", { errors, retryAfterSeconds: 3 }), plain);
      expect(Code[error.code]).toBe(codes[reason]);
      expect(error.metadata.get("heddle-reason")).toBe(reason);
      const back = thrownFromError(error, { sideEffects: true });
      expect(back).toBeInstanceOf(Refusal);
      expect(back).toMatchObject({ reason, message: "text", details: { errors, retryAfterSeconds: 3 } });
    });
  }

  test("a refusal without details gets none, and its cause stays here", () => {
    const error = errorFromThrown(new Refusal("NOT_FOUND", "text", { cause: new Error("secret") }), plain);
    expect((thrownFromError(error, { sideEffects: true }) as Refusal).details).toEqual({});
    expect(JSON.stringify([error.rawMessage, error.details.map((detail) => detail.value), [...error.metadata]])).not.toContain("secret");
    expect(error.cause).toBeUndefined();
  });

  for (
    const [name, thrown] of [
      ["an error", new Error("secret")],
      ["a text", "secret"],
      ["nothing", undefined],
      ["an error of the library", new ConnectError("secret", Code.NotFound, { "x-secret": "secret" })],
      ["a fault of another process", new RemoteFault("secret")],
    ] as const
  ) {
    test(`${name} that is thrown is INTERNAL with an id and no text`, () => {
      let seen: unknown = "nothing";
      const error = errorFromThrown(thrown, { ...plain, fault: (fault) => (seen = fault, "f7") });
      expect(seen).toBe(thrown);
      expect(error.code).toBe(Code.Internal);
      expect(error.rawMessage).toBe("");
      expect([...error.metadata]).toEqual([["heddle-fault-id", "f7"]]);
      expect(JSON.stringify(error.details.map((detail) => detail.value))).not.toContain("secret");
      expect(thrownFromError(error, { sideEffects: true })).toMatchObject({ name: "RemoteFault", faultId: "f7" });
    });
  }

  test("errors that do not fit into a trailer are left out, from the end", () => {
    const errors = Array.from({ length: 1_000 }, (_, index) => ({ type: "'quantity' is not valid", index }));
    const refusal = new Refusal("NOTHING_VALID", "none", { errors });
    const back = thrownFromError(errorFromThrown(refusal, { ...plain, bounded: true }), { sideEffects: true }) as Refusal;
    const kept = back.details.errors ?? [];
    expect(kept).toEqual(errors.slice(0, kept.length));
    expect(kept.length).toBeGreaterThan(50);
    expect(JSON.stringify(kept).length).toBeLessThanOrEqual(limits.rpcErrorDetailBytesMax);
    expect((thrownFromError(errorFromThrown(refusal, plain), { sideEffects: true }) as Refusal).details.errors).toHaveLength(1_000);
  });
});

describe("thrownFromError() of an error without a detail", () => {
  for (
    const [code, sideEffects, reason] of [
      [Code.Unavailable, true, "OUTCOME_UNKNOWN"],
      [Code.Unavailable, false, "SERVICE_UNAVAILABLE"],
      [Code.Aborted, true, "OUTCOME_UNKNOWN"],
      [Code.Aborted, false, "SERVICE_UNAVAILABLE"],
      [Code.Internal, true, "OUTCOME_UNKNOWN"],
      [Code.Unknown, true, "OUTCOME_UNKNOWN"],
      [Code.Canceled, true, "OUTCOME_UNKNOWN"],
      [Code.DeadlineExceeded, true, "DEADLINE_EXCEEDED"],
      [Code.Unimplemented, true, "NOT_IMPLEMENTED"],
      [Code.ResourceExhausted, true, "BODY_TOO_LARGE"],
      [Code.PermissionDenied, true, "CALLER_NOT_ALLOWED"],
      [Code.Unauthenticated, true, "CALLER_NOT_ALLOWED"],
    ] as const
  ) {
    test(`${Code[code]} is ${reason} of a call that ${sideEffects ? "writes" : "reads"}`, () => {
      expect(thrownFromError(new ConnectError("text", code), { sideEffects })).toMatchObject({ reason, message: reasons[reason] });
    });
  }

  test("a call that was not sent did nothing, whatever it was", () => {
    const refused = new ConnectError("http/2 stream closed with error code REFUSED_STREAM (0x7)", Code.Unavailable);
    for (const error of [notSent(new Error("secret")), refused]) {
      expect(isNotSent(error)).toBe(true);
      expect(thrownFromError(error, { sideEffects: true })).toMatchObject({ reason: "SERVICE_UNAVAILABLE" });
    }
  });

  test("a call that the other side did not understand is a fault", () => {
    expect(thrownFromError(new ConnectError("x", Code.InvalidArgument), { sideEffects: true })).toBeInstanceOf(RemoteFault);
  });

  test("a flood stopped by HTTP/2 is a lost call, not a large one", () => {
    const calm = new ConnectError("http/2 stream closed with error code ENHANCE_YOUR_CALM (0xb)", Code.ResourceExhausted);
    expect(thrownFromError(calm, { sideEffects: true })).toMatchObject({ reason: "OUTCOME_UNKNOWN" });
  });
});

test("isNotSent() only SHUTTING_DOWN among refusals says that nothing was looked at", () => {
  const untouched = (Object.keys(reasons) as Reason[]).filter((reason) => isNotSent(errorFromThrown(new Refusal(reason), plain)));
  expect(untouched).toEqual(["SHUTTING_DOWN"]);
});

test("isNotSent() what a refusal quotes of a body is no word of the connection", () => {
  const quoting = new Refusal("BODY_KEY_REPEATED", 'the key "REFUSED_STREAM" twice');
  expect(isNotSent(errorFromThrown(quoting, plain))).toBe(false);
});

test("isLost() an answer of the other side is not lost", () => {
  expect(isLost(errorFromThrown(new Refusal("STORE_UNAVAILABLE"), plain))).toBe(false);
  expect(isLost(errorFromThrown(new Error("x"), plain))).toBe(false);
  expect(isLost(new ConnectError("x", Code.Unavailable))).toBe(true);
});

test("refusalFromDetail() knows no reason that is not its own", () => {
  for (const reason of ["FROM_THE_FUTURE", "", "constructor", "__proto__"]) {
    expect(refusalFromDetail({ ...detailFromRefusal(new Refusal("NOT_FOUND")), reason }, "x")).toBeUndefined();
  }
});

test("refusalFromDetail() errors that are no JSON array are none", () => {
  const detail = detailFromRefusal(new Refusal("NOT_FOUND"));
  for (const text of ["{}", "[", "null"]) {
    expect(refusalFromDetail({ ...detail, errorsJson: Buffer.from(text) }, "x")?.details).toEqual({ errors: [] });
  }
});

test("refusalCodes has a code for each reason and no other", () => {
  expect(Object.keys(refusalCodes).toSorted()).toEqual(Object.keys(reasons).toSorted());
});
