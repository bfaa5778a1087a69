/** The connection to one address: opened when needed, given up when it does not open in time, watched by pings. */
import type { Buffer } from "node:buffer";
import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { notSent } from "./refusal-wire.ts";

/** PEM texts: the authority that the server's certificate must come from, and this side's own. */
export interface ClientTls {
  readonly ca: string | Buffer;
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** The name that the server's certificate must have, where it is not the host of the address. */
  readonly serverName?: string;
}

export interface Connection {
  readonly url: string;
  readonly transport: Transport;
  close(): void;
}

export interface ConnectionOptions {
  /** `http://host:port`, or `https://` with `tls`. */
  readonly url: string;
  readonly tls: ClientTls | undefined;
  readonly clock: Clock;
  /** The address could not be reached, whether or not a call still waits for it. */
  unreachable(): void;
}

/** Speaks the Connect protocol over HTTP/2, which costs half of what gRPC's framing does. */
export function openConnection(options: ConnectionOptions): Connection {
  const { url, tls } = options;
  const manager = new Http2SessionManager(url, {
    pingIntervalMs: limits.rpcPingIntervalMs,
    pingTimeoutMs: limits.rpcPingTimeoutMs,
    idleConnectionTimeoutMs: limits.rpcConnectionIdleMs,
  }, {
    settings: { enablePush: false, initialWindowSize: limits.rpcWindowBytes },
    maxSessionMemory: limits.rpcSessionMegabytesMax,
    ...(tls && { ca: tls.ca, cert: tls.cert, key: tls.key, minVersion: "TLSv1.3" }),
    ...(tls?.serverName !== undefined && { servername: tls.serverName }),
  });
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "2",
    sessionManager: new MarkingSession(manager, options),
    acceptCompression: [],
    readMaxBytes: limits.rpcMessageBytesMax,
    writeMaxBytes: limits.rpcMessageBytesMax,
  });
  return { url, transport, close: () => manager.abort() };
}

/** Marks the calls that never left, so that they can be repeated elsewhere whatever they are. */
class MarkingSession {
  readonly authority: string;
  readonly #inner: Http2SessionManager;
  readonly #options: ConnectionOptions;
  #cancelTimer: (() => void) | undefined;

  constructor(inner: Http2SessionManager, options: ConnectionOptions) {
    this.authority = inner.authority;
    this.#inner = inner;
    this.#options = options;
  }

  notifyResponseByteRead(stream: ClientHttp2Stream): void {
    this.#inner.notifyResponseByteRead(stream);
  }

  async request(method: string, path: string, headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream> {
    const state = this.#inner.state();
    const open = state === "open" || state === "idle";
    if (!open) this.#startTimer();
    try {
      const stream = await this.#inner.request(method, path, headers, {});
      if (!open) this.#endTimer();
      return stream;
    } catch (error) {
      this.#endTimer();
      this.#options.unreachable();
      throw notSent(error);
    }
  }

  /** One for all calls that wait for the same connection. */
  #startTimer(): void {
    this.#cancelTimer ??= this.#options.clock.after(limits.rpcConnectMsMax, () => {
      this.#cancelTimer = undefined;
      this.#options.unreachable();
      this.#inner.abort(new ConnectError("The connection did not open in time", Code.Unavailable));
    });
  }

  #endTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
