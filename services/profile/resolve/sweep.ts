/** Erases what ended by itself: merges whose undo window is over, answers of idempotency keys, results of jobs. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
import { type Identities, NeedRows } from "../domain/identity/identities.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { ExpiredMerge, IdentityStore, ProfileStore } from "../domain/ports.ts";
import { closeOverMerge } from "../domain/resolve/open-merges.ts";
import type { Step, StepStore, UnitOfWork, WorkspaceStep } from "./step-store.ts";
import type { Views } from "./views.ts";

export interface SweepDeps {
  readonly partition: number;
  readonly identities: IdentityStore;
  readonly profiles: ProfileStore;
  readonly store: StepStore;
  readonly views: Views;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly owns: (workspaceId: string) => boolean;
}

export interface PlannedSweep {
  /** Leaves the checkpoint where it is; undefined where nothing is over. */
  readonly step: Step | undefined;
  readonly work: UnitOfWork;
  /** To be confirmed once the step is written. */
  readonly views: readonly Identities[];
  /** There may be more of the same. */
  readonly isFull: boolean;
}

/** `now` is the resolver's: what it takes for over stays over. */
export async function planSweep(deps: SweepDeps, position: number, now: number): Promise<PlannedSweep> {
  const merges = await overMerges(deps, now);
  const rows = await deps.store.listExpiredRows(now, limits.expiredRowsSweepMax);
  const over = gather(rows.filter(({ workspaceId }) => deps.owns(workspaceId)), ({ key }) => key);
  const ids = [...new Set([...merges.keys(), ...over.keys()])];
  const views = ids.map((workspaceId) => deps.views.of(workspaceId));
  const work = deps.store.work();
  const workspaces = await Promise.all(views.map((view) => {
    const { workspaceId } = view;
    return sweepWorkspace(view, { merges: merges.get(workspaceId) ?? [], rows: over.get(workspaceId) ?? [], now, work, ...deps });
  }));
  return {
    work,
    step: workspaces.length === 0 ? undefined : { partition: deps.partition, through: position, now, workspaces, deadLetters: [] },
    views,
    isFull: countOf(merges) >= limits.frozenSweepMax || (over.size > 0 && rows.length === limits.expiredRowsSweepMax),
  };
}

/**
 * Frozen copies whose time is over by the clock, by workspace, but for those of users who are blocked: it looks behind those, however many
 * they are.
 */
async function overMerges({ profiles, store, clock, owns }: SweepDeps, now: number): Promise<Map<string, string[]>> {
  const over = Math.min(now, clock.now()) - limits.frozenGraceMs;
  const free: ExpiredMerge[] = [];
  for (let after: ExpiredMerge | undefined; free.length < limits.frozenSweepMax;) {
    const page = await store.listExpired(over, limits.frozenSweepMax, after);
    const own = gather(page.filter(({ workspaceId }) => owns(workspaceId)), (merge) => merge);
    for (const [workspaceId, merges] of own) free.push(...await freeMerges(profiles, workspaceId, merges));
    if (page.length < limits.frozenSweepMax) break;
    after = page.at(-1);
    await setImmediate();
  }
  return gather(free, ({ mergeId }) => mergeId);
}

/** What a blocked user waits for, an undo or the source of a later merge, was decided by an earlier now: it may still come. */
async function freeMerges(
  profiles: SweepDeps["profiles"],
  workspaceId: string,
  merges: readonly ExpiredMerge[],
): Promise<ExpiredMerge[]> {
  const frozen = await profiles.loadFrozen(workspaceId, merges.map(({ mergeId }) => mergeId));
  function usersOf({ mergeId }: ExpiredMerge): string[] {
    const merge = frozen.get(mergeId);
    return merge === undefined ? [] : [merge.source.id, merge.targetBefore.id];
  }
  const held = await profiles.loadBlocked(workspaceId, [...new Set(merges.flatMap(usersOf))]);
  return merges.filter((merge) => !usersOf(merge).some((user) => held.has(user)));
}

async function sweepWorkspace(
  view: Identities,
  over: { merges: readonly string[]; rows: readonly IdentityKey[]; work: UnitOfWork } & Closing,
): Promise<WorkspaceStep> {
  const forgotten = new Set(over.merges);
  for (const mergeId of over.merges) {
    for (const closed of await closing(view, over, mergeId)) forgotten.add(closed);
  }
  await over.work.forgetMerges(view.workspaceId, [...forgotten]);
  const identities = new Map([...view.changes(), ...over.rows.map((key) => [key, undefined] as const)]);
  return { workspaceId: view.workspaceId, identities, consent: [] };
}

interface Closing extends Pick<SweepDeps, "identities" | "logger"> {
  readonly now: number;
}

/** The merges that end with this one. A fault leaves the merge to the next touch of its target. */
async function closing(
  view: Identities,
  { identities, logger, now }: Closing,
  mergeId: string,
): Promise<readonly string[]> {
  for (;;) {
    try {
      const closed = closeOverMerge(view, mergeId, now);
      view.keep();
      return closed.map((merge) => merge.mergeId);
    } catch (signal) {
      view.discard();
      if (!(signal instanceof NeedRows)) {
        logger.error("merge_not_closed", signal, { workspaceId: view.workspaceId, mergeId });
        return [];
      }
      view.load(signal.keys, await identities.load(view.workspaceId, signal.keys));
    }
  }
}

function countOf(groups: ReadonlyMap<string, readonly unknown[]>): number {
  return groups.values().reduce((sum, { length }) => sum + length, 0);
}

function gather<Entry extends { readonly workspaceId: string }, Value>(
  entries: readonly Entry[],
  valueOf: (entry: Entry) => Value,
): Map<string, Value[]> {
  const groups = Map.groupBy(entries, ({ workspaceId }) => workspaceId);
  return new Map(Array.from(groups, ([workspaceId, some]) => [workspaceId, some.map(valueOf)]));
}
