/** DATA: every metric that a process of Heddle shows, one row each. Documents, dashboard and alerts are checked against it. */

export interface MetricRow {
  /** As Prometheus shows it: snake_case, base units, `_total` for counters. */
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  readonly help: string;
  /** Upper bounds of a histogram's buckets, in the unit of its name. */
  readonly buckets?: readonly number[];
  /** Of a counter: series that stand at 0 from the start, as the first event of one that comes with it is no increase for Prometheus. */
  readonly begins?: readonly Readonly<Record<string, string>>[];
}

/** Seconds, from a hit in memory to what a client gives up on. */
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** Seconds of one call of a store, a log or a limiter. */
const callSeconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

export const metricTable = {
  httpRequests: {
    name: "heddle_http_requests_total",
    kind: "counter",
    labels: ["route", "method", "status"],
    help: "Requests answered, by the pattern of their route (`none`: no route has the path, or none was asked) and status",
  },
  httpDuration: {
    name: "heddle_http_request_duration_seconds",
    kind: "histogram",
    labels: ["route", "method"],
    buckets: requestSeconds,
    help: "From the head of a request to its answer",
  },
  httpInFlight: { name: "heddle_http_requests_in_flight", kind: "gauge", labels: [], help: "Requests that are not answered yet" },
  writesPaused: {
    name: "heddle_writes_paused",
    kind: "gauge",
    labels: [],
    help: "1 while writes are refused because a backup is made, else 0",
  },
  limiterDuration: {
    name: "heddle_limiter_duration_seconds",
    kind: "histogram",
    labels: [],
    buckets: callSeconds,
    help: "One question to the rate limiter",
  },
  limiterRefused: {
    name: "heddle_limiter_refused_total",
    kind: "counter",
    labels: ["limit"],
    help: "Requests refused with 429, by the name of the limit",
  },
  rpcDuration: {
    name: "heddle_rpc_duration_seconds",
    kind: "histogram",
    labels: ["method", "outcome"],
    buckets: requestSeconds,
    help: "Calls of a service that were answered, by `answered`, `refused` or `fault`",
  },
  logAppendDuration: {
    name: "heddle_log_append_duration_seconds",
    kind: "histogram",
    labels: ["log"],
    buckets: callSeconds,
    help: "From the append of a record until it is durable; without bulk, which waits behind others for up to 2 s",
  },
  logAppendFailures: {
    name: "heddle_log_append_failures_total",
    kind: "counter",
    labels: ["log", "reason"],
    help: "Appends that were refused, by the reason",
  },
  storeDuration: {
    name: "heddle_store_duration_seconds",
    kind: "histogram",
    labels: ["store", "operation"],
    buckets: callSeconds,
    help: "One call of a store; `commit` and `save` until the rows are durable",
  },
  storeFailures: {
    name: "heddle_store_failures_total",
    kind: "counter",
    labels: ["store", "operation"],
    help: "Calls of a store that failed: readers try again, clients are answered 503",
  },
  laneLagRecords: {
    name: "heddle_lane_lag_records",
    kind: "gauge",
    labels: ["lane"],
    help: "Records that are durable and not applied yet",
  },
  laneLagSeconds: {
    name: "heddle_lane_lag_seconds",
    kind: "gauge",
    labels: ["lane"],
    help: "For how long the oldest record that is not applied has been seen to wait, to the second: counted anew where the process starts",
  },
  deadLetters: {
    name: "heddle_dead_letters",
    kind: "gauge",
    labels: ["service", "kind"],
    help: "What waits for a human: `held_users` whose records wait, `set_aside` records that could not be read or resolved",
  },
  ready: { name: "heddle_ready", kind: "gauge", labels: [], help: "1 while /readyz answers 200, else 0" },
  loopLag: {
    name: "heddle_event_loop_lag_seconds",
    kind: "gauge",
    labels: [],
    help: "The longest delay of a timer since the last scrape",
  },
  scimLinesLost: {
    name: "heddle_scim_log_lines_lost_total",
    kind: "counter",
    labels: ["reason"],
    begins: [{ reason: "full" }, { reason: "failed" }],
    help: "Lines of the SCIM log that are missing: too many waited (`full`), or they could not be written (`failed`)",
  },
  spansDropped: {
    name: "heddle_trace_spans_dropped_total",
    kind: "counter",
    labels: ["reason"],
    begins: [{ reason: "queue_full" }, { reason: "send_failed" }],
    help: "Spans that never reached the collector: the queue was full, or sending failed",
  },
  cpu: { name: "process_cpu_seconds_total", kind: "counter", labels: [], help: "User and system CPU time" },
  memory: { name: "process_resident_memory_bytes", kind: "gauge", labels: [], help: "Resident memory" },
  startTime: { name: "process_start_time_seconds", kind: "gauge", labels: [], help: "Start of the process, Unix time" },
} as const satisfies Record<string, MetricRow>;

type MetricKey = keyof typeof metricTable;
type KeysOf<Kind> = { [Key in MetricKey]: (typeof metricTable)[Key]["kind"] extends Kind ? Key : never }[MetricKey];
export type CounterKey = KeysOf<"counter">;
export type GaugeKey = KeysOf<"gauge">;
export type HistogramKey = KeysOf<"histogram">;
