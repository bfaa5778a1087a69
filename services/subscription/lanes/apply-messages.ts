/**
 * Applies records of a lane of the mesh, where each user's row is a write of its own. Records are taken in runs, in which a
 * user is party to one merge or undo at most: so it is always known whose row has to be durable first. What a run caused is
 * published before the next one is written, and again where a record turns out to be in already.
 */
import { type LaneStep, reportSetAside } from "../../../platform/lane/apply-rows.ts";
import { halved } from "../../../platform/lane/halve.ts";
import { createHolds, type Holds, planAround, type Planned, reasonOf, type Taken } from "../../../platform/lane/hold-back.ts";
import type { LaneRecord, SetAside } from "../../../platform/lane/lane.ts";
import type { LaneBody } from "../../../platform/lane/lane-window.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
import { isPassing } from "../../../platform/passing.ts";
import { type TracedLane, tracedRecords } from "../../../platform/telemetry/traced-records.ts";
import { changedInOrder, type OrderedGroups } from "../domain/group-order.ts";
import type { MembershipRecord } from "../domain/membership-record.ts";
import type { UserId } from "../domain/memberships.ts";
import { type LaneSaid, readLaneBody, type Redrive, type SaidOfGroups, takenFromRow } from "./lane-message.ts";
import { type PlanParts, planWorkspace, Skew, usersOf, type WorkspaceStep } from "./plan-step.ts";

export interface MeshApplyParts extends PlanParts {
  readonly commit: (step: LaneStep<WorkspaceStep>) => Promise<void>;
  readonly readGroups: (workspaceId: string) => Promise<OrderedGroups>;
  readonly writeGroups: (workspaceId: string, groups: OrderedGroups) => Promise<void>;
  /** Entries of these users whose cause lies at `sequence` or later. */
  readonly entriesSince: (workspaceId: string, users: readonly UserId[], sequence: number) => Promise<readonly LedgerEntry[]>;
  /** Resolves when they are durable; harmless to do again. */
  readonly publish: (workspaceId: string, entries: readonly LedgerEntry[]) => Promise<void>;
  /** What waits of a workspace, in order, at most `max`. */
  readonly setAsideOf: (workspaceId: string, max: number) => Promise<readonly SetAside[]>;
  /** The records wait no more. */
  readonly forgetSetAside: (records: readonly LaneRecord[]) => Promise<void>;
  readonly logger: Logger;
  readonly traced: TracedLane;
}

/** Everything is saved and published when it resolves. Throws what store and log throw; doing it again is harmless. */
export async function applyMessages(parts: MeshApplyParts, bodies: readonly LaneBody[]): Promise<void> {
  for (const some of slicesOf(bodies)) await applySlice(parts, some);
}

/** What one request says of very many users is not unpacked all at once. */
function slicesOf(bodies: readonly LaneBody[]): LaneBody[][] {
  const slices: LaneBody[][] = [];
  let room = 0;
  for (const one of bodies) {
    const slice = slices.at(-1);
    room -= one.body.byteLength;
    if (slice !== undefined && room >= 0) slice.push(one);
    else {
      slices.push([one]);
      room = limits.consentSliceBytesMax - one.body.byteLength;
    }
  }
  return slices;
}

async function applySlice(parts: MeshApplyParts, bodies: readonly LaneBody[]): Promise<void> {
  const workspaces = new Map<string, LaneSaid["said"][]>();
  for (const { body, place } of bodies) {
    const { workspaceId, said } = readLaneBody(body, place);
    const before = workspaces.get(workspaceId);
    if (before === undefined) workspaces.set(workspaceId, [said]);
    else before.push(said);
  }
  for (const [workspaceId, said] of workspaces) {
    let holds = createHolds(workspaceId === "" ? [] : await parts.waiting(workspaceId));
    for (const work of worksOf(said)) {
      if ("mark" in work) await changeGroups(parts, workspaceId, work);
      else if ("skipped" in work) holds = await redriveOrReport(parts, workspaceId, { asked: work, holds });
      else holds = (await applyAround(parts, workspaceId, { run: work, holds })).holds;
    }
  }
}

type Work = Run | Exclude<LaneSaid["said"], readonly unknown[]>;

function worksOf(said: readonly LaneSaid["said"][]): Work[] {
  const works: Work[] = [];
  let records: Taken<MembershipRecord>[] = [];
  for (const one of said) {
    if (!("mark" in one) && !("skipped" in one)) {
      records.push(...one);
      continue;
    }
    works.push(...runsOf(records), one);
    records = [];
  }
  return [...works, ...runsOf(records)];
}

/** What stands behind it is read and judged after it is written; what was said before it is judged by what was then. */
async function changeGroups({ readGroups, writeGroups }: MeshApplyParts, workspaceId: string, said: SaidOfGroups): Promise<void> {
  const groups = changedInOrder(await readGroups(workspaceId), said.change, said.mark);
  if (groups !== undefined) await writeGroups(workspaceId, groups);
}

