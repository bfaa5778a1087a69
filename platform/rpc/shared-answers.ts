/** The answering side of shared calls: many calls of one method in one message, each with an outcome of its own. */
import { setImmediate } from "node:timers/promises";
import { create, type DescMethodUnary, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type Call,
  type CallManyRequest,
  type CallManyResponse,
  CallManyResponseSchema,
  type Outcome,
  type OutcomeSchema,
  SharedCallService,
} from "../../proto/gen/heddle/rpc/v1/shared_call_service_pb.ts";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { answering, workMsOf } from "./deadline.ts";
import { type Handler, noteFault, type RpcRoute, rpcRoute } from "./guard.ts";
import { detailFromRefusal } from "./refusal-wire.ts";
import { SharedContext } from "./shared-context.ts";

export interface SharedDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Refuses CALLER_NOT_ALLOWED; the caller of the whole must be allowed the method of each call. */
  allow(method: DescMethodUnary, context: HandlerContext): void;
}

/** Serves the unary methods of `routes` through CallMany. */
export function sharedRoute(routes: readonly RpcRoute[], deps: SharedDeps): RpcRoute {
  const targets = new Map(routes.flatMap(unaryTargets));
  return rpcRoute(SharedCallService, {
    async *callMany(request, context) {
      const target = targets.get(request.method);
      if (target === undefined) throw new Refusal("NOT_IMPLEMENTED", "Expected a unary method of this port");
      deps.allow(target.method, context);
      if (request.calls.length > limits.rpcCallsPerBatchMax) {
        throw new Refusal("BATCH_TOO_LARGE", `Expected up to ${limits.rpcCallsPerBatchMax} calls, got ${request.calls.length}`);
      }
      yield* outcomes(request, target, { ...deps, context });
    },
  });
}

interface Target {
  readonly method: DescMethodUnary;
  readonly handler: Handler;
}

function unaryTargets({ service, implementation }: RpcRoute): [string, Target][] {
  return Object.entries(service.method).flatMap(([name, method]) => {
    const handler = implementation[name]?.bind(implementation);
    if (handler === undefined || method.methodKind !== "unary") return [];
    return [[`${service.typeName}/${method.name}`, { method: method as DescMethodUnary, handler }]];
  });
}

type OutcomeInit = Exclude<MessageInitShape<typeof OutcomeSchema>, Outcome>;
type Settled = NonNullable<OutcomeInit["outcome"]>;

/** Handlers start in the order of the calls, before any is waited for. */
async function* outcomes(
  { calls }: CallManyRequest,
  target: Target,
  deps: SharedDeps & { context: HandlerContext },
): AsyncGenerator<CallManyResponse> {
  let ready: OutcomeInit[] = [];
  let wake = Promise.withResolvers<void>();
  calls.forEach(async (call, index) => {
    const outcome = await outcomeOf(call, target, deps);
    ready.push({ index, outcome });
    wake.resolve();
  });
  for (let left = calls.length; left > 0;) {
    await wake.promise;
    // What becomes durable together is answered together: let the other calls of the same write finish
    await setImmediate();
    const outcomes = ready;
    ready = [];
    wake = Promise.withResolvers();
    left -= outcomes.length;
    yield create(CallManyResponseSchema, { outcomes });
  }
}

/** Never rejects. */
async function outcomeOf(call: Call, { method, handler }: Target, deps: SharedDeps & { context: HandlerContext }): Promise<Settled> {
  let request: unknown;
  try {
    request = messageOf(method, call.request);
    const workMs = workMsOf(call.timeoutMs === 0 ? deps.context.timeoutMs() : call.timeoutMs);
    if (workMs < limits.rpcWorkMsMin) throw new Refusal("DEADLINE_EXCEEDED");
    const context = new SharedContext({ call, method, workMs, clock: deps.clock, whole: deps.context });
    const answer = await answering(context, () => handler(request, context));
    return { case: "response", value: toBinary(method.output, create(method.output, answer as MessageInitShape<typeof method.output>)) };
  } catch (thrown) {
    if (thrown instanceof Refusal) {
      return { case: "refused", value: { detail: detailFromRefusal(thrown), text: thrown.message } };
    }
    const id = noteFault(deps.logger, thrown, { method, request });
    return { case: "fault", value: { id } };
  }
}

function messageOf(method: DescMethodUnary, bytes: Uint8Array): unknown {
  try {
    return fromBinary(method.input, bytes);
  } catch (cause) {
    throw new Refusal("INPUT_INVALID", `Expected a message ${method.input.typeName}`, { cause });
  }
}
