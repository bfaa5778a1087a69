/** `new Heddle({ key })`: a method for each operation of the API, and a queue for what is sent all the time. */
import { type Answer, type CallName, type CallOptions, type Client, type ClientOptions, type Input, openClient } from "./client.ts";
import { RefusedError } from "./errors.ts";
import { type Calls, routes, type TrackBody } from "./gen/calls.ts";
import { openQueue, type Queue, type QueueOptions } from "./queue.ts";

export interface HeddleOptions extends Omit<ClientOptions, "url"> {
  /** `http://127.0.0.1:8080` unless given. */
  readonly url?: string;
  readonly queue?: QueueOptions;
}

/** The body, or the query where a call has no body, together with what stands in the path. */
export type Params<N extends CallName> =
  & PartOf<N, "path">
  & (Calls[N] extends { readonly body: infer Body } ? Body extends string ? { readonly body: Body } : Body
    : PartOf<N, "query">);

/** What stands in the head, and the query of a call that has a body. */
export interface MethodOptions<N extends CallName> extends CallOptions {
  readonly query?: PartOf<N, "query">;
  readonly headers?: PartOf<N, "headers">;
}

type PartOf<N extends CallName, Part extends string> = Calls[N] extends { readonly [P in Part]?: infer Value } ? NonNullable<Value>
  : unknown;

/** Parameters can be left out where none is required. */
export type Method<N extends CallName> = Record<never, never> extends Params<N>
  ? (params?: Params<N>, options?: MethodOptions<N>) => Promise<Calls[N]["answer"]>
  : (params: Params<N>, options?: MethodOptions<N>) => Promise<Calls[N]["answer"]>;

type Methods = { readonly [N in CallName]: Method<N> };

/** Each method throws a RefusedError of the class of its status, an UnreachableError, or the reason of its signal. */
export interface Heddle extends Methods, Base {}

class Base {
  readonly #client: Client;
  readonly #queue: Queue;

  constructor(options: HeddleOptions) {
    this.#client = openClient({ ...options, url: options.url ?? urlDefault });
    this.#queue = openQueue(this.#client, options.world?.newKey ?? (() => crypto.randomUUID()), options.queue);
  }

  /** The call with all of its answer: status, headers, and whether an earlier request with the key was answered. */
  call<N extends CallName>(name: N, input: Input<N>, options?: CallOptions): Promise<Answer<N>> {
    return this.#client.call(name, input, options);
  }

  /** Sends the objects soon, in batches and in order. False where not all was taken in: `queue.onLoss` has the rest. */
  enqueue(objects: TrackBody): boolean {
    return this.#queue.add(objects);
  }

  /** Resolves when everything that was enqueued before was answered, or reported as lost. */
  flush(options?: { readonly signal?: AbortSignal }): Promise<void> {
    return this.#queue.flush(options);
  }

  /** Sends what waits and takes no more; what is not answered in `timeoutMs` (10 s) is reported as lost. */
  shutdown(options?: { readonly timeoutMs?: number }): Promise<void> {
    return this.#queue.shutdown(options);
  }

  /** Objects that were enqueued and have no answer yet. */
  get queued(): number {
    return this.#queue.size();
  }
}

export const Heddle = Base as new (options: HeddleOptions) => Heddle;

/** The server refused this call, with one of the reasons that it has. */
export function isRefused<N extends CallName>(
  _name: N,
  error: unknown,
): error is RefusedError & { readonly reason: Calls[N]["reason"] | undefined } {
  return error instanceof RefusedError;
}

const urlDefault = "http://127.0.0.1:8080";

for (const name of Object.keys(routes) as CallName[]) {
  Object.defineProperty(Base.prototype, name, {
    // As methods of a class are
    writable: true,
    configurable: true,
    value: async function invoke(this: Base, params: Record<string, unknown> = {}, options: MethodOptions<CallName> = {}) {
      return (await this.call(name, inputOf(name, params, options), options)).body;
    },
  });
}

function inputOf(name: CallName, params: Record<string, unknown>, options: MethodOptions<CallName>): Input<CallName> {
  const [method, pattern = ""] = routes[name].split(" ");
  const rest = { ...params };
  const path: Record<string, unknown> = {};
  for (const [, parameter = ""] of pattern.matchAll(/:(\w+)/g)) {
    path[parameter] = rest[parameter];
    delete rest[parameter];
  }
  const { query, headers } = options as { query?: object; headers?: object };
  if (method === "GET" || method === "DELETE") return { path, query: rest, headers } as Input<CallName>;
  return { path, query, headers, body: typeof rest["body"] === "string" ? rest["body"] : rest } as Input<CallName>;
}
