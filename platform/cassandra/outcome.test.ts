/** Tests of outcomes: which failures are a certain no, and what callers get. */
import cassandra from "cassandra-driver";
import { expect, test } from "vitest";
import { Refusal } from "../refusal.ts";
import { outcomeOf, refusalOf } from "./outcome.ts";

const { errors, types: { responseErrorCodes: codes } } = cassandra;

test.each(
  [
    ["no host", new errors.NoHostAvailableError({}), "notDone"],
    ["all connections busy", new errors.BusyConnectionError("a", 1, 1), "notDone"],
    ["wrong password", new errors.AuthenticationError("no"), "notDone"],
    ["too few replicas alive", responseError(codes.unavailableException), "notDone"],
    ["coordinator overloaded", responseError(codes.overloaded), "notDone"],
    ["coordinator starting", responseError(codes.isBootstrapping), "notDone"],
    [
      "socket closed before it was written",
      Object.assign(new Error("closed"), { isSocketError: true, requestNotWritten: true }),
      "notDone",
    ],
    ["socket closed", Object.assign(new Error("closed"), { isSocketError: true }), "unknown"],
    ["no answer in time", new errors.OperationTimedOutError("late"), "unknown"],
    ["replicas late", responseError(codes.writeTimeout), "unknown"],
    ["replicas failed", responseError(codes.writeFailure), "unknown"],
    ["server error", responseError(codes.serverError), "unknown"],
    ["a code of the future", responseError(0x1999), "unknown"],
    ["anything else", new Error("what"), "unknown"],
    ["syntax", responseError(codes.syntaxError), "fault"],
    ["invalid", responseError(codes.invalid), "fault"],
    ["not allowed", responseError(codes.unauthorized), "fault"],
    ["a value of a wrong type", new TypeError("no"), "fault"],
    ["a missing parameter", new errors.ArgumentError("no"), "fault"],
  ] as const,
)("outcomeOf() %s", (_, error, outcome) => {
  expect(outcomeOf(error)).toBe(outcome);
});

test("refusalOf() says unavailable for reads and certain noes, unknown for other writes, and leaves faults alone", () => {
  expect(refusalOf(new errors.OperationTimedOutError("late"), "write")).toMatchObject({
    reason: "OUTCOME_UNKNOWN",
    details: { retryAfterSeconds: 1 },
  });
  expect(refusalOf(new errors.OperationTimedOutError("late"), "read")).toMatchObject({ reason: "STORE_UNAVAILABLE" });
  expect(refusalOf(new errors.NoHostAvailableError({}), "write")).toMatchObject({ reason: "STORE_UNAVAILABLE" });
  const fault = responseError(codes.invalid);
  expect(refusalOf(fault, "write")).toBe(fault);
  const refusal = new Refusal("OVERLOADED");
  expect(refusalOf(refusal, "write")).toBe(refusal);
});

function responseError(code: number): Error {
  return new errors.ResponseError(code, "said the server");
}
