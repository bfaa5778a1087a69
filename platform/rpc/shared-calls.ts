/** Calls of one method that wait travel together: one message on the way to an address, the rest in the next. */
import { create, type DescMethodUnary, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import { CallManyRequestSchema, type Outcome, SharedCallService } from "../../proto/gen/heddle/rpc/v1/shared_call_service_pb.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import {
  type CallDeps,
  callHeaders,
  type GivenOptions,
  hasSideEffects,
  mayRepeat,
  noteAttempt,
  noteFailure,
  retryMs,
  type UnaryCall,
} from "./attempts.ts";
import { noteDefect } from "./call-defect.ts";
import type { Connection } from "./connection.ts";
import { refusalFromDetail, RemoteFault, thrownFromError } from "./refusal-wire.ts";

/**
 * Calls of `method` that share messages. One message at a time is on its way to each address; a call that finds none
 * free waits, in order, and goes with all others that wait. So a call travels alone while there is time, and the cost
 * of a message is spread over the more calls the more there are. A message that takes long holds no call back: the
 * next goes when the first answer is in or rpcSlotMsMax has passed. Calls leave in the order they came and the other
 * side begins them in that order; between two addresses there is none, nor would concurrent requests have one.
 * Refuses OVERLOADED where too many wait.
 */
export function shareCalls(deps: CallDeps & { readonly method: DescMethodUnary }): UnaryCall {
  const line = new SharedLine(deps);
  return (_, message, options) => line.call(message, options);
}

interface Waiting {
  readonly message: Message;
  readonly bytes: Uint8Array;
  readonly options: GivenOptions;
  readonly endsAt: number;
  attempts: number;
  /** Where it was and came back from unsent. */
  readonly tried: Set<Connection>;
  over: boolean;
  /** Settles the call once; later outcomes of it mean nothing. */
  end(settle: { answer: Message } | { thrown: unknown }): void;
}

class SharedLine {
  readonly #deps: CallDeps & { readonly method: DescMethodUnary };
  readonly #busy = new Set<Connection>();
  #waiting: Waiting[] = [];
  #bytes = 0;
  #pumping = false;

  constructor(deps: CallDeps & { readonly method: DescMethodUnary }) {
    this.#deps = deps;
  }

