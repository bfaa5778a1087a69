/** How a request is known again that a client may send twice: by hashes of its key and of what it asks, as its record carries them. */
import { hash } from "node:crypto";
import { type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { RequestContext, Scoped } from "../request-context.ts";

/** heddle.intake.v1.Idempotency */
export interface IdempotencyMark {
  /** SHA-256 of key owner, route and key. */
  readonly keyHash: Uint8Array<ArrayBuffer>;
  /** SHA-256 of what is asked: a repeat with the same key must have the same. */
  readonly bodyHash: Uint8Array<ArrayBuffer>;
  readonly keepMs: bigint;
  /** The answer, where it is known before the request is decided: in binary. */
  readonly answer?: Uint8Array<ArrayBuffer>;
}

export interface Repeats {
  readonly keepMs: number;
  readonly answer?: Uint8Array<ArrayBuffer>;
}

/** The key counts for its owner and route alone. */
export function keyHashOf({ actor, route, idempotencyKey }: RequestContext): Uint8Array<ArrayBuffer> {
  return sha256(JSON.stringify([actor, route, idempotencyKey]));
}

/** Undefined for a request without a key. */
export function markOf(context: RequestContext, body: Uint8Array, { keepMs, answer }: Repeats): IdempotencyMark | undefined {
  if (context.idempotencyKey === "") return undefined;
  return { keyHash: keyHashOf(context), bodyHash: sha256(body), keepMs: BigInt(keepMs), ...(answer && { answer }) };
}

/** As markOf, of a request whose message says all that it asks. */
export function markOfMessage<Asked extends DescMessage>(
  schema: Asked,
  message: MessageShape<Asked> & Scoped<RequestContext>,
  repeats: Repeats,
): IdempotencyMark | undefined {
  if (message.scope === undefined || message.scope.idempotencyKey === "") return undefined;
  return markOf(message.scope, toBinary(schema, { ...message, scope: undefined }), repeats);
}

export function sha256(data: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash("sha256", data, "buffer"));
}
