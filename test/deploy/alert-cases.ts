/** DATA: of each alert what Prometheus sees each 15 s, when it is still quiet, when it fires and with which labels of its series. */

export interface AlertCase {
  readonly alert: string;
  /** Series to values, in the notation of promtool: `0x4 1x60` is five times 0, then 61 times 1. */
  readonly series: Readonly<Record<string, string>>;
  readonly quietAt: string;
  readonly firesAt: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** What `$value` is then. */
  readonly value?: number;
}

export const alertCases: readonly AlertCase[] = [
  {
    alert: "HeddleDown",
    series: { 'up{job="heddle",instance="a"}': "1x4 0x60", 'up{job="heddle",instance="b"}': "1x70" },
    quietAt: "3m",
    firesAt: "3m30s",
    labels: { job: "heddle", instance: "a" },
  },
  { alert: "HeddleAbsent", series: { 'up{job="other"}': "1x70" }, quietAt: "4m45s", firesAt: "5m15s", labels: { job: "heddle" } },
  // Those of a part that was scaled to nothing are gone, not down
  {
    alert: "HeddleAbsent",
    series: { 'up{job="heddle",instance="a"}': "1x4 stale" },
    quietAt: "6m",
    firesAt: "6m30s",
    labels: { job: "heddle" },
  },
  {
    alert: "HeddleRestarts",
    series: { 'process_start_time_seconds{job="heddle",instance="a"}': "100x4 200x4 300x4 400x60" },
    quietAt: "3m30s",
    firesAt: "4m",
    labels: { job: "heddle", instance: "a" },
  },
  {
    alert: "HeddleNotReady",
    series: { 'heddle_ready{instance="gateway"}': "1x4 0x60" },
    quietAt: "3m",
    firesAt: "3m30s",
    labels: { instance: "gateway" },
  },
  {
    alert: "HeddleErrors",
    series: {
      'heddle_http_requests_total{route="/users/track",method="POST",status="201"}': "0+980x70",
      'heddle_http_requests_total{route="/users/track",method="POST",status="500"}': "0+20x70",
      'heddle_writes_paused{instance="a"}': "0x70",
    },
    quietAt: "5m",
    firesAt: "5m30s",
  },
  {
    alert: "HeddleSlow",
    series: {
      'heddle_http_request_duration_seconds_bucket{route="/users/track",method="POST",le="1"}': "0+90x70",
      'heddle_http_request_duration_seconds_bucket{route="/users/track",method="POST",le="2.5"}': "0+100x70",
      'heddle_http_request_duration_seconds_bucket{route="/users/track",method="POST",le="+Inf"}': "0+100x70",
    },
    quietAt: "10m",
    firesAt: "10m30s",
    labels: { route: "/users/track" },
  },
  {
    alert: "HeddleLagging",
    series: {
      'heddle_lane_lag_seconds{lane="intake-0",instance="a"}': "5x4 31x60",
      'heddle_lane_lag_seconds{lane="intake-0",instance="b"}': "5x70",
    },
    quietAt: "6m",
    firesAt: "6m30s",
    labels: { lane: "intake-0" },
  },
  {
    alert: "HeddleDeadLetters",
    series: { 'heddle_dead_letters{service="profile",kind="held_users",instance="a"}': "0x4 2x60" },
    quietAt: "6m",
    firesAt: "6m30s",
    labels: { service: "profile", kind: "held_users" },
    value: 2,
  },
  {
    alert: "HeddleLogRefuses",
    series: { 'heddle_log_append_failures_total{log="intake",reason="LOG_FULL"}': "0x4 1+1x60" },
    quietAt: "4m",
    firesAt: "4m30s",
    labels: { reason: "LOG_FULL" },
  },
  // A write every few minutes
  {
    alert: "HeddleLogRefuses",
    series: { 'heddle_log_append_failures_total{log="intake",reason="LOG_FULL"}': "0x7 1x9 2x9 3x9 4x60" },
    quietAt: "4m45s",
    firesAt: "5m15s",
    labels: { reason: "LOG_FULL" },
  },
  {
    alert: "HeddleStoreFails",
    series: { 'heddle_store_failures_total{store="profiles",operation="load"}': "0+20x70" },
    quietAt: "5m",
    firesAt: "5m30s",
    labels: { store: "profiles", operation: "load" },
  },
  {
    alert: "HeddleLogSlow",
    series: {
      'heddle_log_append_duration_seconds_bucket{log="intake",le="0.25"}': "0+90x70",
      'heddle_log_append_duration_seconds_bucket{log="intake",le="1"}': "0+100x70",
      'heddle_log_append_duration_seconds_bucket{log="intake",le="+Inf"}': "0+100x70",
    },
    quietAt: "10m",
    firesAt: "10m30s",
  },
  {
    alert: "HeddleLoopLag",
    series: { 'heddle_event_loop_lag_seconds{instance="a"}': "0.01x4 0.9x60" },
    quietAt: "6m",
    firesAt: "6m30s",
    labels: { instance: "a" },
  },
  {
    alert: "HeddleLimiting",
    series: { 'heddle_limiter_refused_total{limit="users_track"}': "0+150x100" },
    quietAt: "15m",
    firesAt: "17m",
    labels: { limit: "users_track" },
  },
  // One line is enough
  {
    alert: "HeddleScimLinesLost",
    series: { 'heddle_scim_log_lines_lost_total{reason="failed"}': "0x4 1x60" },
    quietAt: "1m",
    firesAt: "1m30s",
  },
  {
    alert: "HeddleTracesLost",
    series: { 'heddle_trace_spans_dropped_total{reason="send_failed"}': "0+1x100" },
    quietAt: "15m",
    firesAt: "15m30s",
  },
];

