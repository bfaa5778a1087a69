/**
 * How far lanes are applied, as a process that answers reads learns it: each step of the resolver reports the last message of
 * every lane, and appliers report how far they are. A read waits for the lanes that it reads from, and for no others; where a
 * lane is behind, for no more of it than the users or addresses that it reads, which it asks the lane's applier for.
 */
import type { Clock } from "../../../platform/clock.ts";
import type { Position } from "../../../platform/intake/position.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log, LogRecord } from "../../../platform/log/log.ts";
import type { Logger } from "../../../platform/logger.ts";
import type { QueryApplied } from "../../../platform/lane/applied-queries.ts";
import type { LaneLayout } from "../../../platform/lane/layout.ts";
import { stepReportFromBytes, tailsAfter } from "../../../platform/lane/resolver-checkpoint.ts";
import { createProgress, type Progress } from "../../../platform/lane/progress.ts";
import type { ProgressNotices } from "../../../platform/lane/progress-notices.ts";
import { readStepReports } from "../../../platform/lane/step-reports.ts";

export interface LaneAppliedDeps {
  readonly lanes: Pick<Log, "read" | "tail" | "watch">;
  readonly layout: LaneLayout;
  readonly intakePartitions: number;
  readonly notices: ProgressNotices;
  /** To the resolvers. */
  readonly resolvers: Pick<ProgressNotices, "publish">;
  /** To the lanes' appliers. */
  readonly queries: LaneQueries;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface LaneQueries {
  /** Whether this process works on the lane: then a question costs nothing. */
  isOwn(lane: number): boolean;
  /** False also where no applier answers. */
  ask(lane: number, ...ask: Parameters<QueryApplied>): Promise<boolean>;
}

/** What a read waits for. */
export interface LanePart {
  /** As the layout numbers them. */
  readonly lane: number;
  /** As `laneKey` makes them; "all" of the lane. */
  readonly keys: readonly string[] | "all";
}

export interface LaneApplied {
  /** Who is about to wait for the place has not asked the profile service for it: the resolver rests no longer before it. */
  hurry(place: Position): void;
  /** True as soon as what the intake held at `place` is applied in these parts of lanes; false after `ms`. */
  wait(place: Position, lanes: readonly LanePart[], ms: number): Promise<boolean>;
  /** Of a lane, as the layout numbers them: the last message that the resolvers sent there and the last that is applied, as far as is heard. */
  heard(lane: number): { readonly tail: number; readonly applied: number };
  /** Why nothing is heard of some partition; undefined while all is well. */
  trouble(): string | undefined;
  close(): Promise<void>;
}

/** What is known of one intake partition. */
interface Heard {
  /** The last record that is resolved. */
  readonly resolved: Progress;
  /** By lane: the last message that was sent there. */
  tails: readonly number[];
  /** Reads that wait for it. */
  waiting: number;
}

export function openLaneApplied(deps: LaneAppliedDeps): LaneApplied {
  const { clock, intakePartitions, notices, queries } = deps;
  const applied = Array.from({ length: deps.layout.partitions }, () => createProgress(clock));
  const heard = Array.from({ length: intakePartitions }, (): Heard => ({ resolved: createProgress(clock), tails: [], waiting: 0 }));
  const readings = heard.map((own, partition) =>
    readStepReports(deps, { partition, take: (records) => takeLast(own, records), isAwaited: () => own.waiting > 0 })
  );
  const stop = notices.listen((one) => {
    if (one.kind === "applied") applied[one.lane]?.advance(one.position);
  });

  async function reached({ lane, keys }: LanePart, through: number, ms: number): Promise<boolean> {
    const progress = applied[lane];
    if (progress === undefined) throw new Error(`Expected a lane below ${applied.length}, got ${lane}`);
    if (keys.length === 0) return true;
    if (keys === "all" || keys.length > limits.laneWantedKeysMax) return await progress.wait(through, ms);
    const until = clock.monotonic() + ms;
    // Most of what is behind is in at once: it costs no message
    if (await progress.wait(through, queries.isOwn(lane) ? 0 : Math.min(ms, limits.laneAskAfterMs))) return true;
    // The process that is asked may lose the lane to another one meanwhile, or no process may have it
    for (let pauseMs: number = limits.laneAskAfterMs;; pauseMs = Math.min(2 * pauseMs, limits.laneAskPauseMsMax)) {
      const left = until - clock.monotonic();
      if (await queries.ask(lane, { through, keys, ms: Math.min(Math.max(0, left), limits.laneAskMsMax) })) return true;
      const rest = until - clock.monotonic();
      if (await progress.wait(through, Math.min(pauseMs, rest))) return true;
      if (rest <= 0) return false;
    }
  }

  /** How many of the `ms` are left once the place is resolved; undefined after them without it. */
  async function resolved(of: Heard, { partition, sequence }: Position, ms: number): Promise<number | undefined> {
    if (of.resolved.reached >= sequence) return ms;
    of.waiting += 1;
    readings[partition]?.wake();
    const left = await of.resolved.waitLeft(sequence, ms);
    of.waiting -= 1;
    return left;
  }

  return {
    hurry({ partition, sequence }) {
      if ((heard[partition]?.resolved.reached ?? 0) < sequence) deps.resolvers.publish([{ kind: "awaited", partition, sequence }]);
    },
    async wait(place, lanes, ms) {
      const of = heard[place.partition];
      if (of === undefined) throw new Error(`Expected a partition below ${heard.length}, got ${place.partition}`);
      const left = await resolved(of, place, ms);
      if (left === undefined) return false;
      const { tails } = of;
      return (await Promise.all(lanes.map((part) => reached(part, tails[part.lane] ?? 0, left)))).every(Boolean);
    },
    heard: (lane) => ({
      tail: heard.reduce((last, { tails }) => Math.max(last, tails[lane] ?? 0), 0),
      applied: applied[lane]?.reached ?? 0,
    }),
    trouble: () => readings.map((reading) => reading.trouble()).find((reason) => reason !== undefined),
    async close() {
      stop();
      await Promise.all(readings.map((reading) => reading.close()));
    },
  };
}

/** The last of them has the tails of all before it. */
function takeLast(heard: Heard, records: readonly [LogRecord, ...LogRecord[]]): void {
  const { sequence, body } = records.at(-1) ?? records[0];
  const report = stepReportFromBytes(body);
  heard.tails = tailsAfter(report, sequence + 1);
  heard.resolved.advance(report.through);
}
