/** One connection to NATS: whether it is up, requests that end when it is lost, and who hears that it is back. */
import { connect, DebugEvents, Empty, ErrorCode, type Msg, type MsgHdrs, type NatsConnection, NatsError } from "nats";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import type { NatsConfig } from "../mesh-config.ts";
import { JetStreamInbox } from "./jetstream-inbox.ts";
import { sizeProblem } from "./message-size.ts";

export interface JetStreamConnection {
  /** Whether the client believes that the server is there. What is published while it is not may be sent much later. */
  readonly up: boolean;
  /** What a message, headers included, may hold: as the server that is connected now says (`max_payload`). */
  readonly messageBytesMax: number;
  readonly serverVersion: string;
  publish(subject: string, body: Uint8Array, headers?: MsgHdrs): void;
  /** Rejects with ConnectionLost, or with an error of the client (timeout, no responders); see `isNoResponders`. */
  request(subject: string, body: Uint8Array, headers?: MsgHdrs): Promise<Msg>;
  /** The same of a subscriber of the subject, for `ms` at most. */
  ask(subject: string, body: Uint8Array, ms: number): Promise<Msg>;
  /** All answers up to the one that `last` recognises, without it. */
  requestMany(subject: string, body: Uint8Array, last: (answer: Msg) => boolean): Promise<Msg[]>;
  /** A message that the callback throws at is passed over, with an error in the log. */
  subscribe(subject: string, callback: (message: Msg) => void): () => void;
  /** Calls back whenever the connection is there again after it was lost. */
  onBack(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface ConnectOptions extends NatsConfig {
  readonly logger: Logger;
}

/** The connection was lost while an answer was awaited: what was asked may have happened. */
class ConnectionLost extends Error {
  constructor() {
    super("The connection to NATS was lost");
    this.name = "ConnectionLost";
  }
}

/** Rejects when no server answers within `logConnectMs`. From then on it connects again by itself, for as long as it takes. */
export async function connectJetStream(options: ConnectOptions): Promise<JetStreamConnection> {
  const nats = await connect({
    servers: [...options.servers],
    ...credentialsOf(options.credentials),
    ...(options.tls && { tls: options.tls }),
    name: "heddle",
    timeout: limits.logConnectMs,
    maxReconnectAttempts: -1,
    // Credentials that a server refuses may be mended while we go on asking
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: limits.logReconnectMs,
    reconnectJitter: limits.logReconnectMs,
    pingInterval: limits.logPingMs,
    maxPingOut: 2,
    // Traces of where a request was made cost more than the request
    noAsyncTraces: true,
  });
  return wrap(nats, options.logger);
}

function wrap(nats: NatsConnection, logger: Logger): JetStreamConnection {
  const link = new Link(nats, logger);
  const inbox = new JetStreamInbox(nats);
  return {
    get up() {
      return link.up;
    },
    get messageBytesMax() {
      return link.messageBytesMax;
    },
    serverVersion: nats.info?.version ?? "",
    publish: (subject, body, headers) => nats.publish(subject, body, headers ? { headers } : {}),
    request: (subject, body, headers) => link.whileUp(() => inbox.request({ subject, body, headers }, limits.logAnswerMsMax)),
    ask: (subject, body, ms) => link.whileUp(() => inbox.request({ subject, body }, ms)),
    requestMany: (subject, body, last) => link.whileUp(() => inbox.collect({ subject, body }, last)),
    subscribe(subject, callback) {
      // What a callback throws would end the client's reading, and the connection would hear nothing until its next ping fails
      function take(message: Msg): void {
        try {
          callback(message);
        } catch (error) {
          logger.error("nats_message_not_taken", error, { subject: message.subject });
        }
      }
      const subscription = nats.subscribe(subject, { callback: (error, message) => error ? undefined : take(message) });
      return () => subscription.unsubscribe();
    },
    onBack: (listener) => link.onBack(listener),
    close: () => link.close(),
  };
}

/** Whether a usable server is there, and who has to hear when that changes. */
class Link {
  up = true;
  readonly #nats: NatsConnection;
  readonly #logger: Logger;
  readonly #backListeners = new Set<{ listener: () => void }>();
  readonly #waiting = new Set<(error: Error) => void>();
  #messageBytesMax = 0;
  #cancelRetry: (() => void) | undefined;

  constructor(nats: NatsConnection, logger: Logger) {
    this.#nats = nats;
    this.#logger = logger;
    void this.#follow();
    void nats.closed().then(() => this.#lose());
  }

  /** As the last server said that was there. */
  get messageBytesMax(): number {
    this.#messageBytesMax = this.#nats.info?.max_payload ?? this.#messageBytesMax;
    return this.#messageBytesMax;
  }

  /** Gives up what `start` awaits as soon as the connection is lost. */
  whileUp<T>(start: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.up) return reject(new ConnectionLost());
      this.#waiting.add(reject);
      start().then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  onBack(listener: () => void): () => void {
    const own = { listener };
    this.#backListeners.add(own);
    return () => this.#backListeners.delete(own);
  }

  close(): Promise<void> {
    this.#cancelRetry?.();
    return this.#nats.close();
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#nats.status()) {
      if (type === DebugEvents.StaleConnection) cutOff(this.#nats);
      if (type === "disconnect") {
        this.#lose();
        this.#logger.warn("nats_lost");
      }
      if (type === "reconnect") this.#comeBack();
    }
  }

  #lose(): void {
    this.up = false;
    this.#cancelRetry?.();
    for (const reject of this.#waiting) reject(new ConnectionLost());
  }

  /** A server that takes too little counts as away, and is left for the next one, or asked again: it may be mended by then. */
  #comeBack(): void {
    const problem = sizeProblem(this.messageBytesMax);
    if (problem !== undefined) {
      this.#logger.error("nats_too_small", new Error(problem));
      this.#cancelRetry = systemClock.after(limits.logPingMs, () => void this.#nats.reconnect().catch(() => {}));
      return;
    }
    this.up = true;
    this.#logger.info("nats_back");
    for (const { listener } of this.#backListeners) listener();
  }
}

/**
 * The client leaves a server that gives no sign of life once all that it wrote is on its way, which never comes where the server's machine is gone and
 * much was written (nats 2.29.3): so its socket is closed first.
 */
function cutOff(nats: NatsConnection): void {
  const { transport } = (nats as NatsConnection & { readonly protocol: { readonly transport: Transport } }).protocol;
  transport.close(new Error("The server gives no sign of life")).catch(() => {});
}

interface Transport {
  /** With an error it waits for nothing. */
  close(error: Error): Promise<void>;
}

/** No responder took the message: no stream, no leader, or JetStream is off. It certainly had no effect. */
export function isNoResponders(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "503";
}

/** No server was reached, or none answered; unlike an answer that is an error, and unlike a message that the client does not take. */
export function isAway(error: unknown): boolean {
  return error instanceof ConnectionLost || (error instanceof NatsError && !notTaken.has(error.code));
}

const notTaken: ReadonlySet<string> = new Set([
  ErrorCode.BadPayload,
  ErrorCode.BadSubject,
  ErrorCode.BadHeader,
  ErrorCode.InvalidPayload,
  ErrorCode.InvalidOption,
  ErrorCode.MaxPayloadExceeded,
]);

/** Asks the JetStream API, which speaks JSON; gives undefined where the answer is the error `missing`. */
export async function askApi<T>(
  connection: JetStreamConnection,
  question: { subject: string; body?: object; missing?: number },
): Promise<T | undefined> {
  const body = question.body ? new TextEncoder().encode(JSON.stringify(question.body)) : Empty;
  const answer = (await connection.request(`$JS.API.${question.subject}`, body)).json<T & { error?: ApiError }>();
  if (!answer.error) return answer;
  if (answer.error.err_code === question.missing) return undefined;
  throw new Error(`JetStream answered ${question.subject} with ${answer.error.err_code}, "${answer.error.description}"`);
}

export interface ApiError {
  readonly code: number;
  readonly err_code: number;
  readonly description: string;
}

function credentialsOf(credentials: ConnectOptions["credentials"]): { user?: string; pass?: string; token?: string } {
  if (!credentials) return {};
  return "token" in credentials ? { token: credentials.token } : { user: credentials.user, pass: credentials.password };
}
