/** Which servers and parts the settings of a process lead to, and which of them without TLS or authentication: found wherever they stand. */
import type { Loose } from "./manifests.ts";

export interface Access {
  readonly server: "NATS" | "Cassandra" | "Redis" | "RPC";
  readonly faults: readonly string[];
}

/** Everything in `settings`, however deep, that a process connects to or is called at. */
export function accessOf(settings: object): Access[] {
  const own = kinds.flatMap((kind) => kind(settings));
  const values = settings instanceof Map ? [...settings.values()] : Object.values(settings);
  return [...own, ...values.flatMap((value: unknown) => isRecord(value) ? accessOf(value) : [])];
}

/** "NATS: no TLS" and the like, each once. */
export function openAccess(all: readonly Access[]): string[] {
  return [...new Set(all.flatMap(({ server, faults }) => faults.map((fault) => `${server}: ${fault}`)))];
}

/** Lists of texts hold nothing to look for. */
function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) || (Array.isArray(value) && value.some(isRecord));
}

const kinds: readonly ((settings: Loose) => Access[])[] = [
  ({ servers, tls, credentials }) =>
    servers === undefined ? [] : [{
      server: "NATS",
      faults: faultsOf({ tls: tls?.ca, user: credentials?.user, password: credentials?.password }),
    }],
  ({ contactPoints, tls, credentials }) =>
    contactPoints === undefined ? [] : [{
      server: "Cassandra",
      faults: faultsOf({ tls: tls?.ca, user: credentials?.username, password: credentials?.password }),
    }],
  ({ redisUrl, redisTls }) => redisUrl === undefined ? [] : [{ server: "Redis", faults: faultsOfRedis(new URL(redisUrl), redisTls) }],
  // Another part: its certificate is asked for, and ours is shown
  ({ addresses, tls }) =>
    addresses === undefined ? [] : [{
      server: "RPC",
      faults: faultsOf({
        tls: addresses.every((address: string) => /^(dns[+])?https:/.test(address)) && tls?.ca,
        user: tls?.cert,
        password: tls?.key,
      }),
    }],
  // The part's own port
  ({ callers, reflection, tls }) =>
    callers === undefined ? [] : [{
      server: "RPC",
      faults: [...faultsOf({ tls: tls?.cert, user: tls?.ca, password: tls?.key }), ...(reflection ? ["tells its contract"] : [])],
    }],
];

function faultsOfRedis({ protocol, username, password }: URL, tls: Loose): string[] {
  return faultsOf({ tls: protocol === "rediss:" && tls?.ca, user: username, password });
}

function faultsOf({ tls, user, password }: { tls: unknown; user: unknown; password: unknown }): string[] {
  return [...(tls ? [] : ["no TLS"]), ...(user && password ? [] : ["no authentication"])];
}
