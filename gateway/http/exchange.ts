/** One request and its one answer on a socket: the body counted as it comes, the answer written once, the connection's end. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../../platform/clock.ts";
import type { Gate } from "../../platform/gate.ts";
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import { BodyPieces } from "./body-pieces.ts";
import { bodyCodingOf, decodeBody } from "./decode-body.ts";
import { ClientGone, type HttpAnswer, type RequestHeaders } from "./http-message.ts";
import type { RequestSlots, SlotOf } from "./request-slots.ts";

/** What all exchanges of a server share. */
export interface Traffic {
  /** In no order; each knows its own place. A Set would make a new table every few requests, and those outlive their entries. */
  readonly inFlight: Exchange[];
  readonly slots: RequestSlots;
  /** Bytes of bodies held by requests in flight. */
  bodyBytes: number;
  /** Answers that have waited behind others on their connections since they were given. */
  answersWaiting: number;
  /** Bodies that are being decompressed, and those that wait for it. */
  readonly unfolding: Gate;
  /** No connection is used again after what has arrived on it. */
  draining: boolean;
}

/** What a connection has carried. */
export interface SocketUse {
  /** Requests so far. */
  count: number;
  newest: Exchange | undefined;
  /** It ends with a request that has come: none that comes behind it is carried out (RFC 9112 section 9.6). */
  ending: boolean;
}

interface Opening {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly expects?: "continue" | "unknown";
  readonly requestId: string;
  readonly use: SocketUse;
}

/** A class, not a function that returns an object: there is one a request, and methods cost nothing to make. */
export class Exchange {
  /** On the clock's monotonic time. */
  readonly startedAt: number;
  /** An answer was given; it may still be on its way. */
  answered = false;
  /** The answer is out or the socket is gone. */
  closed = false;
  readonly #opening: Opening;
  readonly #traffic: Traffic;
  readonly #clock: Clock;
  #place: number;
  /** The connection ends with this exchange. */
  #closing = false;
  #slotOf: SlotOf | undefined;
  /** Counted in traffic.answersWaiting. */
  #waits = false;
  /** Of the body, counted in traffic.bodyBytes. */
  #bytesHeld = 0;
  /** When the client last took some of the answer, on the monotonic time. */
  #movedAt = 0;
  /** The body as far as it has come, while it is waited for. Nothing else refers to it: it is let go with the answer. */
  #awaited: { readonly pieces: BodyPieces; resolve(body: Uint8Array): void; reject(why: Error): void } | undefined;
  /** Made on first use: most requests are writes, which go on. */
  #hungUp: AbortController | undefined;
  /** Called when an answer that is written as it comes has ended. */
  #streamEnded: (() => void) | undefined;

