/** The gateway's settings. */

export interface GatewayConfig {
  /** Address to listen on. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
}
