/** What a request and an answer are to the gateway, and the checks of a request's head that Node leaves to us. */
import type { IncomingMessage } from "node:http";
import { namesTag } from "../../platform/entity-tag.ts";
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { SlotOf } from "./request-slots.ts";

/** One request after its head was checked; the body is read by `readBody` alone. */
export interface HttpRequest extends RequestHead {
  /** The client's own X-Request-Id, or one of ours. */
  readonly requestId: string;
  /** Address of the socket's other end. */
  readonly remoteAddress: string;
  /** Aborts when the client hangs up before it has its answer. */
  readonly hungUp: AbortSignal;
  /** Until the request has its answer. Throws OVERLOADED where more are answered than the process takes. */
  takeSlot(of: SlotOf): void;
  /** Reads the body once. Throws BODY_TOO_LARGE before the first byte where Content-Length says so, OVERLOADED, or ClientGone. */
  readBody(bytesMax: number): Promise<Uint8Array>;
}

export interface RequestHead {
  readonly method: string;
  /** The target up to `?`, as sent: case and percent signs are kept. */
  readonly path: string;
  /** The target after `?`, as sent; empty without one. */
  readonly query: string;
  readonly headers: RequestHeaders;
}

/** Names in lower case. A header that may be sent once only is here once; others are joined with ", ". */
export type RequestHeaders = ReadonlyMap<HeaderName, string>;

/** Headers that the gateway reads; each has its bound, and no other is passed on. */
export type HeaderName = keyof typeof limits.headerCharsMax;

export interface HttpAnswer {
  readonly status: number;
  /** Names and values in turn, beside those that every answer has. */
  readonly headers: readonly string[];
  /** JSON unless `contentType` says otherwise; bytes are sent as they are. */
  readonly body: string | Uint8Array;
  readonly contentType?: string;
  /** `no-store` unless it says otherwise. */
  readonly cacheControl?: string;
  /** The connection is not used again. */
  readonly close?: boolean;
  /** In place of a body: what is written as it comes. The function that it returns is called once, when the answer has ended. */
  readonly stream?: (out: AnswerStream) => () => void;
}

/** An answer that goes on until the gateway ends it, or the client goes. */
export interface AnswerStream {
  /** How much was written, in characters, since the client last had taken all: it fills our memory. */
  readonly waiting: number;
  write(text: string): void;
  end(): void;
}

/** The client hung up and gets no answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";

  constructor() {
    super("The client hung up");
  }
}

/** Options of calls that only read: their answer is not needed once the client has hung up. Empty where the request may write. */
export interface Reading {
  readonly signal?: AbortSignal;
}

/** The call that a read made was stopped because its client hung up: its refusal is no answer, and no client waits for one. */
export function wasStopped(error: unknown, { hungUp }: Pick<HttpRequest, "hungUp">): boolean {
  return error instanceof Refusal && error.reason === "DEADLINE_EXCEEDED" && hungUp.aborted;
}

/**
 * The head of a request, or a Refusal after which the connection must be closed (RFC 9112 sections 3.2 and 6, and what both
 * runtimes let through: two Host headers, HTTP/0.9 and 2.0 request lines, other codings before `chunked`).
 * HTTP/1.0 is served, because proxies speak it, but without transfer codings.
 */
export function readHead(message: IncomingMessage): RequestHead | Refusal {
  const { httpVersion, method = "", url = "", rawHeaders } = message;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return malformed("The HTTP version must be 1.1 or 1.0");
  if (rawHeaders.length > limits.headersMax * 2) {
    return new Refusal("HEADERS_TOO_LARGE", `A request has at most ${limits.headersMax} headers`);
  }
  const headers = readHeaders(rawHeaders);
  if (headers instanceof Refusal) return headers;
  if (httpVersion === "1.1" && !headers.has("host")) return malformed("The header 'host' is required");
  const framing = framingProblem({ httpVersion, method, headers });
  if (framing !== undefined) return malformed(framing);
  if (url.charCodeAt(0) === slash) return { method, ...splitTarget(url), headers };
  const [origin, host] = absoluteForm.exec(url) ?? [];
  if (origin === undefined) return malformed("The request target must be a path that starts with '/', or a URL of http or https");
  return { method, ...splitTarget(url.slice(origin.length)), headers: new Map(headers).set("host", host ?? "") };
}

/** Proxies send it; its host counts in place of the header's (RFC 9112 section 3.2.2). User information is refused (RFC 9110 section 4.2.4). */
const absoluteForm = /^https?:\/\/((?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?)(?=[/?]|$)/i;

function splitTarget(target: string): Pick<RequestHead, "path" | "query"> {
  const mark = target.indexOf("?");
  return mark < 0 ? { path: target || "/", query: "" } : { path: target.slice(0, mark) || "/", query: target.slice(mark + 1) };
}

/** The client's request id where it is one that may stand in a header and a log line; else undefined. */
export function clientRequestId(headers: RequestHeaders): string | undefined {
  const id = headers.get("x-request-id");
  return id !== undefined && id.length > 0 && id.length <= limits.requestIdCharsMax && isPrintableAscii(id) ? id : undefined;
}

/** True where If-None-Match names the version. */
export function isKnownVersion(headers: RequestHeaders, etag: string): boolean {
  return namesTag(headers.get("if-none-match") ?? "", etag);
}

export function isPrintableAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

const slash = 0x2f;

/** Headers whose second line could make two readers of one request disagree. */
const onceOnly = new Set([
  "host",
  "authorization",
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "expect",
  "idempotency-key",
  "x-request-id",
  "x-heddle-position",
]);

const charsMax: ReadonlyMap<string, number> = new Map(Object.entries(limits.headerCharsMax));

/** The headers that are read, or why they are not taken. */
function readHeaders(raw: readonly string[]): RequestHeaders | Refusal {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    const max = charsMax.get(name);
    if (max === undefined) continue;
    const earlier = headers.get(name);
    if (earlier !== undefined && onceOnly.has(name)) return malformed(`The header '${name}' may be sent once only`);
    const value = earlier === undefined ? raw[at + 1] as string : `${earlier}, ${raw[at + 1]}`;
    if (value.length > max) return new Refusal("HEADERS_TOO_LARGE", `The header '${name}' may have at most ${max} characters`);
    headers.set(name, value);
  }
  return headers as RequestHeaders;
}

function framingProblem(head: { httpVersion: string; method: string; headers: RequestHeaders }): string | undefined {
  const coding = head.headers.get("transfer-encoding");
  const length = head.headers.get("content-length");
  if (coding !== undefined) {
    if (head.httpVersion === "1.0") return "HTTP/1.0 has no transfer codings";
    if (coding.toLowerCase() !== "chunked") return "The only transfer coding is 'chunked'";
    if (length !== undefined) return "Content-Length and Transfer-Encoding exclude each other";
  }
  const bodyless = head.method === "GET" || head.method === "HEAD";
  if (bodyless && (coding !== undefined || (length !== undefined && length !== "0"))) {
    return `A ${head.method} request has no body: send it without a body`;
  }
  return undefined;
}

function malformed(text: string): Refusal {
  return new Refusal("REQUEST_MALFORMED", text);
}
