/** A "no" on its way between processes: refusals and faults to RPC errors, and back. The only file that knows RPC codes. */
import { Buffer } from "node:buffer";
import { create, type MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { FaultDetailSchema, type RefusalDetail, RefusalDetailSchema } from "../../proto/gen/heddle/rpc/v1/refusal_pb.ts";
import { limits } from "../limits.ts";
import { type Reason, reasons, Refusal, type RefusalDetails } from "../refusal.ts";

/**
 * The code that foreign clients see. gRPC clients repeat UNAVAILABLE by themselves, so only a "nothing was done" has it;
 * an unknown outcome is UNKNOWN, which no client repeats blindly.
 */
export const refusalCodes = {
  BODY_NOT_JSON: Code.InvalidArgument,
  BODY_TOO_LARGE: Code.ResourceExhausted,
  BODY_TOO_DEEP: Code.InvalidArgument,
  BODY_TOO_WIDE: Code.InvalidArgument,
  BODY_NOT_DECODED: Code.InvalidArgument,
  BODY_KEY_REPEATED: Code.InvalidArgument,
  BODY_SHAPE_INVALID: Code.InvalidArgument,
  BODY_NOT_UTF8: Code.InvalidArgument,
  CONTENT_TYPE_UNSUPPORTED: Code.InvalidArgument,
  REQUEST_MALFORMED: Code.InvalidArgument,
  REQUEST_TIMEOUT: Code.DeadlineExceeded,
  HEADERS_TOO_LARGE: Code.ResourceExhausted,
  EXPECTATION_FAILED: Code.InvalidArgument,
  ROUTE_UNKNOWN: Code.Unimplemented,
  METHOD_NOT_ALLOWED: Code.Unimplemented,
  INPUT_INVALID: Code.InvalidArgument,
  BATCH_TOO_LARGE: Code.InvalidArgument,
  NOTHING_VALID: Code.InvalidArgument,
  FILTER_INVALID: Code.InvalidArgument,
  PATH_INVALID: Code.InvalidArgument,
  TARGET_MISSING: Code.FailedPrecondition,
  ATTRIBUTE_READ_ONLY: Code.InvalidArgument,
  TOO_MANY_RESULTS: Code.ResourceExhausted,
  IDEMPOTENCY_KEY_INVALID: Code.InvalidArgument,
  IDEMPOTENCY_KEY_REUSED: Code.FailedPrecondition,
  KEY_MISSING: Code.Unauthenticated,
  KEY_INVALID: Code.Unauthenticated,
  KEY_IN_WRONG_PLACE: Code.Unauthenticated,
  PERMISSION_MISSING: Code.PermissionDenied,
  FEATURE_NOT_ENABLED: Code.PermissionDenied,
  ADDRESS_NOT_ALLOWED: Code.PermissionDenied,
  ORIGIN_NOT_ALLOWED: Code.PermissionDenied,
  RATE_LIMITED: Code.ResourceExhausted,
  CALLER_NOT_ALLOWED: Code.PermissionDenied,
  NOT_FOUND: Code.NotFound,
  POSITION_INVALID: Code.InvalidArgument,
  ALREADY_EXISTS: Code.AlreadyExists,
  STATE_CONFLICT: Code.FailedPrecondition,
  VERSION_MISMATCH: Code.FailedPrecondition,
  LOG_FULL: Code.ResourceExhausted,
  LOG_UNAVAILABLE: Code.Unavailable,
  BEHIND: Code.Unavailable,
  EPOCH_MISMATCH: Code.Unavailable,
  STORE_UNAVAILABLE: Code.Unavailable,
  SERVICE_UNAVAILABLE: Code.Unavailable,
  PARTLY_DONE: Code.Unknown,
  OUTCOME_UNKNOWN: Code.Unknown,
  DEADLINE_EXCEEDED: Code.DeadlineExceeded,
  OVERLOADED: Code.ResourceExhausted,
  SHUTTING_DOWN: Code.Unavailable,
  NOT_IMPLEMENTED: Code.Unimplemented,
} as const satisfies Record<Reason, Code>;

/** Where the reason and a fault's id also stand, for clients that read no details. */
const reasonHeader = "heddle-reason";
const faultHeader = "heddle-fault-id";

/** Something went wrong at the other side that is no refusal. Only the id is known here; what it was stands in its log. */
export class RemoteFault extends Error {
  readonly faultId: string;

  constructor(faultId: string, options: { cause?: unknown } = {}) {
    super(faultId === "" ? "The call failed without a reason" : `The call failed at the other side, fault "${faultId}"`, options);
    this.name = "RemoteFault";
    this.faultId = faultId;
  }
}

/**
 * What is thrown by a handler as an RPC error. A refusal carries its reason, errors and wait; anything else becomes
 * INTERNAL with the id that `fault` gives for it and not a word more.
 * gRPC carries details in trailers, which must stay small: `bounded` leaves out errors that do not fit.
 */
export function errorFromThrown(
  thrown: unknown,
  options: { readonly fault: (thrown: unknown) => string; readonly bounded: boolean },
): ConnectError {
  if (!(thrown instanceof Refusal)) {
    const id = options.fault(thrown);
    return new ConnectError("", Code.Internal, { [faultHeader]: id }, [{ desc: FaultDetailSchema, value: { id } }]);
  }
  const value = detailFromRefusal(thrown, options.bounded ? limits.rpcErrorDetailBytesMax : Infinity);
  return new ConnectError(thrown.message, refusalCodes[thrown.reason], { [reasonHeader]: thrown.reason }, [
    { desc: RefusalDetailSchema, value },
  ]);
}

export function detailFromRefusal({ reason, details }: Refusal, errorBytesMax = Infinity): MessageShape<typeof RefusalDetailSchema> {
  return create(RefusalDetailSchema, {
    reason,
    ...(details.retryAfterSeconds !== undefined && { retryAfterSeconds: Math.ceil(details.retryAfterSeconds) }),
    ...(details.errors && { errorsJson: errorsToJson(details.errors, errorBytesMax) }),
  });
}

/** Undefined for a reason that this process does not know, which a newer one may send. */
export function refusalFromDetail(detail: RefusalDetail, text: string): Refusal | undefined {
  if (!Object.hasOwn(reasons, detail.reason)) return undefined;
  const details: RefusalDetails = {
    ...(detail.retryAfterSeconds !== undefined && { retryAfterSeconds: detail.retryAfterSeconds }),
    ...(detail.errorsJson.length > 0 && { errors: errorsFromJson(detail.errorsJson) }),
  };
  return new Refusal(detail.reason as Reason, text, details);
}

/**
 * What a failed call means to its caller: a Refusal, or a RemoteFault. A call that was lost on its way is
 * SERVICE_UNAVAILABLE where it certainly did nothing and OUTCOME_UNKNOWN where it may have.
 */
export function thrownFromError(error: unknown, call: { readonly sideEffects: boolean }): Refusal | RemoteFault {
  if (error instanceof Refusal || error instanceof RemoteFault) return error;
  const failed = ConnectError.from(error);
  const [detail] = failed.findDetails(RefusalDetailSchema);
  const refusal = detail && refusalFromDetail(detail, failed.rawMessage);
  if (refusal) return refusal;
  const [fault] = failed.findDetails(FaultDetailSchema);
  if (fault) return new RemoteFault(fault.id, { cause: failed });
  const cause = { cause: failed };
  if (isLost(failed)) {
    return new Refusal(call.sideEffects && !isNotSent(failed) ? "OUTCOME_UNKNOWN" : "SERVICE_UNAVAILABLE", undefined, cause);
  }
  const reason = reasonsOfCodes.get(failed.code);
  return reason === undefined ? new RemoteFault("", cause) : new Refusal(reason, undefined, cause);
}

/** Errors of the libraries, which have no detail. */
const reasonsOfCodes: ReadonlyMap<Code, Reason> = new Map([
  [Code.DeadlineExceeded, "DEADLINE_EXCEEDED"],
  [Code.Unimplemented, "NOT_IMPLEMENTED"],
  [Code.ResourceExhausted, "BODY_TOO_LARGE"],
  [Code.PermissionDenied, "CALLER_NOT_ALLOWED"],
  [Code.Unauthenticated, "CALLER_NOT_ALLOWED"],
]);

/** The Connect error code of what thrownFromError() gave, as in `not_found`. */
export function codeOfThrown(thrown: unknown): string {
  return codeToString(thrown instanceof Refusal ? refusalCodes[thrown.reason] : Code.Internal);
}

/** The call never left this process, or the other side said that it did not look at it. */
class NotSent extends Error {}

export function notSent(cause: unknown): ConnectError {
  return new ConnectError("The call was not sent", Code.Unavailable, undefined, undefined, new NotSent("Not sent", { cause }));
}

/** True where the call certainly had no effect and another process may answer it. */
export function isNotSent(error: unknown): boolean {
  if (error instanceof Refusal) return refusedUntouched.has(error.reason);
  if (!(error instanceof ConnectError)) return false;
  // What a refusal quotes of a client's body may be any text
  if (error.cause instanceof NotSent || (error.details.length === 0 && error.rawMessage.includes(streamRefused))) return true;
  const [detail] = error.findDetails(RefusalDetailSchema);
  return detail !== undefined && refusedUntouched.has(detail.reason);
}

/** True for an error of the connection or of something between: no answer of the other side came. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  if (error.details.length > 0) return false;
  return lostCodes.has(error.code) || error.rawMessage.startsWith(streamClosed);
}

/** True where the deadline passed without a word of the other side. */
export function isSilence(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.DeadlineExceeded && error.details.length === 0;
}

/** Reasons that the RPC layer itself gives before any handler runs. */
const refusedUntouched: ReadonlySet<string> = new Set(["SHUTTING_DOWN"]);
const lostCodes: ReadonlySet<Code> = new Set([Code.Unavailable, Code.Aborted, Code.Internal, Code.Unknown, Code.Canceled, Code.DataLoss]);
const streamClosed = "http/2 stream closed";
const streamRefused = "REFUSED_STREAM";

function errorsToJson(errors: readonly unknown[], bytesMax: number): Uint8Array {
  const whole = Buffer.from(JSON.stringify(errors));
  if (whole.length <= bytesMax) return whole;
  const texts: string[] = [];
  let bytes = 2;
  for (const text of errors.map((error) => JSON.stringify(error))) {
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > bytesMax) break;
    texts.push(text);
  }
  return Buffer.from(`[${texts.join(",")}]`);
}

function errorsFromJson(bytes: Uint8Array): readonly unknown[] {
  try {
    const errors: unknown = JSON.parse(Buffer.from(bytes).toString());
    return Array.isArray(errors) ? errors : [];
  } catch {
    return [];
  }
}
