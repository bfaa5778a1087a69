/** What `heddle start` reads from the environment. */
import { type GatewayConfig, readGatewayConfig } from "../gateway/config.ts";
import { type ConfigRecord, readConfig } from "../platform/config.ts";
import type { LogLevel } from "../platform/logger.ts";
import { readOptionalRpcServer, type RpcServerConfig } from "../platform/mesh-config.ts";
import { readTelemetryConfig, type TelemetryConfig } from "../platform/telemetry/config.ts";
import { type ContentConfig, readContentConfig } from "../services/content/wire.ts";
import { type ProfileConfig, readProfileConfig } from "../services/profile/wire.ts";

export interface StartConfig extends ProfileConfig, ContentConfig {
  readonly gateway: GatewayConfig;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  readonly telemetry: TelemetryConfig;
  /** Where RPCs of all parts are served; undefined: nowhere. */
  readonly rpc: RpcServerConfig | undefined;
}

export const defaultDataDir = "./data";

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];

/** Pure. Throws ConfigError with every problem. */
export function readStartConfig(env: ConfigRecord): StartConfig {
  return readConfig(env, (read) => ({
    gateway: readGatewayConfig(read),
    dataDir: read.text("HEDDLE_DATA_DIR", { fallback: defaultDataDir }),
    logLevel: read.text("HEDDLE_LOG_LEVEL", { fallback: "info", choices: levels }),
    telemetry: readTelemetryConfig(read),
    rpc: readOptionalRpcServer(read),
    ...readProfileConfig(read),
    ...readContentConfig(read),
  }));
}
