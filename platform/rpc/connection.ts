/** What calls to one address go over: the Connect protocol on an HTTP/2 connection. */
import type { Buffer } from "node:buffer";
import type { Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { Session } from "./session.ts";

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
  unreachable(): void;
}

/** Connect's own framing costs half of what gRPC's does. */
export function openConnection({ url, tls, clock, unreachable }: ConnectionOptions): Connection {
  const settings = {
    settings: { enablePush: false, initialWindowSize: limits.rpcWindowBytes },
    maxSessionMemory: limits.rpcSessionMegabytesMax,
    ...(tls && { ca: tls.ca, cert: tls.cert, key: tls.key, minVersion: "TLSv1.3" as const }),
    ...(tls?.serverName !== undefined && { servername: tls.serverName }),
  };
  const session = new Session({ url, settings, clock, unreachable });
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "2",
    sessionManager: session,
    acceptCompression: [],
    readMaxBytes: limits.rpcMessageBytesMax,
    writeMaxBytes: limits.rpcMessageBytesMax,
  });
  return { url, transport, close: () => session.abort() };
}
