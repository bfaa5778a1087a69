/** The gauges of work that waits: how far lanes are behind, and what waits for a human. */
import type { Lag } from "./lag.ts";
import type { Metrics } from "./metrics.ts";

export interface WorkSource {
  readonly lags: () => Promise<readonly Lag[]>;
  readonly backlog: () => Backlog | Promise<Backlog>;
}

export interface Backlog {
  /** Users whose records wait. */
  readonly heldUsers: number;
  /** Records that could not be read or resolved. */
  readonly setAside: number;
}

/** The returned function ends it. */
export function watchWork(metrics: Metrics, { lags, backlog }: WorkSource): () => void {
  const ends = [
    metrics.gauge("laneLagRecords", async () => (await lags()).map(({ lane, records }) => ({ labels: { lane }, value: records }))),
    metrics.gauge("laneLagSeconds", async () => (await lags()).map(({ lane, seconds }) => ({ labels: { lane }, value: seconds }))),
    metrics.gauge("deadLetters", async () => {
      const { heldUsers, setAside } = await backlog();
      return [{ labels: { kind: "held_users" }, value: heldUsers }, { labels: { kind: "set_aside" }, value: setAside }];
    }),
  ];
  return () => ends.forEach((end) => end());
}
