/**
 * Applies records of a lane of the mesh, where each address's row is a write of its own. What they caused is published
 * after it is written, and again where a record turns out to be in already.
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
import type { StatusRecord } from "../domain/status-record.ts";
import { type LaneSaid, readLaneBody, type Redrive, takenFromRow } from "./lane-message.ts";
import { type PlanParts, planWorkspace, type WorkspaceStep } from "./plan-step.ts";

export interface MeshApplyParts extends PlanParts {
  readonly commit: (step: LaneStep<WorkspaceStep>) => Promise<void>;
  /** Entries of these addresses whose cause lies at `sequence` or later. */
  readonly entriesSince: (workspaceId: string, addresses: readonly string[], sequence: number) => Promise<readonly LedgerEntry[]>;
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
  const said = bodies.map(({ body, place }) => readLaneBody(body, place));
  for (const [workspaceId, all] of Map.groupBy(said, (one) => one.workspaceId)) {
    let holds = createHolds(workspaceId === "" ? [] : await parts.waiting(workspaceId));
    for (const work of runsAndRedrives(all)) {
      holds = Array.isArray(work)
        ? (await applyAround(parts, workspaceId, { run: work, holds })).holds
        : await redriveOrReport(parts, workspaceId, { asked: work as Redrive, holds });
    }
  }
}

type Run = readonly Taken<StatusRecord>[];

function runsAndRedrives(all: readonly LaneSaid[]): (Run | Redrive)[] {
  const work: (Run | Redrive)[] = [];
  let records: Taken<StatusRecord>[] = [];
  for (const { said } of all) {
    if ("mark" in said) {
      records.push(said);
      continue;
    }
    work.push(...runsOf(records), said);
    records = [];
  }
  return [...work, ...runsOf(records)];
}

function runsOf(records: Run): Run[] {
  const size = limits.consentRunRecordsMax;
  return Array.from({ length: Math.ceil(records.length / size) }, (_, at) => records.slice(at * size, (at + 1) * size));
}

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
      reportSetAside(parts.logger, "messaging-status", setAside);
      after = after.copy();
      after.add(record);
      return [];
    },
  });
  return { free: applied.flat(), holds: after };
}

type AppliedRun = Pick<Planned<StatusRecord, unknown>, "free" | "holds">;

async function applyRun(
  parts: MeshApplyParts,
  workspaceId: string,
  { run, holds }: { readonly run: Run; readonly holds: Holds },
): Promise<AppliedRun> {
  const records = run.flatMap(({ said }) => said ?? []);
  return await tracedRecords(parts.traced, records, async (writing) => {
    const planned = await planAround(run, holds, (free, blame) => planWorkspace(parts, workspaceId, { records: free, blame }));
    const { plan: { step, stale }, setAside } = planned;
    await publishAgain(parts, workspaceId, stale);
    await writing(() => parts.commit({ workspaces: [step], setAside, taken: [] }));
    reportSetAside(parts.logger, "messaging-status", setAside);
    await parts.publish(workspaceId, step.entries);
    return planned;
  });
}

/**
 * What waits is applied where the request for it stands in the lane: everything of those addresses that was sent before
 * waits too. It is forgotten once it is in, so whoever stops between the two does it again.
 */
async function redrive(parts: MeshApplyParts, workspaceId: string, { keys, skipped }: Redrive): Promise<Holds> {
  await parts.forgetSetAside(
    skipped.map(({ sequence, part, key }) => ({ workspaceId, sequence: Number(sequence), part, key, body: new Uint8Array() })),
  );
  const asked = new Set(keys);
  const kept = (await parts.setAsideOf(workspaceId, limits.setAsideRedriveMax)).filter(({ record }) => asked.has(record.key));
  let holds = createHolds([]);
  for (const run of runsOf(kept.flatMap(({ record }) => takenFromRow(record)))) {
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
    parts.logger.error("lane_not_redriven", error, { lane: "messaging-status", workspaceId });
    return holds;
  }
}

/** Whoever wrote these entries may have died before they were published. */
async function publishAgain(parts: MeshApplyParts, workspaceId: string, stale: readonly StatusRecord[]): Promise<void> {
  if (stale.length === 0) return;
  const places = new Set(stale.map(({ mark }) => mark.join(".")));
  const addresses = [...new Set(stale.map(({ address }) => address))];
  const entries = await parts.entriesSince(workspaceId, addresses, Math.min(...stale.map(({ mark }) => mark[0])));
  await parts.publish(workspaceId, entries.filter((entry) => places.has(`${entry.sequence}.${entry.part}`)));
}
