/** Secrets of API keys and SCIM tokens: which texts may be one, and the digest that is kept in their place. */
import { limits } from "../../platform/limits.ts";
import { secretHolds, sha256Hex } from "../../platform/identifier.ts";

/** What our own secrets start with; only these carry a checksum. */
export const keyPrefix = "hdl_";
export const tokenPrefix = "hds_";

const printable = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** SHA-256 of the secret as 64 hex digits. */
export function digestOf(secret: string): string {
  return sha256Hex(secret);
}

/** False for a text with our prefix and a wrong checksum: it was mistyped or made up. */
export function mayBeSecret(secret: string): boolean {
  const ours = secret.startsWith(keyPrefix) || secret.startsWith(tokenPrefix);
  return !ours || secretHolds(secret);
}

/** Why a secret that a team brings cannot be taken; undefined when it can. The answer never quotes the secret. */
export function secretProblem(secret: string): string | undefined {
  if (!printable.test(secret)) return "a secret is printable ASCII characters, with no space at either end";
  if (secret.length < limits.secretCharsMin) return `a secret has at least ${limits.secretCharsMin} printable characters`;
  if (secret.length > limits.secretCharsMax) return `a secret has at most ${limits.secretCharsMax} characters`;
  if (!mayBeSecret(secret)) {
    return `a secret that starts with "${
      secret.slice(0, keyPrefix.length)
    }" is one that Heddle made, and the checksum of this one is wrong`;
  }
  return undefined;
}
