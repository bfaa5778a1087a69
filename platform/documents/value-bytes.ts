/** Values as JSON, deflated where they are long. */
import { deflateSync, inflateSync } from "node:zlib";
import { limits } from "../limits.ts";

/** Bytes where that is less. */
export function packedValue(value: unknown): string | Uint8Array {
  const text = JSON.stringify(value);
  return text.length > limits.documentPlainCharsMax ? deflateSync(text, { level: 1 }) : text;
}

export function unpackedValue(stored: string | Uint8Array): unknown {
  if (typeof stored === "string") return JSON.parse(stored);
  return JSON.parse(new TextDecoder().decode(stored[0] === deflated ? inflateSync(stored) : stored));
}

/** No JSON begins so, and all that was deflated does. */
const deflated = 0x78;

export function expiryOf(value: unknown): number | undefined {
  const expiresAt = (value as { readonly expiresAt?: unknown } | null)?.expiresAt;
  return typeof expiresAt === "number" ? expiresAt : undefined;
}
