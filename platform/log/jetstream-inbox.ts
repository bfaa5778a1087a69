/** Questions to NATS and their answers: one subscription of a connection for all of them. The client's own way makes an error, with its stack, of each that is answered. */
import { createInbox, ErrorCode, type Msg, type MsgHdrs, type NatsConnection, NatsError } from "nats";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";

interface Question {
  readonly subject: string;
  readonly body: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

export class JetStreamInbox {
  readonly #nats: Pick<NatsConnection, "publish" | "subscribe">;
  readonly #prefix = `${createInbox()}.`;
  readonly #waiting = new Map<string, (answer: Msg) => void>();
  #last = 0;

  constructor(nats: Pick<NatsConnection, "publish" | "subscribe">) {
    this.#nats = nats;
  }

  /** The answer; rejects with an error of the client where there is no subscriber, or no answer came within `ms`. */
  request(question: Question, ms: number): Promise<Msg> {
    const { promise, resolve, reject } = Promise.withResolvers<Msg>();
    return this.#ask(question, { promise, ms, late: () => reject(NatsError.errorForCode(ErrorCode.Timeout)) }, (answer) => {
      if (answer.data.length > 0 || answer.headers?.code !== noResponders) resolve(answer);
      else reject(NatsError.errorForCode(ErrorCode.NoResponders));
    });
  }

  /** All answers up to the one that `last` recognises, without it. */
  collect(question: Question, last: (answer: Msg) => boolean): Promise<Msg[]> {
    const answers: Msg[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<Msg[]>();
    const ms = limits.logAnswerMsMax;
    return this.#ask(question, { promise, ms, late: () => reject(new Error(`No answer within ${ms} ms`)) }, (answer) => {
      try {
        if (last(answer)) resolve(answers);
        else answers.push(answer);
      } catch (error) {
        reject(error);
      }
    });
  }

  async #ask<T>({ subject, body, headers }: Question, wait: Wait<T>, take: (answer: Msg) => void): Promise<T> {
    if (this.#last === 0) {
      this.#nats.subscribe(`${this.#prefix}*`, {
        callback: (error, answer) => error ? undefined : this.#waiting.get(answer.subject)?.(answer),
      });
    }
    this.#last += 1;
    const reply = this.#prefix + this.#last;
    this.#nats.publish(subject, body, headers === undefined ? { reply } : { reply, headers });
    this.#waiting.set(reply, take);
    const cancel = systemClock.after(wait.ms, wait.late);
    try {
      return await wait.promise;
    } finally {
      cancel();
      this.#waiting.delete(reply);
    }
  }
}

interface Wait<T> {
  readonly promise: Promise<T>;
  readonly ms: number;
  readonly late: () => void;
}

/** The status of the server's own answer where there is no subscriber. */
const noResponders = 503;
