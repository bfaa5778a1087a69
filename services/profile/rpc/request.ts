/** What messages say of their caller, and the marks of requests that may be sent twice. */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import type { KnownGroups, Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadRequest } from "../domain/catch-up.ts";
import type { Idempotency } from "../domain/intake-record.ts";
import type { WriteRequest, Written } from "../domain/submit.ts";
import { positionFromToken, positionToToken } from "./position-token.ts";

/** Refuses INPUT_INVALID for a request that names no workspace. */
export function scopeOf(message: { readonly scope?: Scope | undefined }): Scope {
  const { scope } = message;
  if (scope === undefined || scope.workspaceId === "") {
    throw new Refusal("INPUT_INVALID", "Expected a scope with a workspace, got none");
  }
  return scope;
}

/** The subscription groups of the workspace, where the caller has asked for them. */
export function groupsOf({ groups }: { readonly groups?: KnownGroups | undefined }): ReadonlySet<string> | undefined {
  return groups && new Set(groups.ids);
}

/** The caller of a write without its idempotency mark. */
export function callerOf({ workspaceId, requestId, actor, traceparent }: Scope): WriteRequest {
  return { workspaceId, requestId, actor, ...(traceparent !== "" && { traceparent }) };
}

export function readOf(message: { readonly scope?: Scope | undefined }): ReadRequest {
  const { workspaceId, requestId, readAfter, traceparent } = scopeOf(message);
  return { workspaceId, requestId, readAfter: positionFromToken(readAfter), ...(traceparent !== "" && { traceparent }) };
}

/** The caller of a write whose request message is its body and whose answer is known before it is written. */
export function writeOf<Asked extends DescMessage, Answer extends DescMessage>(
  asked: { readonly schema: Asked; readonly message: MessageShape<Asked> & { readonly scope?: Scope | undefined } },
  answer: { readonly schema: Answer; readonly message: MessageShape<Answer>; readonly keepMs: number },
): WriteRequest {
  const scope = scopeOf(asked.message);
  if (scope.idempotencyKey === "") return callerOf(scope);
  const body = toBinary(asked.schema, { ...asked.message, scope: undefined });
  return { ...callerOf(scope), idempotency: markOf(scope, body, answer) };
}

/** The key counts for its owner and route alone. */
export function keyHashOf({ actor, route, idempotencyKey }: Scope): string {
  return hash("sha256", JSON.stringify([actor, route, idempotencyKey]), "hex");
}

/** The mark of a request. */
export function markOf<Answer extends DescMessage>(
  scope: Scope,
  body: Uint8Array,
  answer: { readonly schema: Answer; readonly message: MessageShape<Answer>; readonly keepMs: number },
): Idempotency {
  return {
    keyHash: keyHashOf(scope),
    bodyHash: hash("sha256", body, "hex"),
    keepMs: answer.keepMs,
    answer: Buffer.from(toBinary(answer.schema, answer.message)).toString("base64"),
  };
}

/** The answer with its place in the log; that of the first request where this one was a repeat. */
export function answered<Answer extends DescMessage>(
  schema: Answer,
  first: MessageShape<Answer>,
  written: Written,
): MessageShape<Answer> {
  const { repeatOf, position } = written;
  const answer = repeatOf === undefined ? first : fromBinary(schema, Buffer.from(repeatOf, "base64"));
  return Object.assign(answer, { position: positionToToken(position) }, repeatOf === undefined ? undefined : { replayed: true });
}
