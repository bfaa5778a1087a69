/** Which names a port that is not for the public may be asked by: a page of the web that rebinds its name to our address has another. */
import { isIP } from "node:net";

/** Names that no public DNS gives out (RFC 6761, RFC 9476, Kubernetes). */
const internalEndings: readonly string[] = [".localhost", ".internal", ".svc", ".cluster.local"];

/**
 * True for an address, a name of one word, a name that only a private network has, and what is `listed`; `host` is a Host header or an
 * :authority, with or without its port. A client that sends none is no browser.
 */
export function isInternalHost(host: string | undefined, listed: readonly string[]): boolean {
  if (host === undefined || host === "") return true;
  const name = nameOf(host.toLowerCase());
  if (name === undefined) return false;
  if (isIP(name) !== 0 || !name.includes(".")) return true;
  return listed.includes(name) || internalEndings.some((ending) => name.endsWith(ending));
}

/** True for the addresses and the name of this machine alone. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Without its port and the brackets of an IPv6 address; undefined where it is no host. */
function nameOf(host: string): string | undefined {
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{1,5})?$/.exec(host) ?? [];
  if (address !== undefined) return isIP(address) === 0 ? undefined : address;
  return name?.endsWith(".") ? name.slice(0, -1) : name;
}
