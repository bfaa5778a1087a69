/** Idempotency-Key: what a client may send twice, and what was sent under it, so that each route knows a repeat by the same rule. */
import { createHash } from "node:crypto";
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import { isPrintableAscii, type RequestHeaders } from "./http-message.ts";

/** Empty where none was sent. Throws IDEMPOTENCY_KEY_INVALID. */
export function idempotencyKeyOf(headers: RequestHeaders): string {
  const key = headers.get("idempotency-key");
  if (key === undefined) return "";
  if (key !== "" && key.length <= limits.idempotencyKeyCharsMax && isPrintableAscii(key)) return key;
  const text = `The Idempotency-Key must be 1 to ${limits.idempotencyKeyCharsMax} printable ASCII characters`;
  throw new Refusal("IDEMPOTENCY_KEY_INVALID", text);
}

/** Where there is a key: SHA-256 of the body's bytes, behind `names` where there are some: what path and query say that the key does not count for. */
export function sentHashOf(
  { idempotencyKey }: { readonly idempotencyKey: string },
  body: Uint8Array,
  names: Iterable<string> = [],
): { readonly sentHash?: Uint8Array } {
  if (idempotencyKey === "") return {};
  const digest = createHash("sha256");
  const sent = [...names];
  if (sent.length > 0) digest.update(JSON.stringify(sent));
  return { sentHash: new Uint8Array(digest.update(body).digest()) };
}
