/** The processes of a service and a connection to each: those whose addresses are given, and all that a name stands for at the time. */
import { lookup as systemLookup } from "node:dns/promises";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { type ClientTls, type Connection, openConnection } from "./connection.ts";

/** `dns+http://profile:9101`: every address that the name has, asked for again and again. */
const namePrefix = "dns+";

export interface PeersOptions {
  /** `http://host:port` of a process, or `dns+http://name:port` of all that have the name; `https:` with `tls`. */
  readonly addresses: readonly string[];
  readonly tls?: ClientTls | undefined;
  readonly clock: Clock;
  /** No connection to it could be had. */
  unreachable?(connection: Connection): void;
  /** The name has lost it. Calls under way on it may end. */
  removed?(connection: Connection): void;
  /** The addresses of a name; tests bring their own. */
  readonly lookup?: (name: string) => Promise<readonly string[]>;
}

export interface Peers {
  /** Never empty. */
  current(): readonly Connection[];
  close(): void;
}

/**
 * Until a name is known, and where it stands for nothing, what it stood for last counts; at the very first the name
 * itself does. Throws for no address.
 */
export function openPeers(options: PeersOptions): Peers {
  const [first] = options.addresses;
  if (first === undefined) throw new Error("Expected an address, got none");
  const sources = [...new Set(options.addresses)].map((address) =>
    address.startsWith(namePrefix) ? namedSource(new URL(address.slice(namePrefix.length)), options) : fixedSource(address, options)
  );
  return {
    current: () => sources.length === 1 ? (sources[0] as Source).current() : sources.flatMap((source) => source.current()),
    close: () => sources.forEach((source) => source.close()),
  };
}

type Source = Peers;

function fixedSource(url: string, options: PeersOptions): Source {
  const connections = [connect(url, options)];
  return { current: () => connections, close: () => connections.forEach((connection) => connection.close()) };
}

function namedSource(url: URL, options: PeersOptions): Source {
  const { clock, lookup = addressesOf, removed } = options;
  const tls = options.tls && { serverName: url.hostname, ...options.tls };
  const known = new Map<string, { connection: Connection; forget?: () => void }>();
  let current: readonly Connection[] = [connect(url.origin, { ...options, tls })];
  let cancel: (() => void) | undefined;
  let closed = false;

  async function look(): Promise<void> {
    const found = await lookup(url.hostname).catch(() => []);
    if (closed) return;
    if (found.length > 0) take([...new Set(found)].sort().map((address) => urlOf(url, address)));
    cancel = clock.after(limits.rpcLookupMs, () => void look());
  }
  function take(urls: readonly string[]): void {
    const next = urls.map(connectionTo);
    if (next.length === current.length && next.every((connection, at) => connection === current[at])) return;
    const lost = current.filter((connection) => !next.includes(connection));
    current = next;
    lost.forEach(drop);
  }
  function connectionTo(one: string): Connection {
    const entry = known.get(one) ?? { connection: connect(one, { ...options, tls }) };
    entry.forget?.();
    known.set(one, { connection: entry.connection });
    return entry.connection;
  }
  /** It stays open for as long as a call may take; the process may get its name back until then. */
  function drop(connection: Connection): void {
    removed?.(connection);
    const forget = clock.after(limits.rpcDeadlineMsMax, () => {
      known.delete(connection.url);
      connection.close();
    });
    known.set(connection.url, { connection, forget });
  }
  void look();
  return {
    current: () => current,
    close() {
      closed = true;
      cancel?.();
      for (const connection of current) connection.close();
      for (const { connection, forget } of known.values()) {
        forget?.();
        connection.close();
      }
    },
  };
}

function connect(url: string, { tls, clock, unreachable }: Pick<PeersOptions, "tls" | "clock" | "unreachable">): Connection {
  const connection: Connection = openConnection({ url, tls, clock, unreachable: () => unreachable?.(connection) });
  return connection;
}

async function addressesOf(name: string): Promise<readonly string[]> {
  const found = await systemLookup(name, { all: true });
  return found.map(({ address }) => address);
}

function urlOf({ protocol, port }: URL, address: string): string {
  return `${protocol}//${address.includes(":") ? `[${address}]` : address}${port === "" ? "" : `:${port}`}`;
}
