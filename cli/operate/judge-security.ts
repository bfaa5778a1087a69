/** What the settings of the mesh mean for who can read and change it: pure, from settings to findings. */
import { isLoopback } from "../../platform/internal-host.ts";
import type { Finding } from "../../platform/finding.ts";

/** How processes of Heddle reach a kind of server, or each other. */
export interface Reach {
  readonly check: string;
  /** Host names or addresses, without ports. */
  readonly hosts: readonly string[];
  readonly isEncrypted: boolean;
  /** Whether something is shown that proves who asks: a password, a token, a certificate. */
  readonly isProven: boolean;
  /** Settings that mend it. */
  readonly encryptBy: string;
  readonly proveBy: string;
  /** The operator said by name that it is meant. */
  readonly isMeant?: boolean;
}

/** Nothing to warn of on this machine alone. */
export function judgeReach({ check, hosts, isEncrypted, isProven, encryptBy, proveBy, isMeant = false }: Reach): Finding {
  const missing = [...(isEncrypted ? [] : [`no TLS (${encryptBy})`]), ...(isProven ? [] : [`no authentication (${proveBy})`])];
  const name = `${check} access`;
  if (missing.length === 0) return { check: name, level: "ok", text: "TLS and authentication" };
  if (hosts.length > 0 && hosts.every(isLoopback)) {
    return { check: name, level: "ok", text: `${missing.join(", ")}, on this machine alone` };
  }
  const text = `${missing.join(", ")}: whoever reaches ${hosts.join(", ") || "it"} can read and change what is there`;
  return { check: name, level: isMeant || isProven ? "warn" : "fail", text };
}

/** The host of `host:port`, `[address]:port` or an address with a scheme and maybe a password; empty where it is none. */
export function hostOf(address: string): string {
  const url = address.includes("://") ? address.replace("dns+", "") : `http://${address}`;
  return URL.canParse(url) ? withoutBrackets(new URL(url.replace(/^[a-z+]+:/, "http:")).hostname) : "";
}

function withoutBrackets(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}
