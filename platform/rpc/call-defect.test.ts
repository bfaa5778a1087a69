/** What of a failed call is a programming error, and what the log says of it. */
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { createLogger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { noteDefect } from "./call-defect.ts";
import { notSent, RemoteFault } from "./refusal-wire.ts";

function logged(error: unknown): string {
  let written = "";
  noteDefect(createLogger({ level: "debug", name: "test", write: (line) => (written += line) }), error, ProfileService.method.trackUsers);
  return written;
}

const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
const cyclic = new TypeError("x");
cyclic.cause = cyclic;

for (
  const [name, error, isDefect] of [
    ["a TypeError", new TypeError("x"), true],
    ["one that the library wrapped", ConnectError.from(new TypeError("x")), true],
    ["one in the opening of a connection", notSent(new RangeError("x")), true],
    ["one that is its own cause", cyclic, true],
    ["a message that cannot be written", new ConnectError("serialize binary: x", Code.Internal), true],
    ["an error without a code", new Error("x"), true],
    ["a text", "x", true],
    ["a refusal", new Refusal("NOT_FOUND", "x", { cause: new TypeError("x") }), false],
    ["a fault of the other side", new RemoteFault("f1"), false],
    ["an error of the connection", reset, false],
    ["one that the library wrapped", new ConnectError("x", Code.Aborted, undefined, undefined, reset), false],
    ["one that the other side broke off", new ConnectError("http/2 stream closed", Code.Internal), false],
    ["a connection that could not be had", notSent(reset), false],
    ["one that closed before a word", notSent(new Error("x")), false],
  ] as const
) {
  test(`noteDefect() ${isDefect ? "logs" : "does not log"} ${name}`, () => {
    expect(logged(error) !== "").toBe(isDefect);
  });
}

test("noteDefect() says where it was and in which call, and not a word of its text", () => {
  const error = new TypeError('expected string, got "ann@example.com"\n    at ann@example.com');
  const line = logged(ConnectError.from(error));
  expect(JSON.parse(line)).toMatchObject({
    level: "error",
    event: "rpc_call_defect",
    method: "heddle.profile.v1.ProfileService/TrackUsers",
    error: [{ type: "ConnectError" }, { type: "TypeError", message: "" }],
  });
  expect(line).toContain("call-defect.test.ts:");
  expect(line).not.toContain("ann@");
});