/** A delete begins a run: what was told before it has to be published before it is forgotten. */
function runsOf(records: readonly Taken<MembershipRecord>[]): Taken<MembershipRecord>[][] {
  const runs: Taken<MembershipRecord>[][] = [];
  let run: Taken<MembershipRecord>[] = [];
  const party = new Set<UserId>();
  for (const record of records) {
    const { keys: users, said } = record;
    const isMerge = users.length > 1;
    const last = run.at(-1)?.said?.change.type;
    const cuts = run.length >= runMax(record, run) || (isMerge && users.some((user) => party.has(user))) ||
      (said?.change.type === "deleted" && last !== "deleted" && run.length > 0);
    if (cuts) {
      runs.push(run);
      run = [];
      party.clear();
    }
    run.push(record);
    if (isMerge) { for (const user of users) party.add(user); }
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

function runMax({ fannedOut }: Taken<MembershipRecord>, [first]: readonly Taken<MembershipRecord>[]): number {
  return fannedOut || first?.fannedOut ? limits.fanOutRunUsersMax : limits.consentRunRecordsMax;
}

const attemptsMax = 3;

type Run = readonly Taken<MembershipRecord>[];

/**
 * What fails and does not pass comes from one of the records: halved down to that one, it waits with all that comes later of
 * the same, and the others go on.
 */
async function applyAround(
  parts: MeshApplyParts,
  workspaceId: string,
  { run, holds }: { readonly run: Run; readonly holds: Holds },
): Promise<AppliedRun> {
  let after = holds;
  const applied = await halved(run, {
    async work(some) {
      const { free, holds: next } = await applyRun(parts, workspaceId, { run: some, holds: after });
      after = next;
      return free;
    },
    async alone(record, error) {
      const setAside = [{ record: record.kept(), reason: reasonOf(error) }];
      await parts.commit({ workspaces: [], setAside, taken: [] });
      reportSetAside(parts.logger, "subscription", setAside);
      after = after.copy();
      after.add(record);
      return [];
    },
  });
  return { free: applied.flat(), holds: after };
}

type AppliedRun = Pick<Planned<MembershipRecord, unknown>, "free" | "holds">;

async function applyRun(
  parts: MeshApplyParts,
  workspaceId: string,
  { run, holds }: { readonly run: Run; readonly holds: Holds },
): Promise<AppliedRun> {
  const records = run.flatMap(({ said }) => said ?? []);
  return await tracedRecords(parts.traced, records, async (writing) => {
    const { plan: { step, stale }, free, setAside, holds: after } = await planRun(parts, workspaceId, { run, holds });
    await publishAgain(parts, workspaceId, stale);
    await writing(() => parts.commit({ workspaces: [step], setAside, taken: [] }));
    reportSetAside(parts.logger, "subscription", setAside);
    await parts.publish(workspaceId, step.entries);
    return { free, holds: after };
  });
}

/** Two rows that are read while another applier writes them may not fit each other: then they are read again. */
async function planRun(parts: MeshApplyParts, workspaceId: string, { run, holds }: { readonly run: Run; readonly holds: Holds }) {
  function plan(more: Pick<PlanParts, "onSkew">) {
    return planAround(run, holds, (records, blame) => planWorkspace({ ...parts, ...more }, workspaceId, { records, blame }));
  }
  function onSkew(): void {
    throw new Skew("Two users of one record were not read as of one moment");
  }
  for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
    try {
      return await plan({ onSkew });
    } catch (error) {
      if (!(error instanceof Skew)) throw error;
    }
  }
  return await plan({});
}

/**
 * What waits is applied where the request for it stands in the lane: everything of those users that was sent before waits
 * too. It is forgotten once it is in, so whoever stops between the two does it again.
 */
async function redrive(parts: MeshApplyParts, workspaceId: string, { skipped }: Redrive): Promise<Holds> {
  await parts.forgetSetAside(
    skipped.map(({ sequence, part, key }) => ({ workspaceId, sequence: Number(sequence), part, key, body: new Uint8Array() })),
  );
  const kept = (await parts.setAsideOf(workspaceId, limits.setAsideRedriveMax)).map(({ record }) => record);
  let holds = createHolds([]);
  for (const run of runsOf(kept.flatMap(takenFromRow))) {
    const { free, holds: after } = await applyAround(parts, workspaceId, { run, holds });
    holds = after;
    await parts.forgetSetAside(free.map((record) => record.kept()));
  }
  return createHolds(await parts.waiting(workspaceId));
}

/** What an operator asked for is asked for again where it fails: the lane goes on. */
async function redriveOrReport(
  parts: MeshApplyParts,
  workspaceId: string,
  { asked, holds }: { readonly asked: Redrive; readonly holds: Holds },
): Promise<Holds> {
  try {
    return await redrive(parts, workspaceId, asked);
  } catch (error) {
    if (isPassing(error)) throw error;
    parts.logger.error("lane_not_redriven", error, { lane: "subscription", workspaceId });
    return holds;
  }
}

/** Whoever wrote these entries may have died before they were published. */
async function publishAgain(parts: MeshApplyParts, workspaceId: string, stale: readonly MembershipRecord[]): Promise<void> {
  if (stale.length === 0) return;
  const places = new Set(stale.map(({ mark }) => mark.join(".")));
  const users = [...new Set(stale.flatMap(usersOf))];
  const sequence = Math.min(...stale.map(({ mark }) => mark[0]));
  const entries = await parts.entriesSince(workspaceId, users, sequence);
  await parts.publish(workspaceId, entries.filter((entry) => places.has(`${entry.sequence}.${entry.part}`)));
}
