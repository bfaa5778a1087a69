/** Typed clients of services in other processes: several addresses, deadlines, safe repeats, refusals as refusals. */
import { create, type DescMethodUnary, type DescService, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions, Client } from "@connectrpc/connect";
import { type Clock, systemClock } from "../clock.ts";
import { type Logger, silentLogger } from "../logger.ts";
import { noTracer, type Tracer } from "../telemetry/tracer.ts";
import { roundRobin } from "./addresses.ts";
import { type CallDeps, callWithRepeats, type GivenOptions, type UnaryCall } from "./attempts.ts";
import type { ClientTls } from "./connection.ts";
import { onward } from "./deadline.ts";
import { openPeers } from "./peers.ts";
import { shareCalls } from "./shared-calls.ts";
import { tracedCall } from "./traced-call.ts";

export interface ClientOptions {
  /** Of the processes of the service, as openPeers takes them: `http://host:port`, or `dns+http://name:port` of all with the name. */
  readonly addresses: readonly string[];
  /** The name that this process calls itself; with `tls` the names of its certificate count instead. */
  readonly caller: string;
  /** How long a call may take that says nothing of it; a call's own `timeoutMs` goes before. */
  readonly deadlineMs: number;
  readonly tls?: ClientTls;
  readonly clock?: Clock;
  /** Hears of calls that fail by a programming error; left out by commands. */
  readonly logger?: Logger;
  /** Methods, as in `trackUsers`, whose waiting calls travel together. */
  readonly shared?: readonly string[];
  /** Records a span for each call of a request that is recorded. */
  readonly tracer?: Tracer;
}

export interface RpcClient<Service extends DescService> {
  readonly client: Client<Service>;
  /** Ends the connections and with them the calls under way. */
  close(): void;
}

/**
 * A client of a service that runs in other processes. Calls reject with Refusal as the direct binding does, or with
 * RemoteFault. A call that certainly did nothing is repeated at another address; one that may have done something only
 * where its method has NO_SIDE_EFFECTS. Where no process could be reached: SERVICE_UNAVAILABLE; where an answer was lost:
 * OUTCOME_UNKNOWN for a call that writes. Throws for a service with a streaming method and for no address.
 */
export function connectClient<Service extends DescService>(service: Service, options: ClientOptions): RpcClient<Service> {
  const { clock = systemClock, logger = silentLogger, tracer = noTracer } = options;
  const peers = openPeers({
    addresses: options.addresses,
    tls: options.tls,
    clock,
    unreachable: (connection) => addresses.failed(connection),
    removed: (connection) => addresses.worked(connection),
  });
  const addresses = roundRobin(peers.current, clock);
  const deps: CallDeps = { addresses, clock, logger, caller: options.caller, deadlineMs: options.deadlineMs };
  const shared = new Map(
    (options.shared ?? []).map((name) => [methodOf(service, name), shareCalls({ ...deps, method: methodOf(service, name) })]),
  );
  return {
    client: clientOf(service, tracedCall(inheriting, tracer)),
    close: () => peers.close(),
  };

  function inheriting(method: DescMethodUnary, message: Message, given: GivenOptions): Promise<Message> {
    return (shared.get(method) ?? repeating)(method, message, onward(given, { method, deadlineMs: options.deadlineMs }));
  }

  function repeating(method: DescMethodUnary, message: Message, given: GivenOptions): Promise<Message> {
    return callWithRepeats(deps, method, { message, given });
  }
}

function methodOf(service: DescService, name: string): DescMethodUnary {
  const method = service.method[name];
  if (method?.methodKind !== "unary") throw new Error(`Expected a unary method of ${service.typeName}, got "${name}"`);
  return method as DescMethodUnary;
}

function clientOf<Service extends DescService>(service: Service, call: UnaryCall): Client<Service> {
  const client: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(service.method)) {
    const method = methodOf(service, name);
    client[name] = async (request: MessageInitShape<typeof method.input>, options: CallOptions = {}) =>
      call(method, create(method.input, request), options);
  }
  return client as Client<Service>;
}
