/** Progress of resolvers and appliers, told to every process that answers reads. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

/** May lose what is told, and give it late or twice: whoever tells says it again, and whoever listens keeps the furthest. */
export interface ProgressNews {
  tell(news: News): void;
  /** The returned function stops it. */
  listen(listener: (news: News) => void): () => void;
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

/** Tells at once, and the latest of everything again every `progressRepeatMs`. */
export function createProgressTeller({ news, clock }: { readonly news: ProgressNews; readonly clock: Clock }): ProgressTeller {
  const latest = new Map<string, News>();
  let cancel = repeatLater();

  function repeatLater(): () => void {
    return clock.after(limits.progressRepeatMs, () => {
      for (const one of latest.values()) news.tell(one);
      cancel = repeatLater();
    });
  }

  function tell(key: string, one: News): void {
    latest.set(key, one);
    news.tell(one);
  }

  return {
    written: (partition, sequence) => tell(`written ${partition}`, { kind: "written", partition, sequence }),
    applied: (lane, position) => tell(`applied ${lane}`, { kind: "applied", lane, position }),
    close: () => cancel(),
  };
}

/** Within one process: what a single one of each needs, and tests. */
export function createLocalNews(): ProgressNews {
  const listeners = new Set<(news: News) => void>();
  return {
    tell: (news) => {
      for (const listener of listeners) listener(news);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
