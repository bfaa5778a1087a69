/** The gateway's settings: a pure function from a record of texts. */
import type { ConfigReader } from "../platform/config.ts";
import { limits } from "../platform/limits.ts";
import { addressRange } from "./access/address-range.ts";

export interface GatewayConfig {
  /** Address to listen on. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** `host` or `host:port` that may stand in addresses that are made of the Host of a request, beside those of loopback. */
  readonly hosts: readonly string[];
  /** Where people reach this server, for links that are sent to them; empty: the address listened on. No slash at its end. */
  readonly publicUrl: string;
  /** Where people reach their own pages, a host that serves nothing else; empty: `publicUrl`. No slash at its end. */
  readonly pagesUrl: string;
  /** How long it goes on accepting after it was asked to end, so that load balancers and clients see that it leaves. */
  readonly leaveMs: number;
}

/** Leaves all problems with the reader. */
export function readGatewayConfig(reader: ConfigReader): GatewayConfig {
  return {
    host: reader.text("HEDDLE_HTTP_HOST", { fallback: "127.0.0.1" }),
    port: reader.whole("HEDDLE_HTTP_PORT", { min: 0, max: limits.portMax, fallback: defaultPort }),
    trustedProxies: reader.list("HEDDLE_TRUSTED_PROXIES", {
      fallback: [],
      isItem: (text) => addressRange(text) !== undefined,
      expected: "IP addresses and CIDR ranges",
    }),
    hosts: reader.list("HEDDLE_HTTP_HOSTS", { fallback: [] }),
    publicUrl: reader.url("HEDDLE_PUBLIC_URL", { fallback: "" }),
    pagesUrl: reader.url("HEDDLE_PAGES_URL", { fallback: "" }),
    leaveMs: reader.whole("HEDDLE_LEAVE_SECONDS", { min: 0, max: limits.leaveSecondsMax, fallback: 0 }) * 1_000,
  };
}

const defaultPort = 8080;
