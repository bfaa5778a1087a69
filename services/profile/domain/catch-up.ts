/** How long a read waits for writes that were answered before it came. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Applied, IdentityStore, Intake, Position, ProfileStore } from "./ports.ts";

export interface ReadParts {
  readonly intake: Intake;
  readonly applied: Applied;
  readonly identities: IdentityStore;
  readonly profiles: ProfileStore;
}

/** On whose behalf: what other services are told of who asks. */
export interface Asker {
  readonly workspaceId: string;
  readonly requestId?: string;
  /** Of the span that asks; absent where the request is not recorded. */
  readonly traceparent?: string;
}

export interface ReadRequest extends Asker {
  /** A write that the read has to see, if need be after a longer wait. */
  readonly readAfter?: Position | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/**
 * Waits until what the log held at arrival is applied, `readWaitMs` at most, or `positionWaitMsMax` for `readAfter`.
 * True where the read answers without having seen all of it. Refuses POSITION_INVALID for another workspace's order,
 * and throws the reason of the signal where nobody waits for the answer any more.
 */
export async function isBehind(parts: ReadParts, request: ReadRequest): Promise<boolean> {
  const behind = await waited(parts, request);
  request.signal?.throwIfAborted();
  return behind;
}

async function waited({ intake, applied }: ReadParts, { workspaceId, readAfter }: ReadRequest): Promise<boolean> {
  const tail = await intake.tail(workspaceId);
  if (readAfter !== undefined && readAfter.partition !== tail.partition) {
    throw new Refusal("POSITION_INVALID", "Expected a position of this workspace, got one of another");
  }
  if (await applied.wait(tail, limits.readWaitMs)) return readAfter !== undefined && !await reached(applied, readAfter);
  if (readAfter !== undefined) await reached(applied, readAfter);
  return applied.through(tail) < tail.sequence;
}

function reached(applied: Applied, position: Position): Promise<boolean> {
  return applied.wait(position, limits.positionWaitMsMax - limits.readWaitMs);
}
