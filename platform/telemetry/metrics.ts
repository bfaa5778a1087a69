/** The metrics of a process: counted and observed by name of the table, asked at each scrape, in the Prometheus text format. */
import { singleFlight } from "../single-flight.ts";
import { type CounterKey, type GaugeKey, type HistogramKey, type MetricRow, metricTable } from "./metric-table.ts";

type Labels = Readonly<Record<string, string>>;

export interface Metrics {
  count(metric: CounterKey, labels: Labels, by?: number): void;
  /** In the unit of the metric's name. */
  observe(metric: HistogramKey, labels: Labels, value: number): void;
  /** `read` is asked at each scrape; one that fails leaves its metric out. The returned function ends it. */
  gauge(metric: GaugeKey | "cpu", read: () => readonly Reading[] | Promise<readonly Reading[]>): () => void;
}

interface Reading {
  readonly labels?: Labels;
  readonly value: number;
}

export interface ShownMetrics extends Metrics {
  /** Everything, in the text format 0.0.4 of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Takes no note of anything: where metrics are not scraped, nothing is spent. */
export const noMetrics: Metrics = { count: () => {}, observe: () => {}, gauge: () => () => {} };

/** The library is loaded here and not before: a process that is not scraped does not hold it. */
export async function openMetrics(): Promise<ShownMetrics> {
  const { Registry, Counter, Gauge, Histogram } = (await import("prom-client")).default;
  const registry = new Registry();
  const counters = new Map<string, InstanceType<typeof Counter>>();
  const gauges = new Map<string, InstanceType<typeof Gauge>>();
  const histograms = new Map<string, InstanceType<typeof Histogram>>();
  for (const [key, row] of Object.entries<MetricRow>(metricTable)) {
    const settings = { name: row.name, help: row.help, labelNames: [...row.labels], registers: [registry] };
    if (row.kind === "histogram") histograms.set(key, new Histogram({ ...settings, buckets: [...row.buckets ?? []] }));
    else if (row.kind === "counter") counters.set(key, begun(new Counter(settings), row));
    else gauges.set(key, new Gauge(settings));
  }
  const readers = new Map<symbol, Reader>();

  async function scrape({ metric, read }: Reader): Promise<void> {
    const readings = await read();
    const shown = gauges.get(metric);
    for (const { labels = {}, value } of readings) {
      if (shown !== undefined) shown.set({ ...labels }, value);
      else raise(counters.get(metric), value);
    }
  }

  return {
    count: (metric, labels, by = 1) => counters.get(metric)?.inc(labels, by),
    observe: (metric, labels, value) => histograms.get(metric)?.observe(labels, value),
    gauge(metric, read) {
      const own = Symbol(metric);
      readers.set(own, { metric, read });
      return () => void readers.delete(own);
    },
    // One at a time: the next begins by taking away what the gauges say
    text: singleFlight<void, string>(async () => {
      for (const gauge of gauges.values()) gauge.reset();
      await Promise.all([...readers.values()].map((reader) => scrape(reader).catch(() => {})));
      return await registry.metrics();
    }),
    contentType: registry.contentType,
  };
}

function begun<Counted extends { inc(labels: Labels, by: number): void }>(counter: Counted, { begins = [] }: MetricRow): Counted {
  for (const labels of begins) counter.inc(labels, 0);
  return counter;
}

interface Reader {
  readonly metric: GaugeKey | "cpu";
  readonly read: () => readonly Reading[] | Promise<readonly Reading[]>;
}

/** A counter whose total is kept elsewhere. */
function raise(counter: { reset(): void; inc(by: number): void } | undefined, total: number): void {
  counter?.reset();
  counter?.inc(total);
}

/** Observes how long `work` takes, and how often it fails; gives what it gives and throws what it throws. */
export async function timed<T>(work: () => Promise<T>, done: (seconds: number, error?: unknown) => void): Promise<T> {
  const began = performance.now();
  try {
    const result = await work();
    done((performance.now() - began) / millis);
    return result;
  } catch (error) {
    done((performance.now() - began) / millis, error ?? new Error("Failed for no reason"));
    throw error;
  }
}

const millis = 1_000;
