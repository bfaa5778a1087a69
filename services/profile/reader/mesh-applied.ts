/**
 * How far the intake is applied, as a process learns it that neither resolves nor applies: each step reports which place
 * of which lane has to be applied for it, appliers report how far they are, and resolvers when their rows are written.
 */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log, LogRecord } from "../../../platform/log/log.ts";
import type { Logger } from "../../../platform/logger.ts";
import type { LaneLayout } from "../../../platform/lane/layout.ts";
import type { Applied, Position, RecordOutcome } from "../domain/ports.ts";
import type { UserId } from "../domain/record/user-key.ts";
import { laneKeyOf } from "../../../platform/user-number.ts";
import { createOutcomes, type Outcomes } from "./outcomes.ts";
import { createProgress, type Progress } from "../../../platform/lane/progress.ts";
import { stepReportFromBytes, tailsAfter } from "../../../platform/lane/resolver-checkpoint.ts";
import { GatheredNotices, type ProgressNotice, type ProgressNotices } from "../../../platform/lane/progress-notices.ts";
import { readStepReports } from "../../../platform/lane/step-reports.ts";

export interface MeshAppliedDeps {
  readonly lanes: Pick<Log, "read" | "tail" | "watch">;
  readonly layout: LaneLayout;
  readonly intakePartitions: number;
  readonly notices: ProgressNotices;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface MeshApplied extends Applied {
  /** Why nothing is heard of some partition; undefined while all is well. */
  trouble(): string | undefined;
  close(): Promise<void>;
}

export function openMeshApplied(deps: MeshAppliedDeps): MeshApplied {
  const { clock, layout } = deps;
  const lanes = Array.from({ length: layout.lanes }, () => createProgress(clock));
  const heard = Array.from({ length: deps.intakePartitions }, () => new HeardPartition(clock, lanes));
  /** What reads wait for: places of partitions, and of lanes. */
  const awaited = new GatheredNotices(deps);
  const readings = heard.map((own, partition) =>
    readStepReports(deps, { partition, take: (records) => takeReports(own, layout.lanes, records), isAwaited: () => true })
  );
  const stop = deps.notices.listen(take);

  function take(notice: ProgressNotice): void {
    if (notice.kind === "written") {
      heard[notice.partition]?.wrote(notice.sequence);
    } else if (notice.kind === "applied" && notice.position > (lanes[notice.lane]?.reached ?? Infinity)) {
      lanes[notice.lane]?.advance(notice.position);
      for (const partition of heard) partition.settle();
    }
  }

  function of(partition: number): HeardPartition {
    const found = heard[partition];
    if (found === undefined) throw new Error(`Expected a partition below ${heard.length}, got ${partition}`);
    return found;
  }

  /** Who waits for what is not decided ends the rest before the next step. */
  function hurried({ partition, sequence }: Position): HeardPartition {
    const heard = of(partition);
    if (heard.decided.reached < sequence) awaited.put(`partition ${partition}`, sequence, { kind: "awaited", partition, sequence });
    return heard;
  }

  return {
    wait: (position, ms) => hurried(position).progress.wait(position.sequence, ms),
    through: ({ partition }) => of(partition).progress.reached,
    waitDecided: (position, ms) => hurried(position).decided.waitLeft(position.sequence, ms),
    decidedThrough: ({ partition }) => of(partition).decided.reached,
    async waitUsers({ partition }, { workspaceId, ids }, ms) {
      const { tails } = of(partition);
      const own = lanesOf(layout, workspaceId, ids);
      for (const lane of own) {
        const position = tails[lane] ?? 0;
        if ((lanes[lane]?.reached ?? 0) < position) awaited.put(`lane ${lane}`, position, { kind: "laneAwaited", lane, position });
      }
      const left = await Promise.all([...own].map((lane) => lanes[lane]?.waitLeft(tails[lane] ?? 0, ms)));
      return left.reduce((least, one) => least === undefined || one === undefined ? undefined : Math.min(least, one), ms);
    },
    outcome: ({ partition, sequence }) => of(partition).outcomes.take(sequence),
    trouble: () => readings.map((reading) => reading.trouble()).find((reason) => reason !== undefined),
    async close() {
      stop();
      awaited.close();
      await Promise.all(readings.map((reading) => reading.close()));
    },
  };
}

/** Very many may share an address: after some of them all lanes are named. */
function lanesOf(layout: LaneLayout, workspaceId: string, ids: readonly UserId[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const id of ids) {
    found.add(layout.profile(layout.laneOf(workspaceId, laneKeyOf(workspaceId, id))));
    if (found.size === layout.lanes) break;
  }
  return found;
}

/** A reported step that is not known to be readable yet. */
interface ReportedStep {
  readonly through: number;
  readonly checkpoint: number;
  readonly keepsNames: boolean;
  /** Of the profile lanes, which come first in the layout. */
  readonly tails: readonly number[];
}

class HeardPartition {
  readonly progress: Progress;
  readonly decided: Progress;
  /** By lane: where everything is that was decided. */
  tails: readonly number[] = [];
  readonly outcomes: Outcomes<RecordOutcome> = createOutcomes(limits.outcomesKeptMax);
  readonly #lanes: readonly Progress[];
  #steps: ReportedStep[] = [];
  #written = 0;

  constructor(clock: Clock, lanes: readonly Progress[]) {
    this.progress = createProgress(clock);
    this.decided = createProgress(clock);
    this.#lanes = lanes;
  }

  reported(step: ReportedStep): void {
    this.#steps.push(step);
    // A step that is left out is waited for by the one after it
    if (this.#steps.length > limits.stepsHeardMax) {
      this.#steps = this.#steps.filter((_, at) => at % 2 === 1 || at === this.#steps.length - 1);
    }
    this.settle();
  }

  wrote(sequence: number): void {
    this.#written = Math.max(this.#written, sequence);
    this.settle();
  }

  settle(): void {
    const decided = this.#steps.findLast((step) => step.keepsNames || step.checkpoint <= this.#written);
    if (decided !== undefined && decided.through > this.decided.reached) {
      this.tails = decided.tails;
      this.decided.advance(decided.through);
    }
    let done = 0;
    while (this.#isReadable(this.#steps[done])) done += 1;
    const last = this.#steps[done - 1];
    if (last === undefined) return;
    this.#steps = this.#steps.slice(done);
    this.progress.advance(last.through);
  }

  #isReadable(step: ReportedStep | undefined): boolean {
    if (step === undefined || step.checkpoint > this.#written) return false;
    return step.tails.every((tail, lane) => tail <= (this.#lanes[lane]?.reached ?? 0));
  }
}

function takeReports(partition: HeardPartition, lanes: number, records: readonly LogRecord[]): void {
  for (const { sequence, body } of records) {
    const report = stepReportFromBytes<RecordOutcome>(body);
    for (const [place, outcome] of report.outcomes) partition.outcomes.put(place, outcome);
    const checkpoint = sequence + 1;
    partition.reported({
      through: report.through,
      checkpoint,
      keepsNames: report.keepsNames === true,
      tails: tailsAfter(report, checkpoint).slice(0, lanes),
    });
  }
}
