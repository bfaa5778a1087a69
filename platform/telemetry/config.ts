/** What a process reads from the environment about metrics and traces; names of OpenTelemetry where there are any. */
import type { ConfigReader } from "../config.ts";
import { limits } from "../limits.ts";
import { withoutEnd } from "../text-ends.ts";
import { type SamplerName, samplerNames } from "./sampler.ts";

export interface TelemetryConfig {
  readonly metricsHost: string;
  /** Names that the port may be asked by beside those of private networks. */
  readonly internalHosts: readonly string[];
  /** 0: any free port; undefined: nothing is served. */
  readonly metricsPort: number | undefined;
  /** Undefined: no traces. */
  readonly traces: TracesConfig | undefined;
}

export interface TracesConfig {
  /** Where spans are posted: OTLP over HTTP, JSON. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Empty: the name of the part. */
  readonly serviceName: string;
  readonly sampler: SamplerName;
  readonly ratio: number;
}

export function readTelemetryConfig(reader: ConfigReader): TelemetryConfig {
  const port = reader.whole("HEDDLE_METRICS_PORT", { min: notServed, max: limits.portMax, fallback: notServed });
  return {
    internalHosts: reader.list("HEDDLE_INTERNAL_HOSTS", { fallback: [] }).map((host) => host.toLowerCase()),
    metricsHost: reader.text("HEDDLE_METRICS_HOST", { fallback: "127.0.0.1" }),
    metricsPort: port === notServed ? undefined : port,
    traces: readTraces(reader),
  };
}

const notServed = -1;

function readTraces(reader: ConfigReader): TracesConfig | undefined {
  const disabled = reader.flag("OTEL_SDK_DISABLED", { fallback: false });
  const exporter = reader.text("OTEL_TRACES_EXPORTER", { fallback: "otlp", choices: ["otlp", "none"] });
  const base = reader.text<string>("OTEL_EXPORTER_OTLP_ENDPOINT", { fallback: "" });
  // An endpoint for traces is taken as it is; the shared one gets the path of the signal (OTLP exporter specification)
  const url = reader.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", { fallback: base === "" ? "" : `${withoutEnd(base, "/")}/v1/traces` });
  const shared = reader.text("OTEL_EXPORTER_OTLP_HEADERS", { fallback: "", secret: true });
  const headers = reader.text("OTEL_EXPORTER_OTLP_TRACES_HEADERS", { fallback: shared, secret: true });
  const serviceName = reader.text("OTEL_SERVICE_NAME", { fallback: "" });
  const sampler = reader.text<SamplerName>("OTEL_TRACES_SAMPLER", { fallback: "parentbased_always_on", choices: samplerNames });
  const ratio = Number(reader.text("OTEL_TRACES_SAMPLER_ARG", { fallback: "1" }));
  // An invalid address is reported with the first span that cannot be sent
  if (disabled || exporter === "none" || url === "") return undefined;
  return { url, headers: headersOf(headers), serviceName, sampler, ratio: ratio >= 0 && ratio <= 1 ? ratio : 1 };
}

/** `name=value,name=value`, percent-encoded. */
function headersOf(text: string): [string, string][] {
  return text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at <= 0 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as [string, string]];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
