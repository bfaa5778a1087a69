/** Progress of resolvers and appliers, published to every process that answers reads; and what reads wait for, published to those. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

/** May lose what is published, and give it late or twice: it is published again, and a listener keeps the furthest. */
export interface ProgressNotices {
  /** At least one, in one message. */
  publish(notices: readonly ProgressNotice[]): void;
  /** Asks every publisher for the latest of everything: once now, and again whenever it may have been missed. The returned function stops it. */
  listen(listener: (notice: ProgressNotice) => void): () => void;
  /** Calls back when a listener asks for the latest of everything. The returned function stops it. */
  onAsk(listener: () => void): () => void;
}

export type ProgressNotice =
  /** Identity rows of the steps of an intake partition are written up to the one whose checkpoint this is. */
  | { readonly kind: "written"; readonly partition: number; readonly sequence: number }
  /** A lane, as the layout numbers them, can be read as of this message. */
  | { readonly kind: "applied"; readonly lane: number; readonly position: number }
  /** A read waits until this record of an intake partition is decided. */
  | { readonly kind: "awaited"; readonly partition: number; readonly sequence: number }
  /** A read waits until a lane is applied up to this message. */
  | { readonly kind: "laneAwaited"; readonly lane: number; readonly position: number };

export interface ProgressPublisher {
  written(partition: number, sequence: number): void;
  applied(lane: number, position: number): void;
  close(): void;
}

/**
 * Publishes what changed at once, but what changes within `progressGatherMs` of that together; and once more after `progressRepeatMs`. The latest
 * of everything when a listener asks.
 */
export function createProgressPublisher(
  { notices, clock }: { readonly notices: ProgressNotices; readonly clock: Clock },
): ProgressPublisher {
  const latest = new Map<string, { readonly one: ProgressNotice; readonly place: number }>();
  const changed = new Set<string>();
  /** Not published yet. */
  const due = new Set<string>();
  let cancel: (() => void) | undefined;
  let cancelGathering: (() => void) | undefined;
  const stopAnswering = notices.onAsk(() => {
    due.clear();
    publishAll([...latest.values()].map(({ one }) => one));
  });

  function publishAll(all: readonly ProgressNotice[]): void {
    if (all.length > 0) notices.publish(all);
  }

  function publishOf(keys: Set<string>): void {
    publishAll([...keys].flatMap((key) => latest.get(key)?.one ?? []));
    keys.clear();
  }

  function repeat(): void {
    cancel = undefined;
    publishOf(changed);
  }

  function publishDue(): void {
    cancelGathering = undefined;
    if (due.size === 0) return;
    publishOf(due);
    cancelGathering = clock.after(limits.progressGatherMs, publishDue);
  }

  function publish(key: string, place: number, one: ProgressNotice): void {
    // An applier that has been replaced may end behind the one that goes on
    if ((latest.get(key)?.place ?? -1) >= place) return;
    latest.set(key, { one, place });
    changed.add(key);
    due.add(key);
    if (cancelGathering === undefined) publishDue();
    cancel ??= clock.after(limits.progressRepeatMs, repeat);
  }

  return {
    written: (partition, sequence) => publish(`written ${partition}`, sequence, { kind: "written", partition, sequence }),
    applied: (lane, position) => publish(`applied ${lane}`, position, { kind: "applied", lane, position }),
    close() {
      stopAnswering();
      cancel?.();
      cancelGathering?.();
      publishOf(due);
    },
  };
}
