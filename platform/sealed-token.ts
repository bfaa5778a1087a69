/** Tokens that only we can make and only we can read: AES-256-GCM, with the key's number in front. */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

export interface SealKey {
  /** 1 to 2^31 - 1; public. */
  readonly id: number;
  /** 32 bytes; secret. */
  readonly bytes: Uint8Array;
}

export function newSealKey(id: number): SealKey {
  return { id, bytes: randomBytes(keyBytes) };
}

/** The key of one owner, which reveals nothing of this key or of another owner's. */
export function ownersKey({ id, bytes }: SealKey, owner: string): SealKey {
  return { id, bytes: new Uint8Array(hkdfSync("sha256", bytes, "", `heddle key of one owner 1\0${owner}`, keyBytes)) };
}

export interface SealedFor {
  /** Keeps tokens of one kind from being taken for those of another. */
  readonly purpose: string;
  /** Stands in the token for all to read, so that the process that opens it knows whose key to take. */
  readonly owner?: string;
  /** The same text gives the same token, so that uses of it can be counted. */
  readonly steady?: boolean;
}

/** The text, encrypted and authenticated. */
export function seal(key: SealKey, { purpose, owner, steady = false }: SealedFor, text: string): string {
  // Another text or purpose has another nonce, as it has where chance makes it
  const nonce = steady
    ? createHmac("sha256", key.bytes).update(JSON.stringify([purpose, text])).digest().subarray(0, nonceBytes)
    : randomBytes(nonceBytes);
  const head = headOf(key.id, owner);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce);
  cipher.setAAD(Buffer.concat([head, Buffer.from(purpose)]));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]).toString("base64url");
}

export interface SealedBy {
  /** Of the key. */
  readonly id: number;
  /** Undefined where none was named. */
  readonly owner: string | undefined;
}

/** Which key a token names; undefined for text that is no token. */
export function sealedBy(token: string): SealedBy | undefined {
  const found = partsOf(token);
  return found && { id: found.id, owner: found.owner };
}

/** The text that was sealed with the key for the purpose; undefined for anything else, however near to it. */
export function unseal(key: SealKey, purpose: string, token: string): string | undefined {
  const found = partsOf(token);
  if (found === undefined || found.id !== key.id) return undefined;
  const { bytes, head } = found;
  const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(head.length, head.length + nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.concat([head, Buffer.from(purpose)]));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const opened = decipher.update(bytes.subarray(head.length + nonceBytes, -tagBytes));
    return Buffer.concat([opened, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

const keyBytes = 32;
const idBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
/** The highest bit of the key's number says that an owner follows: a length of one byte, and the text. */
const ownerMark = 0x8000_0000;

function headOf(id: number, owner: string | undefined): Buffer {
  const head = Buffer.alloc(idBytes);
  if (owner === undefined) {
    head.writeUInt32BE(id);
    return head;
  }
  head.writeUInt32BE(id + ownerMark);
  const text = Buffer.from(owner);
  return Buffer.concat([head, Buffer.of(text.length), text]);
}

function partsOf(token: string): (SealedBy & { readonly head: Buffer; readonly bytes: Buffer }) | undefined {
  const bytes = bytesOf(token);
  if (bytes === undefined) return undefined;
  const id = bytes.readUInt32BE(0);
  if (id < ownerMark) return { id, owner: undefined, head: bytes.subarray(0, idBytes), bytes };
  const headEnd = idBytes + 1 + (bytes[idBytes] ?? 0);
  if (bytes.length < headEnd + nonceBytes + tagBytes) return undefined;
  return { id: id - ownerMark, owner: bytes.toString("utf8", idBytes + 1, headEnd), head: bytes.subarray(0, headEnd), bytes };
}

/** One text for each token: the decoder takes more, such as other spare bits in the last character. */
function bytesOf(token: string): Buffer | undefined {
  const bytes = Buffer.from(token, "base64url");
  return bytes.length >= idBytes + nonceBytes + tagBytes && bytes.toString("base64url") === token ? bytes : undefined;
}