/** A busy day, on which what fails is over within a minute or two: nothing fires. */
export const quietDay: Readonly<Record<string, string>> = {
  'up{job="heddle",instance="a"}': "1x200",
  'process_start_time_seconds{job="heddle",instance="a"}': "100x60 200x60 300x80",
  'heddle_ready{instance="a"}': "1x200",
  // One request in two hundred
  'heddle_http_requests_total{route="/users/track",method="POST",status="201"}': "0+1990x200",
  'heddle_http_requests_total{route="/users/track",method="POST",status="500"}': "0+9x200",
  // A backup pauses writes for eleven minutes
  'heddle_http_requests_total{route="/users/track",method="POST",status="503"}': "0x15 0+1000x44 44000x140",
  'heddle_writes_paused{instance="a"}': "0x15 1x44 0x140",
  'heddle_http_requests_total{route="/users/export/ids",method="POST",status="503"}': "0x103 400+400x3 1600x93",
  'heddle_http_request_duration_seconds_bucket{route="/users/track",method="POST",le="1"}': "0+100x200",
  'heddle_http_request_duration_seconds_bucket{route="/users/track",method="POST",le="+Inf"}': "0+100x200",
  // A search of the console may take its time
  'heddle_http_request_duration_seconds_bucket{route="/console/people",method="POST",le="1"}': "0+0x200",
  'heddle_http_request_duration_seconds_bucket{route="/console/people",method="POST",le="+Inf"}': "0+100x200",
  'heddle_lane_lag_seconds{lane="intake-0",instance="a"}': "2x30 40x8 2x160",
  'heddle_dead_letters{service="profile",kind="held_users",instance="a"}': "0x30 1x8 0x160",
  'heddle_log_append_failures_total{log="intake",reason="LOG_FULL"}': "0x200",
  'heddle_log_append_failures_total{log="intake",reason="LOG_UNAVAILABLE"}': "0x111 1x89",
  'heddle_log_append_failures_total{log="intake",reason="INPUT_INVALID"}': "0+5x200",
  'heddle_store_failures_total{store="profiles",operation="load"}': "0x100 1x100",
  'heddle_store_failures_total{store="profiles",operation="save"}': "0x103 50+50x3 200x93",
  'heddle_log_append_duration_seconds_bucket{log="intake",le="0.25"}': "0+100x200",
  'heddle_log_append_duration_seconds_bucket{log="intake",le="+Inf"}': "0+100x200",
  'heddle_event_loop_lag_seconds{instance="a"}': "0.05x200",
  'heddle_limiter_refused_total{limit="users_track"}': "0+10x200",
  'heddle_limiter_refused_total{limit="users_export_ids"}': "0x61 1000+1000x5 6000x133",
  'heddle_scim_log_lines_lost_total{reason="failed"}': "0x200",
  'heddle_trace_spans_dropped_total{reason="send_failed"}': "0x61 50+50x5 300x133",
};
