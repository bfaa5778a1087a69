/** What `heddle start` reads from the environment. */
import { type GatewayConfig, readGatewayConfig } from "../gateway/config.ts";
import { type ConfigRecord, readConfig } from "../platform/config.ts";
import type { LogLevel } from "../platform/logger.ts";
import { limits } from "../platform/limits.ts";

export interface StartConfig {
  readonly gateway: GatewayConfig;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  readonly undoWindowMs: number;
}

export const defaultDataDir = "./data";

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];

/** Pure. Throws ConfigError with every problem. */
export function readStartConfig(env: ConfigRecord): StartConfig {
  return readConfig(env, (read) => ({
    gateway: readGatewayConfig(read),
    dataDir: read.text("HEDDLE_DATA_DIR", { fallback: defaultDataDir }),
    logLevel: read.text("HEDDLE_LOG_LEVEL", { fallback: "info", choices: levels }),
    undoWindowMs: read.durationMs("HEDDLE_UNDO_WINDOW", { min: 0, max: limits.undoWindowMsMax, fallback: limits.undoWindowMs }),
  }));
}
