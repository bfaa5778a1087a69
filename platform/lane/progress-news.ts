/** Progress of resolvers and appliers, published to every process that answers reads. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

/** May lose what is published, and give it late or twice: it is published again, and a listener keeps the furthest. */
export interface ProgressNews {
  /** At least one, in one message. */
  tell(news: readonly News[]): void;
  /** Asks every publisher for the latest of everything: once now, and again whenever it may have been missed. The returned function stops it. */
  listen(listener: (news: News) => void): () => void;
  /** Calls back when a listener asks for the latest of everything. The returned function stops it. */
  onAsk(listener: () => void): () => void;
}

export type News =
  /** Identity rows of the steps of an intake partition are written up to the one whose checkpoint this is. */
  | { readonly kind: "written"; readonly partition: number; readonly sequence: number }
  /** A lane, as the layout numbers them, can be read as of this message. */
  | { readonly kind: "applied"; readonly lane: number; readonly position: number };

export interface ProgressTeller {
  written(partition: number, sequence: number): void;
  applied(lane: number, position: number): void;
  close(): void;
}

/**
 * Publishes what changed at once, but what changes within `progressGatherMs` of that together; and once more after `progressRepeatMs`. The latest
 * of everything when a listener asks.
 */
export function createProgressTeller({ news, clock }: { readonly news: ProgressNews; readonly clock: Clock }): ProgressTeller {
  const latest = new Map<string, { readonly one: News; readonly place: number }>();
  const changed = new Set<string>();
  /** Not told yet. */
  const due = new Set<string>();
  let cancel: (() => void) | undefined;
  let cancelGathering: (() => void) | undefined;
  const deafen = news.onAsk(() => {
    due.clear();
    tellAll([...latest.values()].map(({ one }) => one));
  });

  function tellAll(all: readonly News[]): void {
    if (all.length > 0) news.tell(all);
  }

  function tellOf(keys: Set<string>): void {
    tellAll([...keys].flatMap((key) => latest.get(key)?.one ?? []));
    keys.clear();
  }

  function repeat(): void {
    cancel = undefined;
    tellOf(changed);
  }

  function tellDue(): void {
    cancelGathering = undefined;
    if (due.size === 0) return;
    tellOf(due);
    cancelGathering = clock.after(limits.progressGatherMs, tellDue);
  }

  function tell(key: string, place: number, one: News): void {
    if (latest.get(key)?.place === place) return;
    latest.set(key, { one, place });
    changed.add(key);
    due.add(key);
    if (cancelGathering === undefined) tellDue();
    cancel ??= clock.after(limits.progressRepeatMs, repeat);
  }

  return {
    written: (partition, sequence) => tell(`written ${partition}`, sequence, { kind: "written", partition, sequence }),
    applied: (lane, position) => tell(`applied ${lane}`, position, { kind: "applied", lane, position }),
    close() {
      deafen();
      cancel?.();
      cancelGathering?.();
      tellOf(due);
    },
  };
}
