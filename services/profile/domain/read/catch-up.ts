/** How long a read waits for writes that were answered before it came. */
import { limits } from "../../../../platform/limits.ts";
import { Refusal } from "../../../../platform/refusal.ts";
import type { ReadAhead } from "./read-ahead.ts";
import type { Applied, CaughtUp, IdentityStore, Intake, Position, ProfileStore } from "../ports.ts";
import type { UserId } from "../record/user-key.ts";

export interface ReadDeps {
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

/**
 * Waits until what the log held at arrival is applied, `readWaitMs` at most, or `positionWaitMsMax` for `readAfter`.
 * Refuses POSITION_INVALID for another workspace's order,
 * and throws the reason of the signal where no caller waits for the answer any more.
 */
export async function catchUp(deps: ReadDeps, request: ReadRequest): Promise<Pick<CaughtUp, "behind">> {
  const { end, readAfter, isBeyond } = await placesOf(deps, request);
  const { applied } = deps;
  let behind: boolean;
  if (await applied.wait(end, limits.readWaitMs)) behind = readAfter !== undefined && !await applied.wait(readAfter, longerMs);
  else {
    if (readAfter !== undefined) await applied.wait(readAfter, longerMs);
    behind = applied.through(end) < end.sequence;
  }
  request.signal?.throwIfAborted();
  return { behind: behind || isBeyond };
}

/** A read that knows who has which name, and then waits for those users alone: in the same time as `catchUp`, for both together. */
export interface NamesRead extends CaughtUp {
  /** Waits until what was decided is applied to these users; false where that takes too long. */
  waitUsers(ids: readonly UserId[]): Promise<boolean>;
  /** Waits until a later record, too, is decided. */
  waitDecided(sequence: number): Promise<boolean>;
}

/** As `catchUp`, until what the log held is decided: names and whom they mean are read, and users only where `waitUsers` was called. */
export async function catchUpNames(deps: ReadDeps, request: ReadRequest): Promise<NamesRead> {
  const { end, readAfter, isBeyond } = await placesOf(deps, request);
  const { applied } = deps;
  const { workspaceId, signal } = request;
  const inTime = await applied.waitDecided(end, limits.readWaitMs);
  let left = readAfter === undefined ? inTime : await applied.waitDecided(readAfter, (inTime ?? 0) + longerMs);
  signal?.throwIfAborted();
  return {
    behind: isBeyond || (inTime === undefined ? applied.decidedThrough(end) < end.sequence : left === undefined),
    end,
    async waitUsers(ids) {
      left = await applied.waitUsers(end, { workspaceId, ids }, left ?? 0);
      return left !== undefined;
    },
    async waitDecided(sequence) {
      left = await applied.waitDecided({ ...end, sequence }, left ?? 0);
      return left !== undefined;
    },
  };
}

interface ReadPlaces {
  /** Of the workspace's order: it is decided soon. */
  readonly end: Position;
  /** The end at most. */
  readonly readAfter: Position | undefined;
  /** The read names a place that the log has not given out: nobody waits for what may never come, and no resolver hurries for it. */
  readonly isBeyond: boolean;
}

async function placesOf({ intake }: ReadDeps, { workspaceId, readAfter }: ReadRequest): Promise<ReadPlaces> {
  const end = await intake.tail(workspaceId);
  if (readAfter !== undefined && readAfter.partition !== end.partition) {
    throw new Refusal("POSITION_INVALID", "Expected a position of this workspace, got one of another");
  }
  if (readAfter !== undefined) intake.refuseEarlier?.(readAfter);
  const isBeyond = readAfter !== undefined && readAfter.sequence > end.sequence;
  return { end, readAfter: isBeyond ? end : readAfter, isBeyond };
}

/** By how much longer a read waits for a write that it names. */
const longerMs = limits.positionWaitMsMax - limits.readWaitMs;
