/** The settings of metrics and traces, by OpenTelemetry's names. */
import { expect, test } from "vitest";
import { type ConfigRecord, readConfig } from "../config.ts";
import { readTelemetryConfig } from "./config.ts";

function read(record: ConfigRecord) {
  return readConfig(record, readTelemetryConfig);
}

test("nothing is served and nothing is sent unless asked for", () => {
  expect(read({})).toEqual({ metricsHost: "127.0.0.1", internalHosts: [], metricsPort: undefined, traces: undefined });
  expect(read({ HEDDLE_METRICS_PORT: "-1" }).metricsPort).toBeUndefined();
  expect(read({ HEDDLE_METRICS_PORT: "0" }).metricsPort).toBe(0);
  expect(() => read({ HEDDLE_METRICS_PORT: "70000" })).toThrow("HEDDLE_METRICS_PORT");
});

test.each<[ConfigRecord, string | undefined]>([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }, "http://c:4318/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318/base/" }, "http://c:4318/base/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t:1/as/it/is", OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }, "http://t:1/as/it/is"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318", OTEL_SDK_DISABLED: "true" }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318", OTEL_TRACES_EXPORTER: "none" }, undefined],
])("%o sends traces to %s", (record, url) => {
  expect(read(record).traces?.url).toBe(url);
});

test("headers are decoded, samplers are those of the specification", () => {
  const traces = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318",
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, x = y ,broken",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.1",
    OTEL_SERVICE_NAME: "shop",
  }).traces;
  expect(traces).toMatchObject({
    headers: [["api-key", "a b"], ["x", "y"]],
    sampler: "parentbased_traceidratio",
    ratio: 0.1,
    serviceName: "shop",
  });
  expect(() => read({ OTEL_TRACES_SAMPLER: "sometimes" })).toThrow("OTEL_TRACES_SAMPLER");
});
