/** One request and its one answer on a socket: the body counted as it comes, the answer written once, the connection's end. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import { Refusal } from "../platform/refusal.ts";
import { ClientGone, type HttpAnswer, type RequestHeaders } from "./http-message.ts";

export interface Exchange {
  /** On the clock's monotonic time. */
  readonly startedAt: number;
  /** An answer was given; it may still be on its way. */
  readonly answered: boolean;
  /** The answer is out or the socket is gone. */
  readonly closed: boolean;
  /** The whole request has arrived. */
  complete(): boolean;
  /** See HttpRequest.readBody. */
  readBody(headers: RequestHeaders, bytesMax: number): Promise<Uint8Array>;
  /** Writes the answer; the second and later calls change nothing. */
  send(answer: HttpAnswer): void;
  /** As send, where the parser has given up and no more of the request will come. */
  sendLast(answer: HttpAnswer): void;
  /** Lets the connection end with this exchange. */
  closeAfter(): void;
}

/** What all exchanges of a server share. */
export interface SharedTraffic {
  readonly exchanges: Set<Exchange>;
  /** Bytes of bodies held by requests in flight. */
  bodyBytes: number;
  /** No connection is used again. */
  draining: boolean;
}

interface Opening {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly expects?: "continue" | "unknown";
  readonly requestId: string;
  readonly traffic: SharedTraffic;
  readonly clock: Clock;
}

export function openExchange(opening: Opening): Exchange {
  const { message, response, traffic } = opening;
  const state: State = { opening, startedAt: opening.clock.monotonic(), answered: false, closed: false, closing: false, bytesHeld: 0 };
  const exchange: Exchange = {
    startedAt: state.startedAt,
    get answered() {
      return state.answered;
    },
    get closed() {
      return state.closed;
    },
    complete: () => message.complete,
    readBody: (headers, bytesMax) => readBody(state, headers, bytesMax),
    send: (answer) => send(state, answer, !message.complete),
    sendLast: (answer) => send(state, { ...answer, close: true }, false),
    closeAfter() {
      state.closing = true;
    },
  };
  traffic.exchanges.add(exchange);
  message.on("error", ignore);
  response.on("error", ignore);
  response.on("close", () => {
    state.closed = true;
    traffic.exchanges.delete(exchange);
    traffic.bodyBytes -= state.bytesHeld;
    // Asked for after the head with `keep-alive` was out
    if (state.closing) message.socket.destroySoon();
  });
  return exchange;
}

interface State {
  readonly opening: Opening;
  readonly startedAt: number;
  answered: boolean;
  closed: boolean;
  closing: boolean;
  /** Of the body, counted in traffic.bodyBytes. */
  bytesHeld: number;
}

function readBody(state: State, headers: RequestHeaders, bytesMax: number): Promise<Uint8Array> {
  const { message, response, traffic, expects } = state.opening;
  if (Number(headers.get("content-length") ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax));
  if (traffic.bodyBytes > limits.bodyBytesInFlightMax) return Promise.reject(new Refusal("OVERLOADED"));
  if (expects === "continue") response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    function onData(chunk: Uint8Array): void {
      state.bytesHeld += chunk.length;
      traffic.bodyBytes += chunk.length;
      if (state.bytesHeld <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      message.off("data", onData);
      chunks.length = 0;
      reject(tooLarge(bytesMax));
    }
    message.on("data", onData);
    message.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)));
    message.once("close", () => {
      if (!message.complete) reject(new ClientGone("The client hung up"));
    });
  });
}

function send(state: State, answer: HttpAnswer, bodyLeft: boolean): void {
  if (state.answered) return;
  state.answered = true;
  const { message, response, traffic, requestId } = state.opening;
  if (response.destroyed || message.socket.destroyed) return;
  const close = state.closing || answer.close === true || traffic.draining || bodyLeft;
  state.closing = close;
  response.writeHead(answer.status, headersOf(answer, requestId, close));
  if (bodyLeft) linger(state, answer.body);
  else response.end(answer.body);
}

function headersOf(answer: HttpAnswer, requestId: string, close: boolean): string[] {
  const { body } = answer;
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  const headers = ["Content-Type", "application/json", "X-Request-Id", requestId, "Cache-Control", "no-store", "Content-Length", String(bytes)];
  for (const part of answer.headers) headers.push(part);
  if (close) headers.push("Connection", "close");
  return headers;
}

/**
 * The client still sends. Closing at once would reset the connection and could take the answer with it, so the whole
 * answer is written, some more of the body is thrown away, and the connection ends a little later.
 */
function linger(state: State, body: string | Uint8Array): void {
  const { message, response, clock } = state.opening;
  let left = limits.lingerBytesMax;
  response.write(body);
  message.on("data", (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) message.pause();
  });
  message.resume();
  const cancel = clock.after(limits.lingerMs, () => response.end());
  message.once("end", () => response.end());
  message.once("close", () => response.end());
  response.once("close", cancel);
}

function tooLarge(bytesMax: number): Refusal {
  return new Refusal("BODY_TOO_LARGE", `The request body may not be larger than ${bytesMax} bytes`);
}

/** The socket's end is what counts, and "close" tells of it. */
function ignore(): void {}
