/** One HTTP/2 connection at a time to one address: opened when needed, watched by pings, replaced when it ends. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";
import { connect as connectSocket, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { noStreams, quietHeaders } from "./quiet-end.ts";
import { notSent } from "./refusal-wire.ts";

export interface SessionOptions {
  /** `http://host:port` or `https://host:port`. */
  readonly url: string;
  readonly settings: SecureClientSessionOptions;
  readonly clock: Clock;
  /** No connection could be had, whether or not a call still waits for it. */
  unreachable(): void;
}

/**
 * A call is sent only after the other side said its first word, its SETTINGS. A server that hangs, that does not like
 * our certificate or that is none at all takes connections too; so whatever fails before that word was certainly not
 * sent, and may go elsewhere.
 */
export class Session {
  readonly authority: string;
  readonly #options: SessionOptions;
  #current: Promise<ClientHttp2Session> | undefined;
  #live: { readonly session: ClientHttp2Session; readonly socket: Socket } | undefined;
  readonly #heard = new WeakSet<ClientHttp2Session>();
  readonly #streams = new WeakMap<ClientHttp2Session, number>();

  constructor(options: SessionOptions) {
    this.authority = new URL(options.url).origin;
    this.#options = options;
  }

  async request(method: string, path: string, headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream> {
    try {
      const session = await (this.#current ??= this.#open());
      const stream = session.request({ ...headers, ...quietHeaders, ":method": method, ":path": path });
      this.#hold(session, stream);
      return stream;
    } catch (error) {
      throw notSent(error);
    }
  }

  notifyResponseByteRead({ session }: ClientHttp2Stream): void {
    if (session) this.#heard.add(session as ClientHttp2Session);
  }

  /** Ends the connection and the calls on it. */
  abort(): void {
    this.#current = undefined;
    this.#live?.socket.destroy();
  }

  async #open(): Promise<ClientHttp2Session> {
    const { clock, settings, unreachable } = this.#options;
    const socket = openSocket(new URL(this.authority), settings);
    const session = connect(this.authority, { ...settings, createConnection: () => socket });
    this.#live = { session, socket };
    const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Session>();
    const cancel = clock.after(limits.rpcConnectMsMax, () => socket.destroy(new Error("The connection did not open in time")));
    const retire = () => this.#retire(session);
    session.on("remoteSettings", ({ maxConcurrentStreams }) => {
      if (maxConcurrentStreams !== noStreams) return;
      retire();
      reject(new Error("The other side takes no calls"));
    });
    session.once("remoteSettings", () => {
      session.unref();
      resolve(session);
    });
    session.on("error", reject);
    socket.prependListener("error", (error) => {
      reject(error);
      // After a GOAWAY Node would end the calls without an error, and their callers would not hear of it
      session.destroy(error, constants.NGHTTP2_CANCEL);
    });
    session.once("goaway", retire);
    session.once("close", () => {
      retire();
      reject(new Error("The connection closed before the other side said a word"));
    });
    try {
      const opened = await promise;
      this.#watch(opened, socket);
      return opened;
    } catch (error) {
      retire();
      unreachable();
      throw error;
    } finally {
      cancel();
    }
  }

  /** Calls on it may finish; the next one opens another. */
  #retire(session: ClientHttp2Session): void {
    if (this.#live?.session !== session) return;
    this.#live = undefined;
    this.#current = undefined;
  }

  /** The process stays alive for calls under way and for nothing else. */
  #hold(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
    const streams = (this.#streams.get(session) ?? 0) + 1;
    this.#streams.set(session, streams);
    if (streams === 1) session.ref();
    stream.once("close", () => {
      const left = (this.#streams.get(session) ?? 1) - 1;
      this.#streams.set(session, left);
      if (left === 0) session.unref();
    });
  }

  /** Asks for a sign of life where there was none, and gives up what gives none: a partition closes no socket. */
  #watch(session: ClientHttp2Session, socket: Socket): void {
    const { clock } = this.#options;
    clock.after(limits.rpcPingIntervalMs, () => {
      if (session.destroyed || session.closed) return;
      if (this.#heard.delete(session)) return this.#watch(session, socket);
      const cancel = clock.after(limits.rpcPingTimeoutMs, () => socket.destroy(new Error("The connection gives no sign of life")));
      session.ping(() => {
        cancel();
        this.#watch(session, socket);
      });
    });
  }
}

/** A session does not let its socket be ended, and sends GOAWAY when it is ended itself (see quiet-end.ts): so it gets one of ours. */
function openSocket({ protocol, hostname, port }: URL, settings: SecureClientSessionOptions): Socket {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "http:") return connectSocket({ host, port: Number(port || 80) });
  const servername = settings.servername ?? (isIP(host) ? "" : host);
  return connectTls({ ...settings, host, port: Number(port || 443), servername, ALPNProtocols: ["h2"] });
}
