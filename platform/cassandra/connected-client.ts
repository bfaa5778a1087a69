/** A client of the driver that is there when it is needed: one that failed to connect stays unusable, so the next call gets another. */
import cassandra, { type ClientOptions } from "cassandra-driver";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { type ControlConnection, refreshOneAtATime } from "./control-connection.ts";
import { type CountedHost, countOnDemand } from "./response-count.ts";

/** A node that comes back at another address, as a pod does, is one that goes and one that is added. */
const nodeChanges = ["hostDown", "hostUp", "hostAdd", "hostRemove"] as const;

export interface ConnectedClient {
  /** Connects the first time. Once it has, the driver connects again by itself. Rejects as the driver does. */
  get(): Promise<cassandra.Client>;
  /** Resolves when the connections are closed, or at the latest after `cassandraCloseMsMax`. */
  close(): Promise<void>;
}

/** `onNodeChange` hears whenever a node came or went, before anything is sent to one that came. */
export function connectedClient(options: () => ClientOptions, clock: Clock, onNodeChange: () => void): ConnectedClient {
  let connecting: Promise<cassandra.Client> | undefined;

  async function connect(): Promise<cassandra.Client> {
    const client = new cassandra.Client(options());
    refreshOneAtATime((client as cassandra.Client & { readonly controlConnection: ControlConnection }).controlConnection);
    for (const change of nodeChanges) client.on(change, onNodeChange);
    client.on("hostAdd", (host) => countOnDemand(host as CountedHost, clock));
    try {
      await client.connect();
      for (const host of client.hosts.values()) countOnDemand(host as unknown as CountedHost, clock);
      return client;
    } catch (error) {
      connecting = undefined;
      client.shutdown().catch(() => {});
      throw error;
    }
  }

  return {
    get: () => connecting ??= connect(),
    async close() {
      const open = connecting?.then((client) => client.shutdown(), () => {});
      const late = Promise.withResolvers<void>();
      const cancel = clock.after(limits.cassandraCloseMsMax, late.resolve);
      await Promise.race([open, late.promise]);
      cancel();
    },
  };
}
