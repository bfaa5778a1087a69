/** Applies rows of a lane in the embedded shape: plans what is free of each workspace, and writes all of it at once. */
import type { Logger } from "../logger.ts";
import { type TracedLane, type TracedRecord, tracedRecords } from "../telemetry/traced-records.ts";
import { halved } from "./halve.ts";
import { type Blame, createHolds, planAround, reasonOf, type Taken, type Waiting } from "./hold-back.ts";
import { LaneChanged, type LaneRecord, type SetAside } from "./lane.ts";
import type { Turn } from "./lane-reader.ts";

/** What a step writes, whole or not at all. */
export interface LaneStep<WorkspaceStep> {
  readonly workspaces: readonly WorkspaceStep[];
  /** Records that cannot be applied, and those that wait for them. */
  readonly setAside: readonly SetAside[];
  /** All that the step read; they leave the lane. */
  readonly taken: readonly LaneRecord[];
  /** What the lane said of itself when they were chosen; absent: nobody looked. */
  readonly returns?: number;
}

export interface ApplyRowsParts<Said, WorkspaceStep> {
  /** What a row of the lane says. */
  readonly takenFromRow: (row: LaneRecord) => readonly Taken<Said>[];
  /** What the records of a workspace cause. */
  readonly plan: (
    workspaceId: string,
    work: { readonly records: readonly Said[]; readonly blame: Blame<Said> },
  ) => Promise<{ readonly step: WorkspaceStep }>;
  /** What waits for a human, of one workspace. */
  readonly waiting: (workspaceId: string) => Promise<readonly Waiting[]>;
  readonly commit: (step: LaneStep<WorkspaceStep>) => Promise<void>;
  readonly logger: Logger;
  readonly traced: TracedLane;
}

/**
 * False where what waited was put back since the rows were chosen: then the lane has to be read again. What fails and does not
 * pass comes from one of the rows: halved down to that one, it waits, and the others are applied.
 */
export async function applyRows<Said extends TracedRecord, WorkspaceStep>(
  parts: ApplyRowsParts<Said, WorkspaceStep>,
  { records, returns }: Pick<Turn, "records" | "returns">,
): Promise<boolean> {
  const applied = await halved(records, {
    work: (some) => applyTogether(parts, { read: some, taken: some, returns }),
    alone: (row, error) => applyAlone(parts, row, { error, returns }),
  });
  return !applied.includes(false);
}

/** A row about several users is taken apart, so that only those of them wait whom it fails for. */
async function applyAlone<Said extends TracedRecord, WorkspaceStep>(
  parts: ApplyRowsParts<Said, WorkspaceStep>,
  row: LaneRecord,
  { error, returns }: { readonly error: unknown; readonly returns: number },
): Promise<boolean> {
  const each = parts.takenFromRow(row).map((one) => one.kept());
  async function setAside(record: LaneRecord, why: unknown, taken: readonly LaneRecord[] = []): Promise<boolean> {
    const set = [{ record, reason: reasonOf(why) }];
    await parts.commit({ workspaces: [], setAside: set, taken, returns });
    reportSetAside(parts.logger, parts.traced.lane, set);
    return true;
  }
  try {
    const [only, ...others] = each;
    if (only === undefined) throw error;
    if (others.length === 0) return await setAside(only, error, [row]);
    await halved(each, {
      work: (some) => applyTogether(parts, { read: some, taken: [], returns }),
      alone: (record, why) => setAside(record, why),
    });
    await parts.commit({ workspaces: [], setAside: [], taken: [row], returns });
  } catch (again) {
    if (again instanceof LaneChanged) return false;
    throw again;
  }
  return true;
}

async function applyTogether<Said extends TracedRecord, WorkspaceStep>(
  parts: ApplyRowsParts<Said, WorkspaceStep>,
  { read: rows, taken, returns }: {
    readonly read: readonly LaneRecord[];
    /** Those of them that leave the lane. */
    readonly taken: readonly LaneRecord[];
    readonly returns: number;
  },
): Promise<boolean> {
  const read = [...Map.groupBy(rows, ({ workspaceId }) => workspaceId)].map(([id, rows]) =>
    [id, rows.flatMap(parts.takenFromRow)] as const
  );
  const records = read.flatMap(([, all]) => all.flatMap(({ said }) => said ?? []));
  const setAside: SetAside[] = [];
  try {
    await tracedRecords(parts.traced, records, async (writing) => {
      const workspaces: WorkspaceStep[] = [];
      for (const [workspaceId, all] of read) {
        const holds = createHolds(await parts.waiting(workspaceId));
        const planned = await planAround(all, holds, (free, blame) => parts.plan(workspaceId, { records: free, blame }));
        workspaces.push(planned.plan.step);
        setAside.push(...planned.setAside);
      }
      await writing(() => parts.commit({ workspaces, setAside, taken, returns }));
    });
  } catch (error) {
    if (error instanceof LaneChanged) return false;
    throw error;
  }
  reportSetAside(parts.logger, parts.traced.lane, setAside);
  return true;
}

/** `lane`: the service that owns it. */
export function reportSetAside(logger: Logger, lane: string, setAside: readonly SetAside[]): void {
  for (const { record: { workspaceId, sequence, part }, reason } of setAside) {
    logger.error("lane_record_set_aside", new Error(reason), { lane, workspaceId, sequence, part });
  }
}
