/** Headers to Caller: who holds the key that was sent, or whose session it is, and may it be used from there. */
import { Refusal } from "../../platform/refusal.ts";
import type { Access, KeyHolder } from "../access/access.ts";
import type { HttpRequest } from "../http/http-message.ts";
import { addressAllowed, type AddressRule } from "./client-address.ts";
import { sessionOf } from "./session-cookie.ts";

/** Proof that a living key was sent, or typed by a person at the console. */
export interface Caller {
  readonly proof: "caller";
  readonly holder: KeyHolder;
  /** "session": by the cookie of a browser; else the key itself was sent. */
  readonly by:
    | { readonly kind: "key"; readonly secret: string }
    | { readonly kind: "session"; readonly token: string; readonly expiresAt: number };
}

export interface Authenticating {
  readonly access: Pick<Access, "findApiKey" | "findSession">;
  readonly addresses: AddressRule;
}

/**
 * Takes `Authorization: Bearer <key>`, or the session of a browser from the console's own page. Throws KEY_IN_WRONG_PLACE for the old form `api_key` in the URL (a
 * key in a URL ends up in logs), KEY_MISSING, KEY_INVALID or ADDRESS_NOT_ALLOWED. No text ever holds the key.
 */
export function authenticate(request: Pick<HttpRequest, "headers" | "query" | "remoteAddress">, rules: Authenticating): Caller {
  if (request.query !== "" && new URLSearchParams(request.query).has("api_key")) {
    throw new Refusal("KEY_IN_WRONG_PLACE", `Invalid API key: 'api_key' is not taken from the URL. ${sendIt}`);
  }
  const secret = bearerOf(request.headers.get("authorization"));
  const session = secret === undefined ? sessionOf(request, rules.access) : undefined;
  if (secret === undefined && session === undefined) throw new Refusal("KEY_MISSING", `Invalid API key: none was sent. ${sendIt}`);
  const holder = session?.holder ?? rules.access.findApiKey(secret ?? "");
  if (holder === undefined) throw new Refusal("KEY_INVALID");
  if (holder.key.ipAllow.length > 0 && !addressAllowed(request, holder.key, rules.addresses)) {
    throw new Refusal("ADDRESS_NOT_ALLOWED", "Forbidden: the API key may not be used from this address");
  }
  return { proof: "caller", holder, by: byOf(secret, session) };
}

/** Asks once more where the key is unknown: it may have been made a moment ago, at another gateway or by a command. Throws as `authenticated`. */
export function knowingNewKeys<T>(access: Pick<Access, "awaitKey">, authenticated: () => T): T | Promise<T> {
  try {
    return authenticated();
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason !== "KEY_INVALID") throw error;
    return access.awaitKey().then(authenticated);
  }
}

function byOf(secret: string | undefined, session: ReturnType<typeof sessionOf>): Caller["by"] {
  return session === undefined
    ? { kind: "key", secret: secret ?? "" }
    : { kind: "session", token: session.token, expiresAt: session.expiresAt };
}

/** Whether the caller may still do all that it might then: the key is not revoked, the session not over, and nothing was taken from the key. */
export function isStillGood({ holder, by }: Caller, access: Pick<Access, "findApiKey" | "findSession">): boolean {
  const now = by.kind === "key" ? access.findApiKey(by.secret) : access.findSession(by.token)?.holder;
  return now !== undefined && termsOf(now) === termsOf(holder);
}

function termsOf({ key: { id, workspaceId, permissions, ipAllow } }: KeyHolder): string {
  return JSON.stringify([id, workspaceId, permissions, ipAllow]);
}

const sendIt = "Send it in the header 'Authorization: Bearer <key>'";
const scheme = "bearer ";

/** The credentials after the scheme, whose case does not matter (RFC 9110, section 11.1). */
export function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined || header.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  const secret = header.slice(scheme.length).trim();
  return secret === "" ? undefined : secret;
}
