/** How far lanes were behind in the last hours: of each minute the worst that was seen, kept in memory for operators who look later. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { repeatedly } from "../repeatedly.ts";
import type { Lag, LagMeter } from "./lag.ts";

export interface LaneHistory {
  readonly lane: string;
  /** The oldest first. A minute in which no look succeeded has none. */
  readonly samples: readonly LagSample[];
}

interface LagSample extends Omit<Lag, "lane"> {
  /** When the minute began, in Unix milliseconds. */
  readonly at: number;
}

export interface WatchedLags {
  /** As the meters read; what is seen is kept. */
  lags(): Promise<readonly Lag[]>;
  history(): readonly LaneHistory[];
  /** Ends the meters too. */
  close(): void;
}

/** Looks by itself in every minute in which `lags` is not called; a call is a look too. */
export function watchLags(meters: readonly LagMeter[], clock: Clock): WatchedLags {
  const lanes = new Map<string, LagSample[]>();
  let isSeen = false;
  const end = repeatedly(clock, limits.lagSampleMs, () => {
    if (!isSeen) void readBy("look").catch(() => {});
    isSeen = false;
  });
  async function readBy(how: "read" | "look"): Promise<readonly Lag[]> {
    const lags = await Promise.all(meters.map((meter) => meter[how]()));
    if (how === "read") isSeen = true;
    const now = clock.now();
    for (const lag of lags) keep(lag, now - now % limits.lagSampleMs);
    return lags;
  }
  function keep({ lane, records, seconds }: Lag, at: number): void {
    const samples = lanes.get(lane) ?? [];
    const last = samples.at(-1);
    if (last?.at === at) samples.pop();
    else if (samples.length >= limits.lagSamplesMax) samples.shift();
    const before = last?.at === at ? last : { records: 0, seconds: 0 };
    samples.push({ at, records: Math.max(before.records, records), seconds: Math.max(before.seconds, seconds) });
    lanes.set(lane, samples);
  }
  return {
    lags: () => readBy("read"),
    history: () => Array.from(lanes, ([lane, samples]) => ({ lane, samples })),
    close() {
      end();
      for (const meter of meters) meter.close();
    },
  };
}

/** As heddle.profile.v1.LaneProgress. */
export function laneMessages(lags: readonly Lag[], history: readonly LaneHistory[]) {
  const samples = new Map(history.map((one) => [one.lane, one.samples]));
  return lags.map(({ lane, records, seconds }) => ({
    lane,
    records: BigInt(records),
    seconds,
    samples: (samples.get(lane) ?? []).map((sample) => ({ ...sample, at: BigInt(sample.at), records: BigInt(sample.records) })),
  }));
}