  constructor(opening: Opening, traffic: Traffic, clock: Clock) {
    this.#opening = opening;
    this.#traffic = traffic;
    this.#clock = clock;
    this.startedAt = clock.monotonic();
    this.#place = traffic.inFlight.push(this) - 1;
    opening.use.count += 1;
    opening.use.newest = this;
    opening.message.on("error", ignore);
    opening.response.on("error", ignore);
    opening.response.on("close", () => this.#end());
  }

  /** The whole request has arrived. */
  get complete(): boolean {
    return this.#opening.message.complete;
  }

  /** See HttpRequest.hungUp. */
  get hungUp(): AbortSignal {
    this.#hungUp ??= new AbortController();
    if (this.closed && !this.answered) this.#hungUp.abort();
    return this.#hungUp.signal;
  }

  /** Lets the connection end with this exchange. */
  closeAfter(): void {
    this.#closing = true;
    this.#opening.use.ending = true;
  }

  /** The connection ends with a request before this one. Read to its end, so that the close does not take the last answer with it. */
  passOver(): void {
    this.answered = true;
    this.#opening.message.resume();
    this.#waitBehind();
  }

  /** See HttpRequest.takeSlot. */
  takeSlot(of: SlotOf): void {
    if (this.closed || this.answered) throw new ClientGone();
    if (!this.#traffic.slots.take(of)) throw new Refusal("OVERLOADED");
    this.#slotOf = of;
  }

  /** See HttpRequest.readBody. What a compressed body may unfold to counts as held before it is known. */
  async readBody(headers: RequestHeaders, bytesMax: number): Promise<Uint8Array> {
    const coding = bodyCodingOf(headers.get("content-encoding"));
    const bytes = await this.#readBytes(headers, bytesMax);
    if (coding === undefined) return bytes;
    return await this.#traffic.unfolding.run(async () => {
      if (this.closed || this.answered) throw new ClientGone();
      this.#hold(bytesMax);
      if (this.#traffic.bodyBytes > roomOf(bytesMax)) throw new Refusal("OVERLOADED");
      const decoded = await decodeBody(coding, bytes, bytesMax);
      this.#hold(decoded.length - bytesMax);
      return decoded;
    });
  }

  #readBytes(headers: RequestHeaders, bytesMax: number): Promise<Uint8Array> {
    const { message, response, expects } = this.#opening;
    // While something else was waited for; nothing more is heard of the body then
    if (this.closed || this.answered || message.destroyed) return Promise.reject(new ClientGone());
    const announced = Number(headers.get("content-length") ?? 0);
    if (announced > bytesMax) return Promise.reject(tooLarge(bytesMax));
    if (!this.#hasRoomFor(announced)) return Promise.reject(new Refusal("OVERLOADED"));
    if (expects === "continue") response.writeContinue();
    return new Promise((resolve, reject) => {
      this.#awaited = { pieces: new BodyPieces(), resolve, reject };
      message.on("data", (piece: Uint8Array) => this.#add(piece, bytesMax));
      message.on("end", () => {
        this.#awaited?.resolve(this.#awaited.pieces.joined());
        this.#awaited = undefined;
      });
      message.on("close", () => {
        if (!message.complete) this.#giveUpBody();
      });
    });
  }

  #add(piece: Uint8Array, bytesMax: number): void {
    if (this.#awaited === undefined) return;
    this.#hold(piece.length);
    const fits = this.#bytesHeld <= bytesMax;
    if (fits && this.#hasRoomFor(0)) return this.#awaited.pieces.add(piece);
    this.#hold(-this.#bytesHeld);
    this.#giveUpBody(fits ? new Refusal("OVERLOADED") : tooLarge(bytesMax));
  }

  /** Without a reason: the client is gone. No error is made where no body is awaited, as its stack costs more than the rest of an exchange's end. */
  #giveUpBody(why?: Error): void {
    if (this.#awaited === undefined) return;
    this.#awaited.reject(why ?? new ClientGone());
    this.#awaited = undefined;
  }

  /** The socket is gone. On Deno the responses that wait behind another on a socket get no `close` event. */
  hangUp(): void {
    this.#end();
  }

  /** True for the socket that carries this request. */
  isOn(socket: Duplex): boolean {
    return this.#opening.message.socket === socket;
  }

  /** Cuts the connection of a client that has taken nothing of its answer since then, on the monotonic time. */
  cutUnread(since: number): void {
    if (!this.answered || this.closed) return;
    const { message, response } = this.#opening;
    // Behind another answer on the same connection
    if (response.socket === null) this.#movedAt = this.#clock.monotonic();
    else if (this.#movedAt < since) message.socket.destroy();
  }

  /** Writes the answer; the second and later calls change nothing. Throws, and may be called again, for a header that is none. */
  send(answer: HttpAnswer): void {
    this.#write(answer, !this.complete);
  }

  /** As send, where the parser has given up and no more of the request will come. */
  sendLast(answer: HttpAnswer): void {
    this.#closing = true;
    this.#write(answer, false);
  }

  /** For so many bytes more. */
  #hasRoomFor(bytes: number): boolean {
    return this.#traffic.bodyBytes + bytes <= roomOf(this.#bytesHeld + bytes);
  }

  #hold(bytes: number): void {
    if (this.answered || this.closed) return;
    this.#bytesHeld += bytes;
    this.#traffic.bodyBytes += bytes;
  }

  #write(answer: HttpAnswer, bodyLeft: boolean): void {
    const { message, response, requestId, use } = this.#opening;
    if (this.answered || this.closed || response.destroyed || message.socket.destroyed) return;
    // Requests that came right behind this one on the connection would end with it (RFC 9112 section 9.6)
    const isLast = this.#traffic.draining && use.newest === this;
    const close = this.#closing || answer.close === true || isLast || bodyLeft;
    if (close) this.closeAfter();
    response.writeHead(answer.status, headersOf(answer, requestId, close));
    this.answered = true;
    this.#movedAt = this.#clock.monotonic();
    this.#writeBody(answer, bodyLeft);
    if (response.socket === null) this.#waitBehind();
  }

  #writeBody({ body, stream }: HttpAnswer, bodyLeft: boolean): void {
    const { message, response } = this.#opening;
    // It keeps its place: it goes on
    if (stream && message.method !== "HEAD") return this.#stream(stream);
    this.#release();
    if (bodyLeft) this.#linger(body);
    else if (body.length <= limits.answerPieceBytes) response.end(body);
    else this.#writePieces(typeof body === "string" ? Buffer.from(body) : body);
  }

