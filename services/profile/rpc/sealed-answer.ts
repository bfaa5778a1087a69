/**
 * An answer about a user as it is stored for repeats: compressed, and encrypted with the Idempotency-Key of the client.
 * Only a hash of the key is stored, so only a client that sends the key again can read it, also after the user was erased.
 */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";

export async function sealAnswer(scope: Scope, answer: Uint8Array): Promise<Uint8Array> {
  const key = keyOf(scope);
  const plain = await deflate(answer);
  // Of the answer itself: the same key seals two answers only where two processes race, and never with one nonce
  const nonce = createHmac("sha256", key).update(plain).digest().subarray(0, nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Throws where the bytes were sealed for another key, or changed. */
export async function openAnswer(scope: Scope, sealed: Uint8Array): Promise<Uint8Array> {
  const decipher = createDecipheriv(algorithm, keyOf(scope), sealed.subarray(0, nonceBytes));
  decipher.setAuthTag(sealed.subarray(nonceBytes, headBytes));
  return await inflate(Buffer.concat([decipher.update(sealed.subarray(headBytes)), decipher.final()]));
}

function keyOf({ workspaceId, actor, route, idempotencyKey }: Scope): Buffer {
  return Buffer.from(hkdfSync("sha256", idempotencyKey, "", JSON.stringify([workspaceId, actor, route]), keyBytes));
}

const deflate = promisify(deflateRaw) as (bytes: Uint8Array) => Promise<Buffer>;
const inflate = promisify(inflateRaw) as (bytes: Uint8Array) => Promise<Buffer>;
const algorithm = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const headBytes = nonceBytes + 16;
