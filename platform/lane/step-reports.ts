/** The resolvers' reports of their steps, read from the last one on, as the tails in it hold for all steps before it. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Log, LogRecord } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import type { LaneLayout } from "./layout.ts";
import { type Reading, readOn } from "./read-on.ts";

export interface StepReportsSource {
  readonly lanes: Pick<Log, "read" | "tail" | "watch">;
  readonly layout: LaneLayout;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface StepReportsReader {
  /** Of the intake. */
  readonly partition: number;
  /** Each time one or more, in order; `stepReportFromBytes` reads their bodies. */
  readonly take: (records: readonly [LogRecord, ...LogRecord[]]) => void;
  /** While nothing waits for them, those that come are read `reportReadMs` later, and at once otherwise. */
  readonly isAwaited: () => boolean;
}

export function readStepReports(
  { lanes, layout, clock, logger }: StepReportsSource,
  { partition, take, isAwaited }: StepReportsReader,
): Reading {
  const source = layout.reports(partition);
  let position: number | undefined;

  function watch(wake: () => void): () => void {
    let cancel: (() => void) | undefined;
    function later(): void {
      cancel = undefined;
      wake();
    }
    const stop = lanes.watch((changed) => {
      if (changed !== source) return;
      if (isAwaited()) wake();
      else cancel ??= clock.after(limits.reportReadMs, later);
    });
    return () => {
      cancel?.();
      stop();
    };
  }
  return readOn({ clock, idleMs: limits.readerIdleMsMax, watch }, {
    async turn() {
      const after = position ?? Math.max(0, await lanes.tail(source) - 1);
      const [first, ...others] = await lanes.read(source, after, { max: limits.laneRecordsMax, bytesMax: limits.laneBytesMax });
      if (first !== undefined) take([first, ...others]);
      position = (others.at(-1) ?? first)?.sequence ?? after;
      return first === undefined ? "idle" : "busy";
    },
    recover: (error, { count }) => logger.error("reports_not_read", error, { partition, failures: count }),
  });
}
