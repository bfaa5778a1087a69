/** What a request carries from the gateway to the log: one form, heddle.profile.v1.Scope on the wire. */
import { Refusal } from "./refusal.ts";

export interface RequestContext {
  readonly workspaceId: string;
  readonly requestId: string;
  /** Public id of the API key, or the name of the calling service. */
  readonly actor: string;
  /** Part of the scope of an idempotency key. */
  readonly route: string;
  /** Empty: the request may not be repeated safely. */
  readonly idempotencyKey: string;
  /** With a key: SHA-256 of what the client sent (gateway/http/idempotency-key.ts). Absent or empty from a caller that has no HTTP body. */
  readonly sentHash?: Uint8Array;
  /** A position of an earlier write that a read waits for; empty where there is none. */
  readonly readAfter: string;
  /** Of the span that calls; empty where the request is not recorded. */
  readonly traceparent: string;
}

/** A request as an RPC brings it. */
export interface Scoped<Scope extends RequestContext> {
  readonly scope?: Scope | undefined;
}

/** Refuses INPUT_INVALID for a request that names no workspace. */
export function scopeOf<Scope extends RequestContext>({ scope }: Scoped<Scope>): Scope {
  if (scope === undefined || scope.workspaceId === "") {
    throw new Refusal("INPUT_INVALID", "Expected a scope with a workspace, got none");
  }
  return scope;
}
