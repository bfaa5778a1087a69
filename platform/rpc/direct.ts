/** Service calls inside one process: the typed client of a service that calls its implementation and no wire. */
import { create, type DescMethod, type DescMethodUnary, type DescService, type MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions, Client, ContextKey, ContextValues, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { type Clock, systemClock } from "../clock.ts";
import { Refusal } from "../refusal.ts";
import { answering, type Deadline, onward, startDeadline } from "./deadline.ts";

/**
 * A client whose calls run in this process, with the same types, defaults and deadlines as over the wire: input and
 * output become whole messages, `signal` reaches the implementation, and with `timeoutMs` (or an aborted signal) the
 * caller gets Refusal DEADLINE_EXCEEDED in time. What the implementation throws, refusals above all, comes unchanged.
 * Unary methods only; a service with a streaming one is refused here, not at its first call.
 */
export function directClient<Service extends DescService>(
  service: Service,
  implementation: Partial<ServiceImpl<Service>>,
  clock: Clock = systemClock,
): Client<Service> {
  const client: Record<string, Unary> = Object.create(null);
  for (const [name, method] of Object.entries(service.method)) {
    if (!isUnary(method)) throw new Error(`Expected unary methods, got ${method.methodKind} "${name}"`);
    const answer = (implementation as Record<string, Answer | undefined>)[name];
    client[name] = answer ? unary({ method, answer: answer.bind(implementation), clock }) : notImplemented;
  }
  return client as Client<Service>;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

type Unary = (request: MessageInitShape<DescMethodUnary["input"]>, options?: CallOptions) => Promise<unknown>;
type Answer = (request: unknown, context: HandlerContext) => unknown;

function unary(deps: { method: DescMethodUnary; answer: Answer; clock: Clock }): Unary {
  const { method, answer, clock } = deps;
  return async (request, given) => {
    const options = onward(given ?? none, { method });
    const deadline = (options.signal ?? options.timeoutMs) === undefined ? undefined : startDeadline(options, clock);
    try {
      const context = new DirectContext(method, options, deadline);
      const message = create(method.input, request);
      // Without a deadline there is nothing to inherit but that of the caller, which counts already
      const answered = deadline ? answering(context, () => answer(message, context)) : answer(message, context);
      const response = deadline ? await Promise.race([answered, deadline.passed]) : await answered;
      return create(method.output, response as MessageInitShape<typeof method.output>);
    } finally {
      deadline?.end();
    }
  };
}

const none: CallOptions = {};

async function notImplemented(): Promise<never> {
  throw new Refusal("NOT_IMPLEMENTED");
}

const neverAborted = new AbortController().signal;

/** Headers and values are made only when asked for: most calls never do, and they cost more than the call. */
class DirectContext implements HandlerContext {
  readonly method: DescMethodUnary;
  readonly signal: AbortSignal;
  readonly requestMethod = "POST";
  readonly protocolName = "direct";
  readonly #options: CallOptions;
  readonly #deadline: Deadline | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #values: ContextValues | undefined;

  constructor(method: DescMethodUnary, options: CallOptions, deadline: Deadline | undefined) {
    this.method = method;
    this.signal = deadline?.signal ?? neverAborted;
    this.#options = options;
    this.#deadline = deadline;
  }

  get service(): DescService {
    return this.method.parent;
  }

  get url(): string {
    return `direct:/${this.method.parent.typeName}/${this.method.name}`;
  }

  get requestHeader(): Headers {
    return (this.#requestHeader ??= new Headers(this.#options.headers));
  }

  get responseHeader(): Headers {
    return (this.#responseHeader ??= new Headers());
  }

  get responseTrailer(): Headers {
    return (this.#responseTrailer ??= new Headers());
  }

  get values(): ContextValues {
    return (this.#values ??= this.#options.contextValues ?? contextValues());
  }

  get timeoutMs(): () => number | undefined {
    return () => this.#deadline?.leftMs();
  }
}

/** What the package's own would do; loading the package for it alone takes 17 MB. */
function contextValues(): ContextValues {
  const values = new Map<symbol, unknown>();
  const self: ContextValues = {
    get: <T>(key: ContextKey<T>) => (values.has(key.id) ? values.get(key.id) as T : key.defaultValue),
    set(key, value) {
      values.set(key.id, value);
      return self;
    },
    delete(key) {
      values.delete(key.id);
      return self;
    },
  };
  return self;
}
