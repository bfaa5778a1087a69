/** What a process shows of itself, put together: metrics on a port of their own, traces to a collector; each only if asked for. */
import type { Clock } from "../clock.ts";
import { troubleOf } from "../faults/trouble.ts";
import type { Logger } from "../logger.ts";
import type { TelemetryConfig, TracesConfig } from "./config.ts";
import { type Metrics, noMetrics, openMetrics } from "./metrics.ts";
import { type Readiness, serveMetrics } from "./metrics-server.ts";
import { OtlpExporter } from "./otlp-exporter.ts";
import { watchProcess } from "./process-metrics.ts";
import { createSampler } from "./sampler.ts";
import { noTracer, openTracer, type Tracer } from "./tracer.ts";

export interface Telemetry {
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

/** Shows nothing and costs nothing. */
export const noTelemetry: Telemetry = { metrics: noMetrics, tracer: noTracer };

export interface RunningTelemetry extends Telemetry {
  /** What /readyz and `heddle_ready` say from here on; not ready before. */
  watch(health: () => Readiness): void;
  /** Sends spans that wait, within a deadline; the last thing of a process. */
  close(): Promise<void>;
}

export interface TelemetryDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names the process in its traces, as in `heddle-gateway`. */
  readonly part: string;
}

/** Serves the metrics from here on. Rejects with the system's error where their address cannot be had. */
export async function openTelemetry(config: TelemetryConfig, deps: TelemetryDeps): Promise<RunningTelemetry> {
  const watched: Watched = {};
  const served = config.metricsPort === undefined ? undefined : await serve(config, deps, watched);
  const metrics = served?.metrics ?? noMetrics;
  const traces = config.traces === undefined ? undefined : openTraces(config.traces, deps, metrics);
  return {
    metrics,
    tracer: traces?.tracer ?? noTracer,
    watch(given) {
      watched.health = given;
    },
    async close() {
      await traces?.close();
      await served?.close();
    },
  };
}

interface Watched {
  health?: () => Readiness;
}

async function serve(
  { metricsHost, metricsPort = 0, internalHosts }: TelemetryConfig,
  { clock, logger }: TelemetryDeps,
  watched: Watched,
) {
  function health(): Readiness {
    try {
      return watched.health?.() ?? { ready: false, reason: "Starting" };
    } catch (error) {
      // A store that fails, or is closed already: nobody who asks for it ends the process
      return { ready: false, reason: troubleOf(error) };
    }
  }
  const metrics = await openMetrics();
  const endWatch = watchProcess(metrics, clock);
  metrics.gauge("ready", () => [{ value: health().ready ? 1 : 0 }]);
  const server = await serveMetrics({ host: metricsHost, port: metricsPort, hosts: internalHosts, metrics, health });
  logger.info("metrics_listening", { url: server.url });
  return {
    metrics,
    async close() {
      endWatch();
      await server.close();
    },
  };
}

function openTraces(config: TracesConfig, { clock, logger, part }: TelemetryDeps, metrics: Metrics) {
  const serviceName = config.serviceName === "" ? part : config.serviceName;
  const exporter = new OtlpExporter({
    url: config.url,
    headers: config.headers,
    resource: { "service.name": serviceName },
    clock,
    logger,
    dropped: (reason, spans) => metrics.count("spansDropped", { reason }, spans),
  });
  const tracer = openTracer({ clock, take: (span) => exporter.take(span), sample: createSampler(config.sampler, config.ratio) });
  return { tracer, close: () => exporter.close() };
}
