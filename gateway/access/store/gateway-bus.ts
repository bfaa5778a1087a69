/** Short messages between gateways of an installation, over core NATS: to those that listen at the moment, stored nowhere. */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { connectJetStream, type ConnectOptions, type JetStreamConnection } from "../../../platform/log/jetstream-connection.ts";

export interface GatewayBus {
  /** Lost where NATS cannot be reached. Never throws. */
  publish(subject: string, body: Uint8Array): void;
  /** The returned function stops it. */
  subscribe(subject: string, callback: (body: Uint8Array) => void): () => void;
  /** The first try to connect is over. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

/** Connects in the background, for as long as that takes: without NATS gateways still serve. */
export function connectGatewayBus(nats: ConnectOptions, clock: Clock): GatewayBus {
  const listeners = new Set<Listener>();
  let closed = false;
  let cancelRetry: (() => void) | undefined;
  let connection: JetStreamConnection | undefined;

  async function connect(): Promise<void> {
    try {
      connection = await connectJetStream(nats);
      for (const listener of listeners) listen(connection, listener);
    } catch {
      // Tried again, and reported by the parts that need NATS for more than this
      if (closed) return;
      cancelRetry = clock.after(limits.logConnectMs, () => {
        trying = connect();
      });
    }
  }

  const tried = connect();
  let trying = tried;
  return {
    tried,
    publish(subject, body) {
      // What is published while the server is away may be sent much later
      if (connection?.up) connection.publish(subject, body);
    },
    subscribe(subject, callback) {
      const listener: Listener = { subject, callback };
      listeners.add(listener);
      if (connection) listen(connection, listener);
      return () => {
        listeners.delete(listener);
        listener.stop?.();
      };
    },
    async close() {
      closed = true;
      cancelRetry?.();
      await trying;
      await connection?.close();
    },
  };
}

interface Listener {
  readonly subject: string;
  readonly callback: (body: Uint8Array) => void;
  stop?: () => void;
}

function listen(connection: JetStreamConnection, listener: Listener): void {
  listener.stop = connection.subscribe(listener.subject, ({ data }) => listener.callback(data));
}
