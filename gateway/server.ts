/** HTTP in, HTTP out over node:http: limits, timeouts, malformed requests, draining. Knows no route by name. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, Server as SocketServer } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers";
import type { Clock } from "../platform/clock.ts";
import { createGate } from "../platform/gate.ts";
import { limits } from "../platform/limits.ts";
import type { Logger } from "../platform/logger.ts";
import { createServer } from "../platform/node-http.ts";
import { Refusal } from "../platform/refusal.ts";
import { Exchange, type SocketUse, type Traffic } from "./http/exchange.ts";
import { unknownLimitHeaders } from "./guards/spend.ts";
import {
  ClientGone,
  clientRequestId,
  type HttpAnswer,
  type HttpRequest,
  readHead,
  type RequestHead,
  type RequestHeaders,
} from "./http/http-message.ts";
import { RequestSlots, type SlotOf } from "./http/request-slots.ts";
import { rawAnswer } from "./render/raw-answer.ts";
import { faultAnswer, refusalAnswer } from "./render/refusal-rest.ts";

export interface HttpServer {
  /** Starts to accept; `url` has the port that was given out where 0 was asked for. Throws when the address is taken. */
  listen(): Promise<{ url: string }>;
  /** How many requests are not answered yet. */
  inFlight(): number;
  /**
   * From now on the newest answer on each connection says `Connection: close`. After `leaveMs` it stops accepting, finishes what is in
   * flight, closes what is idle, and cuts what is left after `drainMsMax`.
   */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** How long it still accepts when it is asked to close. */
  readonly leaveMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An id for a request that brings none. */
  readonly newRequestId: () => string;
  /** Answers one request. What it throws is a fault. */
  readonly answer: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Hears of answers that `answer` did not give: to what is no request, or came too late. */
  readonly answeredAlone?: (status: number) => void;
}

export function openServer(options: ServerOptions): HttpServer {
  const traffic: Traffic = {
    inFlight: [],
    slots: new RequestSlots(),
    bodyBytes: 0,
    answersWaiting: 0,
    unfolding: createGate(limits.bodiesUnfoldingMax),
    draining: false,
  };
  const server = createServer({
    maxHeaderSize: limits.requestHeadBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.overdueCheckMs,
    // readHead() says it in JSON
    requireHostHeader: false,
  });
  // 0: none is dropped in silence (a second Host might be among them); readHead() counts
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connectionsMax;
  server.timeout = limits.socketIdleMs;
  const deps: Deps = { options, traffic, sockets: new Map(), sweeping: false };
  server.on("request", (message, response) => take(deps, { message, response }));
  server.on("checkContinue", (message, response) => take(deps, { message, response, expects: "continue" }));
  server.on("checkExpectation", (message, response) => take(deps, { message, response, expects: "unknown" }));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuseMalformed(deps, error, socket));
  server.on("connect", (_message, socket) => endRaw(deps, socket, new Refusal("REQUEST_MALFORMED", "CONNECT is not supported")));
  return {
    inFlight: () => traffic.inFlight.filter(({ answered }) => !answered).length,
    listen: () => listen(server, options),
    async close() {
      traffic.draining = true;
      if (server.listening && options.leaveMs > 0) await new Promise<void>((left) => void options.clock.after(options.leaveMs, left));
      await drain(server, options, traffic);
    },
  };
}

interface Deps {
  readonly options: ServerOptions;
  readonly traffic: Traffic;
  readonly sockets: Map<Duplex, SocketUse>;
  /** A look for overdue answers is due. */
  sweeping: boolean;
}

interface Arrival {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly expects?: "continue" | "unknown";
}

function take(deps: Deps, arrival: Arrival): void {
  const { options, traffic } = deps;
  const head = readHead(arrival.message);
  const requestId = (head instanceof Refusal ? undefined : clientRequestId(head.headers)) ?? options.newRequestId();
  const socket = arrival.message.socket;
  const use = useOf(deps, socket);
  const exchange = new Exchange({ ...arrival, requestId, use }, traffic, options.clock);
  if (use.ending) return exchange.passOver();
  if (use.count >= limits.requestsPerSocketMax) exchange.closeAfter();
  if (head instanceof Refusal) return exchange.send(refused(deps, head));
  if (arrival.expects === "unknown") return exchange.send(refused(deps, new Refusal("EXPECTATION_FAILED")));
  watchOverdue(deps);
  void serve(deps, exchange, new ArrivedRequest(exchange, head, { requestId, remoteAddress: socket.remoteAddress ?? "" }));
}

/** Not an object with a getter of its own: V8 would keep what describes its form, and with it the whole exchange, until it collects old objects. */
class ArrivedRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly #exchange: Exchange;

  constructor(
    exchange: Exchange,
    { method, path, query, headers }: RequestHead,
    { requestId, remoteAddress }: Pick<HttpRequest, "requestId" | "remoteAddress">,
  ) {
    this.#exchange = exchange;
    this.method = method;
    this.path = path;
    this.query = query;
    this.headers = headers;
    this.requestId = requestId;
    this.remoteAddress = remoteAddress;
  }

  get hungUp(): AbortSignal {
    return this.#exchange.hungUp;
  }

  takeSlot(of: SlotOf): void {
    this.#exchange.takeSlot(of);
  }

  readBody(bytesMax: number): Promise<Uint8Array> {
    return this.#exchange.readBody(this.headers, bytesMax);
  }
}

