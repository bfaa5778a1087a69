/** How long a read waits for writes that were answered before it came. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { ReadAhead } from "./read-ahead.ts";
import type { Applied, CaughtUp, IdentityStore, Intake, Position, ProfileStore } from "./ports.ts";

export interface ReadParts {
  readonly intake: Intake;
  readonly applied: Applied;
  readonly identities: IdentityStore;
  readonly profiles: ProfileStore;
  /** Where the end of the log is asked for over the network. */
  readonly readAhead?: ReadAhead;
}

/** On whose behalf: what is passed to other services about the caller. */
export interface Asker {
  readonly workspaceId: string;
  readonly requestId?: string;
  /** Of the span that asks; absent where the request is not recorded. */
  readonly traceparent?: string;
}

export interface ReadRequest extends Asker {
  /** A write that the read has to see, if need be after a longer wait. */
  readonly readAfter?: Position | undefined;
  /** Aborts when no caller waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/** As catchUp, for those who need no more than whether it is behind. */
export async function isBehind(parts: ReadParts, request: ReadRequest): Promise<boolean> {
  return (await catchUp(parts, request)).behind;
}

/**
 * Waits until what the log held at arrival is applied, `readWaitMs` at most, or `positionWaitMsMax` for `readAfter`.
 * Refuses POSITION_INVALID for another workspace's order,
 * and throws the reason of the signal where no caller waits for the answer any more.
 */
export async function catchUp(parts: ReadParts, request: ReadRequest): Promise<CaughtUp> {
  const { workspaceId, readAfter, signal } = request;
  const end = await parts.intake.tail(workspaceId);
  if (readAfter !== undefined && readAfter.partition !== end.partition) {
    throw new Refusal("POSITION_INVALID", "Expected a position of this workspace, got one of another");
  }
  if (readAfter !== undefined) parts.intake.refuseEarlier?.(readAfter);
  const behind = await waited(parts, end, readAfter);
  signal?.throwIfAborted();
  return { behind, end };
}

async function waited({ applied }: ReadParts, tail: Position, readAfter: Position | undefined): Promise<boolean> {
  if (await applied.wait(tail, limits.readWaitMs)) return readAfter !== undefined && !await reached(applied, readAfter);
  if (readAfter !== undefined) await reached(applied, readAfter);
  return applied.through(tail) < tail.sequence;
}

function reached(applied: Applied, position: Position): Promise<boolean> {
  return applied.wait(position, limits.positionWaitMsMax - limits.readWaitMs);
}
