/** A change of subscription groups in the mesh: a record of the workspace's one order, answered when its applier has decided it. */
import type { Clock } from "../../../platform/clock.ts";
import { appendRecord, type IntakeDeps } from "../../../platform/intake/intake.ts";
import type { Position } from "../../../platform/intake/position.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { RequestContext } from "../../../platform/request-context.ts";
import { changedGroups, type GroupChange, noGroups, type OrderedGroups } from "../domain/group-order.ts";
import { groupChangeToMessage } from "./group-message.ts";

export interface ChangeGroupsDeps {
  readonly intake: IntakeDeps;
  /** As every process reads them. */
  readonly readGroups: (workspaceId: string) => Promise<OrderedGroups>;
  /** Waits, bounded, until what is said of groups is applied up to the place, or to the end of the log; whether it is. */
  readonly caughtUp: (workspaceId: string, place?: Position) => Promise<boolean>;
  readonly clock: Clock;
}

/**
 * Resolves when every process reads what the change made of the groups. Refuses as `changedGroups` does, and
 * OUTCOME_UNKNOWN where it is not decided after `groupChangeWaitMsMax`: then it may still be, and may be asked for again.
 */
export async function changeGroupsInOrder(
  deps: ChangeGroupsDeps,
  context: RequestContext,
  change: GroupChange,
): Promise<void> {
  const { workspaceId } = context;
  // What was asked before and is not decided may say otherwise: then the order decides
  if (await deps.caughtUp(workspaceId) && changesNothing(await deps.readGroups(workspaceId), change)) return;
  const place = await appendRecord(deps.intake, context, { body: { case: "changeGroups", value: groupChangeToMessage(change) } });
  await decided(deps, workspaceId, place);
}

/** What an earlier build left gets its place in the order with the first declaration, whatever that says. Refuses as `changedGroups` does. */
function changesNothing({ mark, groups }: OrderedGroups, change: GroupChange): boolean {
  return changedGroups(groups, change).length === 0 && mark[0] > noGroups.mark[0];
}

async function decided({ readGroups, caughtUp, clock }: ChangeGroupsDeps, workspaceId: string, place: Position): Promise<void> {
  const until = clock.monotonic() + limits.groupChangeWaitMsMax;
  for (let isCaughtUp = false;; isCaughtUp = await caughtUp(workspaceId, place)) {
    const { mark, refused } = await readGroups(workspaceId);
    if (mark[0] >= place.sequence) {
      const refusal = refused.find((one) => one.mark[0] === place.sequence);
      if (refusal !== undefined) throw new Refusal(refusal.reason, refusal.message);
      return;
    }
    if (isCaughtUp) throw new Refusal("OUTCOME_UNKNOWN", `${notApplied}: it is a dead letter, see heddle log status`);
    if (clock.monotonic() >= until) {
      throw new Refusal("OUTCOME_UNKNOWN", `${notApplied} yet: ask again when heddle log status shows no lag`);
    }
  }
}

const notApplied = "The change of subscription groups is accepted and not applied";
