/** The metrics of the table in Prometheus' conventions and format, gauges that are asked at each scrape, and lag. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { createLagLook, openLagMeter } from "./lag.ts";
import { metricTable } from "./metric-table.ts";
import type { Log } from "../log/log.ts";
import { measuredStore } from "./measured-calls.ts";
import { measuredLog } from "./measured-log.ts";
import { openMetrics } from "./metrics.ts";
import { watchWork } from "./work-metrics.ts";

test("names follow the conventions: a prefix, base units, _total for counters alone", () => {
  for (const { name, kind, help } of Object.values(metricTable)) {
    expect(name).toMatch(/^(heddle|process)_[a-z][a-z_]*[a-z]$/);
    expect(name.endsWith("_total")).toBe(kind === "counter");
    expect(name).not.toMatch(/_(ms|millis|milliseconds|kb|mb|percent)(_|$)/);
    if (kind === "histogram") expect(name).toMatch(/_seconds$/);
    expect(help).not.toBe("");
  }
  const names = Object.values(metricTable).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("text() shows what was counted and observed, with its type", async () => {
  const metrics = await openMetrics();
  metrics.count("httpRequests", { route: "/users/track", method: "POST", status: "201" }, 2);
  metrics.observe("httpDuration", { route: "/users/track", method: "POST" }, 0.004);
  const text = await metrics.text();
  expect(text).toContain("# TYPE heddle_http_requests_total counter");
  expect(text).toContain('heddle_http_requests_total{route="/users/track",method="POST",status="201"} 2');
  expect(text).toContain('heddle_http_request_duration_seconds_bucket{le="0.0025",route="/users/track",method="POST"} 0');
  expect(text).toContain('heddle_http_request_duration_seconds_bucket{le="0.005",route="/users/track",method="POST"} 1');
});

test("a gauge is asked at each scrape; what it no longer tells, and what fails, is not shown", async () => {
  const metrics = await openMetrics();
  let lanes = ["a", "b"];
  metrics.gauge("laneLagRecords", () => lanes.map((lane) => ({ labels: { lane }, value: 3 })));
  metrics.gauge("deadLetters", () => Promise.reject(new Error("The store is away")));
  expect(await metrics.text()).toContain('heddle_lane_lag_records{lane="b"} 3');
  lanes = ["a"];
  const text = await metrics.text();
  expect(text).toContain('heddle_lane_lag_records{lane="a"} 3');
  expect(text).not.toContain('lane="b"');
  expect(text).not.toMatch(/^heddle_dead_letters/m);
});

test("two that scrape at the same time both see everything", async () => {
  const metrics = await openMetrics();
  const slow = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [asked, slower] = [0, 0];
  metrics.gauge("laneLagRecords", async () => {
    asked += 1;
    if (asked > 1) await slow[1]?.promise;
    return [{ labels: { lane: "a" }, value: 3 }];
  });
  metrics.gauge("deadLetters", async () => {
    slower += 1;
    await slow[slower - 1]?.promise;
    return [];
  });
  const first = metrics.text();
  await setImmediate();
  const second = metrics.text();
  for (const { resolve } of slow) {
    resolve();
    await setImmediate();
  }
  for (const text of await Promise.all([first, second])) expect(text).toContain('heddle_lane_lag_records{lane="a"} 3');
});

test("what waits is told by service, and held users only of one that holds users", async () => {
  const metrics = await openMetrics();
  const lags = (lane: string, records: number) => async () => [{ lane, records, seconds: 2 }];
  watchWork(metrics, "profile", { lags: lags("intake-0", 4), backlog: () => ({ blockedUsers: 1, deadLetters: 0 }) });
  const end = watchWork(metrics, "subscription", { lags: lags("subscription", 7), backlog: async () => ({ deadLetters: 3 }) });
  const shown = (text: string) => text.split("\n").filter((line) => /^heddle_(dead|lane_lag_records)/.test(line)).toSorted();
  const ofProfile = [
    'heddle_dead_letters{service="profile",kind="held_users"} 1',
    'heddle_dead_letters{service="profile",kind="set_aside"} 0',
    'heddle_lane_lag_records{lane="intake-0"} 4',
  ];
  const ofSubscription = [
    'heddle_dead_letters{service="subscription",kind="set_aside"} 3',
    'heddle_lane_lag_records{lane="subscription"} 7',
  ];
  expect(shown(await metrics.text())).toEqual([...ofProfile, ...ofSubscription].toSorted());
  end();
  expect(shown(await metrics.text())).toEqual(ofProfile);
});

test("a lag meter tells records and for how long the oldest has been waiting", async () => {
  const clock = fakeClock();
  const place = { tail: 0, applied: 0 };
  const meter = openLagMeter(createLagLook({ lane: "intake-0", tail: () => place.tail, applied: () => place.applied }, clock), clock);
  expect(await meter.read()).toEqual({ lane: "intake-0", records: 0, seconds: 0 });
  place.tail = 10;
  await meter.read();
  clock.advance(2_000);
  place.tail = 15;
  expect(await meter.read()).toEqual({ lane: "intake-0", records: 15, seconds: 2 });
  place.applied = 10;
  clock.advance(3_000);
  expect(await meter.read()).toEqual({ lane: "intake-0", records: 5, seconds: 3 });
  place.applied = 15;
  expect(await meter.read()).toEqual({ lane: "intake-0", records: 0, seconds: 0 });
  meter.close();
});

test("a lane that was behind for hours is known to be, for as long as it drains", async () => {
  const clock = fakeClock();
  const place = { tail: 0, applied: 0 };
  const look = createLagLook({ lane: "intake-0", tail: () => place.tail, applied: () => place.applied }, clock);
  const hours = 1.5 * limits.lagLooksMax;
  // A record a second
  for (let second = 0; second < hours; second += 1) {
    place.tail += 1;
    await look();
    clock.advance(1_000);
  }
  for (const left of [hours, hours / 2, 1_000, 100]) {
    place.applied = hours - left;
    const { seconds } = await look();
    expect(seconds).toBeGreaterThan(left * 0.9);
    expect(seconds).toBeLessThanOrEqual(left);
  }
});

test("the wait of an append that is to wait behind others says nothing of the log", async () => {
  const metrics = await openMetrics();
  const log = measuredLog({ append: async () => 1 } as Partial<Log> as Log, "intake", metrics);
  for (const priority of ["normal", "low", undefined] as const) await log.append(0, new Uint8Array(1), priority);
  expect(await metrics.text()).toContain('\nheddle_log_append_duration_seconds_count{log="intake"} 2\n');
});

test("counters that alerts go by stand at 0 before anything happened: Prometheus sees the first event as an increase", async () => {
  const metrics = await openMetrics();
  measuredLog({} as Log, "intake", metrics);
  measuredStore({ load: () => Promise.resolve() }, { store: "profiles", operations: ["load"] }, metrics);
  const text = await metrics.text();
  for (
    const series of [
      'heddle_log_append_failures_total{log="intake",reason="LOG_FULL"}',
      'heddle_log_append_failures_total{log="intake",reason="LOG_UNAVAILABLE"}',
      'heddle_log_append_failures_total{log="intake",reason="OUTCOME_UNKNOWN"}',
      'heddle_store_failures_total{store="profiles",operation="load"}',
      'heddle_scim_log_lines_lost_total{reason="full"}',
      'heddle_scim_log_lines_lost_total{reason="failed"}',
      'heddle_trace_spans_dropped_total{reason="queue_full"}',
      'heddle_trace_spans_dropped_total{reason="send_failed"}',
    ]
  ) expect(text).toContain(`\n${series} 0\n`);
});
