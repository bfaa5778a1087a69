/** Tokens that only we can make and only we can read: AES-256-GCM, with the key's number in front. */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export interface SealKey {
  /** 1 to 2^32 - 1; public. */
  readonly id: number;
  /** 32 bytes; secret. */
  readonly bytes: Uint8Array;
}

export function newSealKey(id: number): SealKey {
  return { id, bytes: randomBytes(keyBytes) };
}

/** The text, encrypted and authenticated; `purpose` keeps tokens of one kind from being taken for those of another. */
export function seal(key: SealKey, purpose: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const head = headOf(key.id);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce);
  cipher.setAAD(Buffer.concat([head, Buffer.from(purpose)]));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]).toString("base64url");
}

/** The number of the key that a token names; undefined for text that is no token. */
export function sealKeyId(token: string): number | undefined {
  return bytesOf(token)?.readUInt32BE(0);
}

/** The text that was sealed with the key for the purpose; undefined for anything else, however near to it. */
export function unseal(key: SealKey, purpose: string, token: string): string | undefined {
  const bytes = bytesOf(token);
  if (bytes === undefined || bytes.readUInt32BE(0) !== key.id) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(headBytes, headBytes + nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.concat([headOf(key.id), Buffer.from(purpose)]));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const opened = decipher.update(bytes.subarray(headBytes + nonceBytes, -tagBytes));
    return Buffer.concat([opened, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

const keyBytes = 32;
const headBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

function headOf(id: number): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(id);
  return head;
}

/** One text for each token: the decoder takes more, such as other spare bits in the last character. */
function bytesOf(token: string): Buffer | undefined {
  const bytes = Buffer.from(token, "base64url");
  return bytes.length >= headBytes + nonceBytes + tagBytes && bytes.toString("base64url") === token ? bytes : undefined;
}
