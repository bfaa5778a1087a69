/** The gauges of work that waits: how far lanes are behind, and what waits for a human. */
import type { Lag } from "./lag.ts";
import type { LaneHistory } from "./lag-history.ts";
import type { Metrics } from "./metrics.ts";

export interface WorkSource {
  readonly lags: () => Promise<readonly Lag[]>;
  readonly backlog: () => Backlog | Promise<Backlog>;
  /** How far they were behind in the last hours, as far as this process saw it. */
  readonly history: () => readonly LaneHistory[];
}

export interface Backlog {
  /** Users whose records wait. */
  readonly blockedUsers: number;
  /** Records that could not be read or resolved. */
  readonly deadLetters: number;
}

/** Of a service that may hold no users back. */
export interface LaneWork extends Pick<WorkSource, "lags" | "history"> {
  readonly backlog: () => LaneBacklog | Promise<LaneBacklog>;
}

export type LaneBacklog = Pick<Backlog, "deadLetters"> & Partial<Backlog>;

/** `service`: whose lanes and records they are. The returned function ends it. */
export function watchWork(metrics: Metrics, service: string, { lags, backlog }: Omit<LaneWork, "history">): () => void {
  const ends = [
    metrics.gauge("laneLagRecords", async () => (await lags()).map(({ lane, records }) => ({ labels: { lane }, value: records }))),
    metrics.gauge("laneLagSeconds", async () => (await lags()).map(({ lane, seconds }) => ({ labels: { lane }, value: seconds }))),
    metrics.gauge("deadLetters", async () => {
      const { blockedUsers, deadLetters } = await backlog();
      const held = blockedUsers === undefined ? [] : [{ labels: { service, kind: "held_users" }, value: blockedUsers }];
      return [...held, { labels: { service, kind: "set_aside" }, value: deadLetters }];
    }),
  ];
  return () => ends.forEach((end) => end());
}
