/** What a handler may ask about one of many calls that came together; made only as far as it is asked for. */
import type { DescMethodUnary, DescService } from "@bufbuild/protobuf";
import type { ContextValues, HandlerContext } from "@connectrpc/connect";
import type { Call } from "../../proto/gen/heddle/rpc/v1/shared_call_service_pb.ts";
import type { Clock } from "../clock.ts";
import { Refusal } from "../refusal.ts";

export interface SharedContextDeps {
  readonly call: Call;
  readonly method: DescMethodUnary;
  readonly workMs: number;
  readonly clock: Clock;
  /** The context of the message that all calls came in. */
  readonly whole: HandlerContext;
}

/** The caller answers for its own deadline, so a call needs a timer here only where its handler looks at the signal. */
export class SharedContext implements HandlerContext {
  readonly requestMethod = "POST";
  readonly #deps: SharedContextDeps;
  readonly #endsAt: number;
  #signal: AbortSignal | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;

  constructor(deps: SharedContextDeps) {
    this.#deps = deps;
    this.#endsAt = deps.clock.monotonic() + deps.workMs;
  }

  get method(): DescMethodUnary {
    return this.#deps.method;
  }

  get service(): DescService {
    return this.#deps.method.parent;
  }

  get protocolName(): string {
    return this.#deps.whole.protocolName;
  }

  get url(): string {
    return this.#deps.whole.url;
  }

  get values(): ContextValues {
    return this.#deps.whole.values;
  }

  get timeoutMs(): () => number {
    return () => this.#endsAt - this.#deps.clock.monotonic();
  }

  get signal(): AbortSignal {
    return (this.#signal ??= this.#startSignal());
  }

  /** Headers of the whole, which say who calls, and the request id and trace of this one. */
  get requestHeader(): Headers {
    if (this.#requestHeader) return this.#requestHeader;
    const { call, whole } = this.#deps;
    const header = new Headers(whole.requestHeader);
    header.delete("x-request-id");
    header.delete("traceparent");
    if (call.requestId !== "") header.set("x-request-id", call.requestId);
    if (call.traceparent !== "") header.set("traceparent", call.traceparent);
    return (this.#requestHeader = header);
  }

  /** Nothing of these two travels back: outcomes are messages. */
  get responseHeader(): Headers {
    return (this.#responseHeader ??= new Headers());
  }

  get responseTrailer(): Headers {
    return (this.#responseTrailer ??= new Headers());
  }

  #startSignal(): AbortSignal {
    const { clock, whole } = this.#deps;
    if (whole.signal.aborted) return whole.signal;
    const controller = new AbortController();
    const cancel = clock.after(Math.max(0, this.timeoutMs()), () => controller.abort(new Refusal("DEADLINE_EXCEEDED")));
    whole.signal.addEventListener("abort", () => {
      cancel();
      controller.abort(whole.signal.reason);
    }, { once: true });
    return controller.signal;
  }
}
