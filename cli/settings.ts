/** The settings of a command from its environment, with all problems reported at once, and the log that they ask for. */
import { ConfigError, type ConfigReader, readConfig } from "../platform/config.ts";
import { createLogger, type Logger, type LogLevel, logLevels } from "../platform/logger.ts";
import { asCalled } from "./called-as.ts";
import { CommandError } from "./output.ts";

/** Throws CommandError with every problem, a line each. */
export function readSettings<Config extends object>(env: NodeJS.ProcessEnv, read: (reader: ConfigReader) => Config): Config {
  try {
    return readConfig(env, read);
  } catch (cause) {
    if (cause instanceof ConfigError) throw new CommandError(cause.message, { cause });
    throw cause;
  }
}

export function readLogLevel(reader: ConfigReader): LogLevel {
  return reader.text("HEDDLE_LOG_LEVEL", { fallback: "info", choices: logLevels });
}

/** Of a process that serves: a line of JSON each on standard error. */
export function openLog(level: LogLevel): Logger {
  return createLogger({ level, name: "heddle", write: (line) => process.stderr.write(asCalled(line)) });
}
