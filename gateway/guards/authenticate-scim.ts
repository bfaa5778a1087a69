/** Headers to the holder of a SCIM token, and whether the token may be used for this origin and from there. */
import { Refusal } from "../../platform/refusal.ts";
import type { Access, TokenHolder } from "../access/access.ts";
import type { HttpRequest } from "../http/http-message.ts";
import { bearerOf } from "./authenticate.ts";
import { addressAllowed, type AddressRule } from "./client-address.ts";

/** Throws KEY_MISSING or KEY_INVALID; an API key is no SCIM token. No text ever holds the token. */
export function authenticateScim(request: Pick<HttpRequest, "headers">, access: Pick<Access, "findScimToken">): TokenHolder {
  const secret = bearerOf(request.headers.get("authorization"));
  if (secret === undefined) {
    throw new Refusal("KEY_MISSING", "No SCIM token was sent. Send it in the header 'Authorization: Bearer <token>'");
  }
  const holder = access.findScimToken(secret);
  if (holder === undefined) throw new Refusal("KEY_INVALID");
  return holder;
}

/** Throws ORIGIN_NOT_ALLOWED or ADDRESS_NOT_ALLOWED; the text does not reveal what the token is bound to. */
export function authorizeScim(
  request: Pick<HttpRequest, "headers" | "remoteAddress">,
  { token }: Pick<TokenHolder, "token">,
  addresses: AddressRule,
): void {
  const origin = request.headers.get("x-request-origin");
  const left = origin === undefined || origin === "";
  if (left && token.originHeader === "required") throw new Refusal("ORIGIN_NOT_ALLOWED", "The header 'X-Request-Origin' is required");
  if (token.origin === "" || (!left && origin !== token.origin)) {
    throw new Refusal("ORIGIN_NOT_ALLOWED", "The SCIM token may not be used for this X-Request-Origin");
  }
  if (token.ipAllow.length > 0 && !addressAllowed(request, token, addresses)) {
    throw new Refusal("ADDRESS_NOT_ALLOWED", "The SCIM token may not be used from this address");
  }
}
