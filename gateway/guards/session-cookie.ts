/** The cookie of the console's sessions: how it is set, and the requests from which it is taken. */
import { Refusal } from "../../platform/refusal.ts";
import type { Access, Session } from "../access/access.ts";
import type { HttpRequest, RequestHeaders } from "../http/http-message.ts";

/** Browsers let no other host and no plain page set the first of them. */
const secureName = "__Host-heddle_session";
const plainName = "heddle_session";

/** `Set-Cookie`; `secure` where the page came by TLS. Without a token the cookie goes. */
export function sessionCookies({ token, secondsLeft, secure }: { token: string; secondsLeft: number; secure: boolean }): string[] {
  const age = token === "" ? 0 : secondsLeft;
  const text = `${secure ? secureName : plainName}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
  return ["Set-Cookie", text];
}

/**
 * The session behind a request. A cookie counts only beside the header of the console's script, which no form and no page of
 * elsewhere can send without a preflight that we refuse, and where the browser says that our own page asked. Undefined where no
 * session was sent; throws KEY_INVALID where it is over or comes from elsewhere.
 */
export function sessionOf(
  { headers }: Pick<HttpRequest, "headers">,
  access: Pick<Access, "findSession">,
): (Session & { readonly token: string }) | undefined {
  const token = sessionTokenOf(headers);
  if (token === undefined) return undefined;
  if (!isOwnPage(headers)) throw new Refusal("KEY_INVALID", "Invalid session: it is taken from the console's own page alone");
  const session = access.findSession(token);
  if (session === undefined) throw new Refusal("KEY_INVALID", "Invalid session: it is over, or its key was revoked. Sign in again");
  return { ...session, token };
}

/** Of the cookie, whether or not it is good; undefined where none was sent. */
export function sessionTokenOf(headers: RequestHeaders): string | undefined {
  const cookies = headers.get("cookie");
  if (cookies === undefined || !headers.has("x-heddle-console")) return undefined;
  const token = cookieNamed(cookies, secureName) ?? (cameByTls(headers) ? undefined : cookieNamed(cookies, plainName));
  return token === "" ? undefined : token;
}

/** As the page itself says. Another host of the domain or an attacker on a plain line can set the plain cookie alone: with a session of their own. */
function cameByTls(headers: RequestHeaders): boolean {
  return headers.get("x-heddle-console") === "tls";
}

/** As all browsers of today say it; older ones send `Origin` with what writes. */
function isOwnPage(headers: RequestHeaders): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const origin = headers.get("origin");
  return origin === undefined || origin.slice(origin.indexOf("://") + "://".length) === headers.get("host");
}

function cookieNamed(cookies: string, name: string): string | undefined {
  return cookies.split(";").map((cookie) => cookie.trim()).find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}