  /** The runtime bounds by bytes what waits on one connection; this bounds how many wait on all. Clients that ask one at a time are not concerned. */
  #waitBehind(): void {
    this.#waits = true;
    this.#traffic.answersWaiting += 1;
    if (this.#traffic.answersWaiting > limits.answersWaitingMax) this.#opening.message.socket.destroy();
  }

  /** A client that takes nothing is cut as others are (cutUnread): it has moved when it had taken all. */
  #stream(start: NonNullable<HttpAnswer["stream"]>): void {
    const { response } = this.#opening;
    let waiting = 0;
    const moved = () => {
      waiting = 0;
      this.#movedAt = this.#clock.monotonic();
    };
    this.#streamEnded = start({
      get waiting() {
        return waiting;
      },
      write: (text) => {
        if (this.closed || response.writableEnded) return;
        const isFull = !response.write(text);
        if (waiting === 0 && isFull) response.once("drain", moved);
        if (waiting > 0 || isFull) waiting += text.length;
        else moved();
      },
      end: () => {
        if (this.#traffic.draining) this.closeAfter();
        response.end();
      },
    });
  }

  /** In pieces, of which each shows when the client has taken it. */
  #writePieces(bytes: Uint8Array): void {
    const { response } = this.#opening;
    let left = bytes;
    const next = () => {
      this.#movedAt = this.#clock.monotonic();
      while (left.length > limits.answerPieceBytes) {
        const piece = left.subarray(0, limits.answerPieceBytes);
        left = left.subarray(piece.length);
        if (!response.write(piece)) return void response.once("drain", next);
      }
      response.end(left);
    };
    next();
  }

  /**
   * The client still sends. Closing at once would reset the connection and could take the answer with it, so the whole
   * answer is written, some more of the body is thrown away, and the connection ends a little later.
   */
  #linger(body: string | Uint8Array): void {
    const { message, response } = this.#opening;
    let left = limits.lingerBytesMax;
    response.write(body);
    message.on("data", (chunk: Uint8Array) => {
      left -= chunk.length;
      if (left < 0) message.pause();
    });
    message.resume();
    const cancel = this.#clock.after(limits.lingerMs, () => response.end());
    message.once("end", () => response.end());
    message.once("close", () => response.end());
    response.once("close", cancel);
  }

  /**
   * Gives back what the request holds. Not only when its answer is out: that may never be, behind a live view or an answer that the client reads
   * slowly, on the same connection. What answers that are left unread may take is bounded by the connections, by cutUnread, by waitBehind, and by
   * the runtime, which reads no more requests of a connection once as much of answers waits on it as its socket takes.
   */
  #release(): void {
    this.#giveUpBody();
    this.#traffic.bodyBytes -= this.#bytesHeld;
    this.#bytesHeld = 0;
    if (this.#slotOf !== undefined) this.#traffic.slots.leave(this.#slotOf);
    this.#slotOf = undefined;
  }

  #end(): void {
    if (this.closed) return;
    this.closed = true;
    if (!this.answered) this.#hungUp?.abort();
    this.#streamEnded?.();
    const { inFlight } = this.#traffic;
    const last = inFlight.pop();
    if (last !== undefined && last !== this) {
      inFlight[this.#place] = last;
      last.#place = this.#place;
    }
    this.#release();
    if (this.#waits) this.#traffic.answersWaiting -= 1;
    // Also where it was asked for after a head without `close` was out
    if (this.#closing) this.#opening.message.socket.destroySoon();
  }
}

/** What all bodies may hold with one of so many bytes: large ones leave room for small ones, however slowly they come. */
function roomOf(bytes: number): number {
  return bytes > limits.smallRequestBytesMax ? limits.largeBodyBytesInFlightMax : limits.bodyBytesInFlightMax;
}

function headersOf(answer: HttpAnswer, requestId: string, close: boolean): string[] {
  const { body } = answer;
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  const headers = ["X-Request-Id", requestId, "Cache-Control", answer.cacheControl ?? "no-store"];
  // A 204 or 304 has no content to describe (RFC 9110 section 8.6)
  if (!bodyless.has(answer.status)) {
    headers.push("Content-Type", answer.contentType ?? "application/json");
    if (!answer.stream) headers.push("Content-Length", String(bytes));
  }
  for (const part of answer.headers) headers.push(part);
  if (close) headers.push("Connection", "close");
  return headers;
}

const bodyless: ReadonlySet<number> = new Set([204, 304]);

function tooLarge(bytesMax: number): Refusal {
  return new Refusal("BODY_TOO_LARGE", `The request body may not be larger than ${bytesMax} bytes`);
}

/** The socket's end is what counts, and "close" reports it. */
function ignore(): void {}
