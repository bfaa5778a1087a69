/** Where a request comes from, past the proxies that are trusted, and whether a key may be used from there. */
import { type BlockList, isIP } from "node:net";
import type { ApiKey } from "../access/access.ts";
import { addressList, contains } from "../access/address-range.ts";
import type { HttpRequest } from "../http/http-message.ts";

export interface AddressRule {
  /** Proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: BlockList;
}

/** True when the allow list of the key or token holds the client's address. */
export function addressAllowed(request: Pick<HttpRequest, "headers" | "remoteAddress">, key: AllowList, rule: AddressRule): boolean {
  const address = clientAddress(request, rule);
  return address !== undefined && contains(allowList(key), address);
}

/**
 * The nearest address that is not a trusted proxy: entries of X-Forwarded-For further left were written by senders that are not
 * trusted. Undefined where that entry is no address.
 */
export function clientAddress(request: Pick<HttpRequest, "headers" | "remoteAddress">, rule: AddressRule): string | undefined {
  let address = plain(request.remoteAddress);
  const forwarded = request.headers.get("x-forwarded-for")?.split(",") ?? [];
  while (address !== undefined && forwarded.length > 0 && contains(rule.trustedProxies, address)) {
    address = plain(withoutPort(forwarded.pop() ?? ""));
  }
  return address;
}

/** True when the other end of the socket is a proxy whose word is taken. */
export function fromTrustedProxy(request: Pick<HttpRequest, "remoteAddress">, rule: AddressRule): boolean {
  const address = plain(request.remoteAddress);
  return address !== undefined && contains(rule.trustedProxies, address);
}

/** An API key or a SCIM token. */
type AllowList = Pick<ApiKey, "ipAllow">;

const lists = new WeakMap<AllowList, BlockList>();

/** Made once a key; a key that changes is another object. */
function allowList(key: AllowList): BlockList {
  const known = lists.get(key);
  if (known) return known;
  const list = addressList(key.ipAllow);
  lists.set(key, list);
  return list;
}

/** Some proxies write the port of the sender behind its address, and brackets around one of IPv6. */
function withoutPort(entry: string): string {
  const [, ipv6, ipv4] = /^\s*(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)\s*$/.exec(entry) ?? [];
  return ipv6 ?? ipv4 ?? entry;
}

/** Without blanks, a zone, and the IPv6 cover of an IPv4 address. */
function plain(text: string): string | undefined {
  const [address = ""] = text.trim().split("%");
  const mapped = address.toLowerCase().startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
  if (isIP(mapped) !== 0) return mapped;
  return isIP(address) === 0 ? undefined : address;
}