  call(message: Message, options: GivenOptions): Promise<Message> {
    const { method, clock, deadlineMs } = this.#deps;
    if (options.signal?.aborted) return Promise.reject(new Refusal("DEADLINE_EXCEEDED"));
    const bytes = toBinary(method.input, message);
    if (this.#waiting.length >= limits.rpcCallsWaitingMax || this.#bytes + bytes.length > limits.rpcBytesWaitingMax) {
      return Promise.reject(new Refusal("OVERLOADED", undefined, { retryAfterSeconds: limits.overloadRetryAfterSeconds }));
    }
    const timeoutMs = options.timeoutMs ?? deadlineMs;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        message,
        bytes,
        options,
        endsAt: clock.monotonic() + timeoutMs,
        attempts: 0,
        tried: new Set(),
        over: false,
        end(settled) {
          if (waiting.over) return;
          waiting.over = true;
          cancel();
          options.signal?.removeEventListener("abort", giveUp);
          if ("answer" in settled) resolve(settled.answer);
          else reject(settled.thrown);
        },
      };
      function giveUp(): void {
        waiting.end({ thrown: new Refusal("DEADLINE_EXCEEDED") });
      }
      const cancel = clock.after(timeoutMs, giveUp);
      options.signal?.addEventListener("abort", giveUp);
      this.#waiting.push(waiting);
      this.#bytes += bytes.length;
      this.#pumpSoon();
    });
  }

  /** After the events of this turn, so that what came together goes together. */
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#pick();
      if (connection === undefined) return;
      const batch = this.#takeBatch();
      if (batch.length > 0) void this.#fly(connection, batch);
    }
  }

  /** Where the first call that waits has not been; it waits for such a one that is busy, which it is not for long. */
  #pick(): Connection | undefined {
    const { addresses } = this.#deps;
    const tried = this.#waiting.find(({ over }) => !over)?.tried;
    if (!tried?.size) return addresses.pick(this.#busy);
    const untried = addresses.pick(new Set([...this.#busy, ...tried]));
    if (untried !== undefined || [...this.#busy].some((connection) => !tried.has(connection))) return untried;
    return addresses.pick(this.#busy);
  }

  #takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    let taken = 0;
    for (const waiting of this.#waiting) {
      const fits = batch.length < limits.rpcCallsPerBatchMax && bytes + waiting.bytes.length <= limits.rpcBatchBytesMax;
      if (!fits && batch.length > 0) break;
      taken += 1;
      this.#bytes -= waiting.bytes.length;
      if (waiting.over) continue;
      bytes += waiting.bytes.length;
      batch.push(waiting);
    }
    this.#waiting = this.#waiting.slice(taken);
    return batch;
  }

  async #fly(connection: Connection, batch: readonly Waiting[]): Promise<void> {
    const { addresses, clock } = this.#deps;
    this.#busy.add(connection);
    let held = true;
    const free = () => {
      if (!held) return;
      held = false;
      cancel();
      this.#busy.delete(connection);
      this.#pumpSoon();
    };
    const cancel = clock.after(limits.rpcSlotMsMax, free);
    for (const { options } of batch) noteAttempt(options, connection);
    try {
      const [first] = batch;
      if (first !== undefined && batch.length === 1) await this.#sendAlone(connection, first);
      else await this.#sendTogether(connection, batch, free);
      addresses.worked(connection);
    } catch (error) {
      const givenUp = batch.every(({ options }) => options.signal?.aborted);
      if (!givenUp) noteFailure(addresses, connection, error);
      this.#failed(connection, batch, error);
    } finally {
      free();
    }
  }

  /** Half as dear as a shared message of one. */
  async #sendAlone({ transport }: Connection, { message, options, endsAt, end }: Waiting): Promise<void> {
    const { method, clock, caller } = this.#deps;
    const timeoutMs = Math.max(1, Math.floor(endsAt - clock.monotonic()));
    const answer = await transport.unary(method, options.signal, timeoutMs, callHeaders(caller, options), message);
    end({ answer: answer.message });
  }

  async #sendTogether(connection: Connection, batch: readonly Waiting[], firstAnswer: () => void): Promise<void> {
    const { method, clock, caller } = this.#deps;
    const now = clock.monotonic();
    const calls = batch.map(({ bytes, options, endsAt }) => ({
      request: bytes,
      timeoutMs: Math.max(1, Math.floor(endsAt - now)),
      ...(options.headers && carried(options.headers)),
    }));
    const request = create(CallManyRequestSchema, { method: `${method.parent.typeName}/${method.name}`, calls });
    const timeoutMs = Math.max(...calls.map((call) => call.timeoutMs));
    const { stream } = connection.transport;
    const many = SharedCallService.method.callMany;
    const response = await stream(many, signalOfAll(batch), timeoutMs, callHeaders(caller, {}), one(request));
    for await (const { outcomes } of response.message) {
      firstAnswer();
      for (const outcome of outcomes) batch[outcome.index]?.end(settledOf(method, outcome));
    }
    if (batch.some(({ over }) => !over)) throw new ConnectError("The answer ended too soon", Code.Aborted);
  }

  /** Calls without an outcome go to the front of the line again where that is safe, and otherwise fail with what is known. */
  #failed(connection: Connection, batch: readonly Waiting[], error: unknown): void {
    const { addresses, method, clock, logger } = this.#deps;
    noteDefect(logger, error, method);
    const again: Waiting[] = [];
    for (const waiting of batch.filter(({ over }) => !over)) {
      waiting.attempts += 1;
      waiting.tried.add(connection);
      if (waiting.tried.size >= addresses.size) waiting.tried.clear();
      if (waiting.attempts < limits.rpcAttemptsMax && mayRepeat(error, method)) again.push(waiting);
      else waiting.end({ thrown: thrownFromError(error, { sideEffects: hasSideEffects(method) }) });
    }
    const [first] = again;
    if (first === undefined) return;
    const elsewhere = first.attempts < addresses.size;
    if (elsewhere) this.#lineUpAgain(again);
    else clock.after(retryMs(first.attempts), () => this.#lineUpAgain(again));
  }

  #lineUpAgain(calls: readonly Waiting[]): void {
    this.#waiting = [...calls, ...this.#waiting];
    for (const { bytes } of calls) this.#bytes += bytes.length;
    this.#pumpSoon();
  }
}

/** Ends the message once no caller waits for any of its calls; undefined where one of them is waited for whatever happens. */
function signalOfAll(batch: readonly Waiting[]): AbortSignal | undefined {
  const signals = batch.flatMap(({ options }) => options.signal ?? []);
  if (signals.length < batch.length) return undefined;
  const controller = new AbortController();
  function endIfAllAre(): void {
    if (signals.every(({ aborted }) => aborted)) controller.abort(new Refusal("DEADLINE_EXCEEDED"));
  }
  for (const signal of signals) signal.addEventListener("abort", endIfAllAre, { once: true, signal: controller.signal });
  return controller.signal;
}

function settledOf(method: DescMethodUnary, { outcome }: Outcome): { answer: Message } | { thrown: unknown } {
  if (outcome.case === "response") return { answer: fromBinary(method.output, outcome.value) };
  if (outcome.case === "fault") return { thrown: new RemoteFault(outcome.value.id) };
  const { detail, text = "" } = outcome.value ?? {};
  return { thrown: (detail && refusalFromDetail(detail, text)) ?? new RemoteFault("") };
}

function carried(given: NonNullable<CallOptions["headers"]>): { requestId: string; traceparent: string } {
  const headers = new Headers(given);
  return { requestId: headers.get("x-request-id") ?? "", traceparent: headers.get("traceparent") ?? "" };
}

async function* one<Item>(item: Item): AsyncGenerator<Item> {
  yield item;
}