async function serve({ options }: Deps, exchange: Exchange, request: HttpRequest): Promise<void> {
  try {
    exchange.send(await options.answer(request));
  } catch (error) {
    if (error instanceof ClientGone) return;
    options.logger.error("request_failed", error, { requestId: request.requestId });
    exchange.send(faultAnswer(request.requestId, unknownLimitHeaders));
  }
}

function useOf(deps: Deps, socket: Duplex): SocketUse {
  const known = deps.sockets.get(socket);
  if (known !== undefined) return known;
  const use: SocketUse = { count: 0, newest: undefined, ending: false };
  deps.sockets.set(socket, use);
  socket.once("close", () => endAllOn(deps, socket));
  return use;
}

/** After the `close` events that the socket itself causes: what is still in flight on it got none. */
function endAllOn({ sockets, traffic }: Deps, socket: Duplex): void {
  const newest = sockets.get(socket)?.newest;
  sockets.delete(socket);
  setImmediate(() => {
    // Requests of a socket are answered in order, so none is in flight where the newest is not
    if (newest?.closed) return;
    for (const exchange of traffic.inFlight.filter((one) => one.isOn(socket))) exchange.hangUp();
  });
}

/** Answers requests that got no answer in time, so that a lost call cannot hold its place for ever. */
function watchOverdue(deps: Deps): void {
  const { clock } = deps.options;
  if (deps.sweeping) return;
  deps.sweeping = true;
  clock.after(limits.overdueCheckMs, () => {
    deps.sweeping = false;
    const startedBefore = clock.monotonic() - limits.answerMsMax;
    for (const exchange of deps.traffic.inFlight.filter(({ startedAt, answered }) => startedAt < startedBefore && !answered)) {
      const late = new Refusal("DEADLINE_EXCEEDED", "The answer did not come in time; a write may or may not have happened");
      exchange.send(refused(deps, late));
    }
    const unreadSince = clock.monotonic() - limits.socketIdleMs;
    for (const exchange of deps.traffic.inFlight) exchange.cutUnread(unreadSince);
    if (deps.traffic.inFlight.length > 0) watchOverdue(deps);
  });
}

/**
 * The parser gave up on a socket. A request that was complete before the malformed bytes still gets its own answer, a
 * request that broke off in its body is refused through its response, and only otherwise is the bare socket written to:
 * so there are never two answers to one request.
 */
function refuseMalformed(deps: Deps, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = new Refusal(reasonOf(error.code));
  const newest = deps.sockets.get(socket)?.newest;
  if (newest === undefined || newest.closed) endRaw(deps, socket, refusal);
  else if (newest.answered || newest.complete) newest.closeAfter();
  else newest.sendLast(refused(deps, refusal));
}

/** Sent where neither caller nor route is known, or the route has not answered. */
function refused({ options }: Deps, refusal: Refusal): HttpAnswer {
  const answer = refusalAnswer(refusal, "rest", unknownLimitHeaders);
  options.answeredAlone?.(answer.status);
  return answer;
}

function reasonOf(code: string | undefined): "HEADERS_TOO_LARGE" | "REQUEST_TIMEOUT" | "REQUEST_MALFORMED" {
  if (code === "HPE_HEADER_OVERFLOW") return "HEADERS_TOO_LARGE";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "REQUEST_TIMEOUT" : "REQUEST_MALFORMED";
}

function endRaw(deps: Deps, socket: Duplex, refusal: Refusal): void {
  const { clock, newRequestId } = deps.options;
  socket.on("error", () => socket.destroy());
  socket.end(rawAnswer(refused(deps, refusal), newRequestId(), clock.now()));
  const cancel = clock.after(limits.lingerMs, () => socket.destroy());
  socket.once("close", cancel);
}

function listen(server: Server, options: ServerOptions): Promise<{ url: string }> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port, host: options.host, backlog: limits.listenBacklog }, () => {
      server.off("error", reject);
      server.on("error", (error) => options.logger.error("server_error", error));
      const { address, family, port } = server.address() as AddressInfo;
      resolve({ url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}` });
    });
  });
}

/**
 * Not http.Server.close(): that closes idle connections at once, and with them requests that have arrived but are not read
 * yet. Those get their answer, with `Connection: close`, before connections that stay idle are closed.
 */
function drain(server: Server, options: ServerOptions, traffic: Traffic): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = options.clock.after(limits.drainMsMax, () => {
      options.logger.warn("drain_deadline_passed", { requests: traffic.inFlight.length });
      server.closeAllConnections();
    });
    const cancelIdle = options.clock.after(limits.drainIdleMs, () => server.closeIdleConnections());
    SocketServer.prototype.close.call(server, () => {
      cancel();
      cancelIdle();
      resolve();
    });
  });
}
