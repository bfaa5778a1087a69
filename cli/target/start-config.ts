/** What `heddle start` reads from the environment. */
import { type GatewayConfig, readGatewayConfig } from "../../gateway/config.ts";
import type { ConfigReader } from "../../platform/config.ts";
import type { LogLevel } from "../../platform/logger.ts";
import { readOptionalRpcServer, type RpcServerConfig } from "../../platform/mesh-config.ts";
import { readTelemetryConfig, type TelemetryConfig } from "../../platform/telemetry/config.ts";
import { type ContentConfig, readContentConfig } from "../../services/content/wire.ts";
import { type ProfileConfig, readProfileConfig } from "../../services/profile/wire.ts";
import { readLogLevel } from "./settings.ts";

export interface StartConfig extends ProfileConfig, ContentConfig {
  readonly gateway: GatewayConfig;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  readonly telemetry: TelemetryConfig;
  /** Where RPCs of all parts are served; undefined: nowhere. */
  readonly rpc: RpcServerConfig | undefined;
}

export const defaultDataDir = "./data";

export function readStartConfig(reader: ConfigReader): StartConfig {
  return {
    gateway: readGatewayConfig(reader),
    dataDir: reader.text("HEDDLE_DATA_DIR", { fallback: defaultDataDir }),
    logLevel: readLogLevel(reader),
    telemetry: readTelemetryConfig(reader),
    rpc: readOptionalRpcServer(reader),
    ...readProfileConfig(reader),
    ...readContentConfig(reader),
  };
}
