/** What messages hold of reads and groups, and the answers of requests that may be sent twice. */
import { Buffer } from "node:buffer";
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { Repeats } from "../../../platform/intake/idempotency.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type Scoped, scopeOf } from "../../../platform/request-context.ts";
import type { KnownGroups, Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadRequest } from "../domain/catch-up.ts";
import { hasAtMostChars } from "../domain/check-text.ts";
import type { Written } from "../intake/submit.ts";
import { positionFromToken, positionToToken } from "../../../platform/intake/position.ts";

/** The subscription groups of the workspace, where the caller has asked for them. */
export function groupsOf({ groups }: { readonly groups?: KnownGroups | undefined }): ReadonlySet<string> | undefined {
  return groups && new Set(groups.ids);
}

export function readOf(message: Scoped<Scope>): ReadRequest {
  const { workspaceId, requestId, readAfter, traceparent } = scopeOf(message);
  return { workspaceId, requestId, readAfter: positionFromToken(readAfter), ...(traceparent !== "" && { traceparent }) };
}

/** An answer that is known before the request is decided, as its repeats are given it. */
export function repeatedWith<Answer extends DescMessage>(
  schema: Answer,
  message: MessageShape<Answer>,
  keepMs: number = limits.idempotencyKeepMs,
): Repeats {
  return { keepMs, answer: toBinary(schema, message) };
}

/** Refuses INPUT_INVALID for a time before every date, which no profile could show. One in the future is taken as now. */
export function checkReportTime(field: string, ms: bigint): void {
  if (ms < earliestMs) throw new Refusal("INPUT_INVALID", `'${field}' must be the Unix milliseconds of a date, got ${ms}`);
}

/** Refuses INPUT_INVALID for a text longer than `stringValueCharsMax`, and for an empty one of `required`. */
export function checkReportTexts(required: Readonly<Record<string, string>>, optional: Readonly<Record<string, string>>): void {
  const most = limits.stringValueCharsMax;
  for (const [field, text] of Object.entries({ ...required, ...optional })) {
    if (hasAtMostChars(text, most) && (text !== "" || field in optional)) continue;
    throw new Refusal("INPUT_INVALID", `'${field}' must be a text of ${field in optional ? "at most" : "1 to"} ${most} characters`);
  }
}

const earliestMs = -8_640_000_000_000_000n;

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
