/** What a message says of the HTTP request that it belongs to: its id, and the span that calls. In its scope, or itself without one. */
import { parseTraceparent } from "../telemetry/trace-context.ts";

/** heddle.profile.v1.Scope, heddle.scim.v1.Scope, or a message without one, such as that of a link. */
interface Traced {
  readonly requestId?: unknown;
  readonly traceparent?: unknown;
}

/** Empty where the request is not recorded, and for messages that say nothing of it. */
export function traceparentOf(message: unknown): string {
  return textOf(tracedOf(message).traceparent);
}

/** A copy: the scope of a message may be that of the message that its caller handles. */
export function withTraceparent<Asked>(message: Asked, traceparent: string): Asked {
  const { scope } = message as { readonly scope?: Traced };
  return scope === undefined ? { ...message, traceparent } : { ...message, scope: { ...scope, traceparent } };
}

/** For a line of the log; empty where the message says nothing of them. */
export function logIdsOf(message: unknown): { readonly requestId?: string; readonly traceId?: string } {
  const requestId = textOf(tracedOf(message).requestId);
  const traceId = parseTraceparent(traceparentOf(message))?.traceId;
  return { ...(requestId !== "" && { requestId }), ...(traceId !== undefined && { traceId }) };
}

function tracedOf(message: unknown): Traced {
  return (message as { readonly scope?: Traced }).scope ?? message as Traced;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
