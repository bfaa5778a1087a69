/** The port of a part: HTTP/2 and HTTP/1.1 on one port, in the clear or with certificates of both sides, closed gently. */
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  createServer as createHttp2Server,
  type Http2SecureServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { createServer as createHttpServer } from "../node-http.ts";
import type { Logger } from "../logger.ts";
import type { ServerTls } from "../mesh-config.ts";
import { quietSessions } from "./quiet-end.ts";

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

export interface ListenerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly tls?: ServerTls | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  handle(request: NodeRequest, response: NodeResponse): void;
}

export interface Listener {
  readonly port: number;
  /** Takes no connection and no stream more; what is under way goes on, and its connection ends after it. */
  drain(): void;
  /** Ends HTTP/1.1 connections that wait for another request; those of HTTP/2 end by themselves. */
  endIdle(): void;
  /** Resolves when all connections have ended, which those that last longer than `ms` are made to. */
  ended(clock: Clock, ms: number): Promise<void>;
}

/** Rejects with the system's error where the address cannot be had. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const quiet = quietSessions(options.clock);
  function end(session: ServerHttp2Session): void {
    if (quiet.has(session)) quiet.end(session, () => cut(session, sockets));
    else session.close();
  }
  const doors = options.tls ? secureDoors(options, options.tls) : clearDoors(options);
  const { server, inner, undecided } = doors;
  server.maxConnections = limits.connectionsMax;
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  doors.http2.on("stream", quiet.began);
  doors.http2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", (error) => options.logger.debug("rpc_session_failed", { code: codeOf(error) }));
    session.setTimeout(limits.rpcConnectionIdleMs, () => end(session));
    session.setLocalWindowSize(limits.rpcMessageBytesMax);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    drain() {
      server.close();
      // Closes its idle connections too
      inner?.close();
      for (const session of sessions) end(session);
      for (const socket of undecided) socket.destroy();
    },
    endIdle: () => inner?.closeIdleConnections(),
    async ended(clock, ms) {
      const cancel = clock.after(ms, () => sockets.forEach((socket) => socket.destroy()));
      await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
      cancel();
    },
  };
}

/** A session does not let its socket be ended, and sends GOAWAY when it is ended itself. */
function cut({ socket: { remotePort, remoteAddress } }: ServerHttp2Session, sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) if (isSamePeer(socket, { remotePort, remoteAddress })) socket.destroy();
}

function isSamePeer(a: Peer, b: Peer): boolean {
  return a.remotePort === b.remotePort && a.remoteAddress === b.remoteAddress;
}

type Peer = Pick<Socket, "remotePort" | "remoteAddress">;

interface Doors {
  readonly server: Server;
  readonly http2: Http2Server | Http2SecureServer;
  /** Where HTTP/1.1 has a server of its own. */
  readonly inner?: { close(): void; closeIdleConnections(): void };
  /** Connections that have not yet said what they speak: nothing was sent to them, so their callers know that nothing was done. */
  readonly undecided: ReadonlySet<Socket>;
}

const http2Limits = {
  settings: { maxConcurrentStreams: limits.rpcStreamsPerConnectionMax, enablePush: false, initialWindowSize: limits.rpcWindowBytes },
  maxHeaderListPairs: limits.rpcHeaderPairsMax,
  maxSessionMemory: limits.rpcSessionMegabytesMax,
  streamResetBurst: limits.rpcStreamResetsBurst,
  streamResetRate: limits.rpcStreamResetsPerSecond,
};

const http1Limits = {
  maxHeaderSize: limits.headerBytesMax,
  headersTimeout: limits.rpcFirstBytesMsMax,
  requestTimeout: limits.requestTimeoutMs,
  keepAliveTimeout: limits.keepAliveTimeoutMs,
  connectionsCheckingInterval: limits.rpcOverdueCheckMs,
};

/** A caller without a certificate of the authority does not get past the handshake, so nothing of HTTP is reached. */
function secureDoors({ handle, logger }: ListenerOptions, { ca, cert, key }: ServerTls): Doors {
  const undecided = new Set<Socket>();
  const server = createSecureServer({
    ...http2Limits,
    ...http1Limits,
    allowHTTP1: true,
    ca,
    cert,
    key,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.3",
    handshakeTimeout: limits.rpcFirstBytesMsMax,
  }, handle);
  server.on("connection", (socket: Socket) => {
    undecided.add(socket);
    socket.once("close", () => undecided.delete(socket));
  });
  // After the server's own listener, so an HTTP/2 session is there by then
  server.on("secureConnection", (socket) => {
    for (const under of undecided) if (isSamePeer(under, socket)) undecided.delete(under);
  });
  server.on("tlsClientError", (error) => logger.warn("rpc_handshake_refused", { code: codeOf(error) }));
  return { server, http2: server, undecided };
}

/** In the clear there is no handshake to choose by: the first bytes of HTTP/2 are its preface, "PRI". */
function clearDoors({ handle }: ListenerOptions): Doors {
  const http1 = createHttpServer(http1Limits, handle);
  // It never listens itself, and would start neither its timeouts nor its list of connections
  http1.emit("listening");
  const http2 = createHttp2Server(http2Limits, handle);
  const undecided = new Set<Socket>();
  const server = createSocketServer((socket) => {
    undecided.add(socket);
    socket.once("close", () => undecided.delete(socket));
    let first: Buffer | undefined;
    socket.setTimeout(limits.rpcFirstBytesMsMax, () => socket.destroy());
    socket.on("data", function look(chunk: Buffer) {
      first = first ? Buffer.concat([first, chunk]) : chunk;
      if (first.length < preface.length) return;
      undecided.delete(socket);
      socket.off("data", look);
      socket.setTimeout(0);
      socket.removeAllListeners("timeout");
      socket.pause();
      socket.unshift(first);
      const isHttp2 = first.toString("latin1", 0, preface.length) === preface;
      (isHttp2 ? http2 : http1).emit("connection", socket);
      if (!isHttp2) socket.resume();
    });
  });
  return { server, http2, inner: http1, undecided };
}

const preface = "PRI";

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
