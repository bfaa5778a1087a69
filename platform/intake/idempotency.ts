/** How a request is known again that a client may send twice: by hashes of its key and of what was sent, as they are kept. */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { RequestContext, Scoped } from "../request-context.ts";
import type { IdempotencyHashes } from "../same-request.ts";

/** heddle.intake.v1.Idempotency */
export interface IdempotencyEntry {
  /** SHA-256 of key owner, route and key. */
  readonly keyHash: Uint8Array<ArrayBuffer>;
  /** As RequestHashes: a repeat with the same key must have the same. */
  readonly bodyHash: Uint8Array;
  readonly sentHash?: Uint8Array;
  readonly keepMs: bigint;
  /** The answer, where it is known before the request is decided: in binary. */
  readonly answer?: Uint8Array<ArrayBuffer>;
}

export interface Repeats {
  readonly keepMs: number;
  readonly answer?: Uint8Array<ArrayBuffer>;
}

/** The key counts for its owner and route alone. */
export function keyHashOf(
  { actor, route, idempotencyKey }: Pick<RequestContext, "actor" | "route" | "idempotencyKey">,
): Uint8Array<ArrayBuffer> {
  return sha256(JSON.stringify([actor, route, idempotencyKey]));
}

/** Of a request whose message has the HTTP body as it was sent. */
export function bodyHashOf({ sentHash }: { readonly sentHash?: Uint8Array | undefined }, body: Uint8Array): Uint8Array {
  return sentHash === undefined || sentHash.length === 0 ? sha256(body) : sentHash;
}

/** As bodyHashOf; undefined for a request without a key. */
export function idempotencyOf(context: RequestContext, body: Uint8Array, { keepMs, answer }: Repeats): IdempotencyEntry | undefined {
  if (context.idempotencyKey === "") return undefined;
  return { keyHash: keyHashOf(context), bodyHash: bodyHashOf(context, body), keepMs: BigInt(keepMs), ...(answer && { answer }) };
}

/** Of a request whose message says all that it asks. */
export function idempotencyOfMessage<Asked extends DescMessage>(
  schema: Asked,
  message: MessageShape<Asked> & Scoped<RequestContext>,
  { keepMs, answer }: Repeats,
): IdempotencyEntry | undefined {
  const { scope } = message;
  if (scope === undefined || scope.idempotencyKey === "") return undefined;
  return { keyHash: keyHashOf(scope), ...hashesOf(schema, message), keepMs: BigInt(keepMs), ...(answer && { answer }) };
}

/** As markOfMessage. `route`: what the key counts for, beside its owner. */
export function idempotencyHashesOf<Asked extends DescMessage>(
  schema: Asked,
  message: MessageShape<Asked> & Scoped<RequestContext>,
  route: string | undefined = message.scope?.route,
): IdempotencyHashes | undefined {
  const { scope } = message;
  if (scope === undefined || route === undefined || scope.idempotencyKey === "") return undefined;
  const { bodyHash, sentHash } = hashesOf(schema, message);
  const requestHash = hexOf(keyHashOf({ ...scope, route }));
  return { requestHash, bodyHash: hexOf(bodyHash), ...(sentHash && { sentHash: hexOf(sentHash) }) };
}

/** Both, as the build before knows the message's own alone. */
function hashesOf<Asked extends DescMessage>(
  schema: Asked,
  message: MessageShape<Asked> & Scoped<RequestContext>,
): Pick<IdempotencyEntry, "bodyHash" | "sentHash"> {
  const bodyHash = sha256(toBinary(schema, { ...message, scope: undefined }));
  const { sentHash } = message.scope ?? {};
  return sentHash === undefined || sentHash.length === 0 ? { bodyHash } : { bodyHash, sentHash };
}

export function sha256(data: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash("sha256", data, "buffer"));
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
