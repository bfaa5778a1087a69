/** The caller's side of a trace: a span around each call of a request that is recorded, however many attempts it takes. */
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { Refusal } from "../refusal.ts";
import type { Attributes, Tracer } from "../telemetry/tracer.ts";
import type { Attempted, UnaryCall } from "./attempts.ts";
import { rpcAttributes } from "./observed.ts";
import { codeOfThrown } from "./refusal-wire.ts";
import { traceparentOf, withTraceparent } from "./request-trace.ts";

/** The same call where nothing is recorded. The other side's span is a child of this one, so all attempts are. */
export function tracedCall(call: UnaryCall, tracer: Tracer): UnaryCall {
  if (!tracer.on) return call;
  return async (method, message, options) => {
    const span = tracer.child(nameOf(method), traceparentOf(message), { kind: "client", attributes: rpcAttributes(nameOf(method)) });
    if (span === undefined) return await call(method, message, options);
    const attempted: Attempted = { attempts: 0, url: "" };
    try {
      const answer = await call(method, withTraceparent(message, span.traceparent), { ...options, attempted });
      span.end({ attributes: roadOf(attempted) });
      return answer;
    } catch (thrown) {
      span.end({ failed: true, attributes: { ...roadOf(attempted), ...outcomeOf(thrown) } });
      throw thrown;
    }
  };
}

function nameOf({ parent, name }: DescMethodUnary): string {
  return `${parent.typeName}/${name}`;
}

/** The process that was asked last; none where the call found no process in time. */
function roadOf({ attempts, url }: Attempted): Attributes {
  const counted = { "heddle.rpc.attempts": attempts };
  if (url === "") return counted;
  const { hostname, port, protocol } = new URL(url);
  const known = port === "" ? standardPorts.get(protocol) : Number(port);
  return { ...counted, "server.address": hostname.replace(/^\[(.*)\]$/, "$1"), ...(known !== undefined && { "server.port": known }) };
}

/** `http://host:80` has no port in its parsed form. */
const standardPorts: ReadonlyMap<string, number> = new Map([["http:", 80], ["https:", 443]]);

/** The reason of the refusal, as on the other side. */
function outcomeOf(thrown: unknown): Attributes {
  return { "rpc.response.status_code": codeOfThrown(thrown), "error.type": thrown instanceof Refusal ? thrown.reason : "FAULT" };
}
