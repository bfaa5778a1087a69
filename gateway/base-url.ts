/** Where locations in answers begin: what is configured, or a host of a list; never what a client made up. */
import { type AddressRule, fromTrustedProxy } from "./guards/client-address.ts";
import type { HttpRequest } from "./http/http-message.ts";

export interface Reached {
  /** Where people reach this server; empty where it is not configured. No slash at its end. */
  readonly publicUrl: string;
  /** `host` or `host:port` in lower case, beside those of loopback. */
  readonly hosts: readonly string[];
}

/** Empty, which makes locations relative, where the host of the request is not known. */
export function baseUrlOf(request: Pick<HttpRequest, "headers" | "remoteAddress">, addresses: AddressRule, reached: Reached): string {
  if (reached.publicUrl !== "") return reached.publicUrl;
  const proxied = fromTrustedProxy(request, addresses);
  const host = ((proxied ? request.headers.get("x-forwarded-host") : undefined) ?? request.headers.get("host") ?? "").toLowerCase();
  if (!isKnownHost(host, reached.hosts)) return "";
  const secure = proxied && request.headers.get("x-forwarded-proto")?.trim().toLowerCase() === "https";
  return `${secure ? "https" : "http"}://${host}`;
}

/** One of loopback, or of the list, with any port where the list names none. */
function isKnownHost(host: string, hosts: readonly string[]): boolean {
  const [, name, port] = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/.exec(host) ?? [];
  if (name === undefined) return false;
  return loopback.has(name) || hosts.includes(name) || (port !== undefined && hosts.includes(host));
}

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
