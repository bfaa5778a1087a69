/** The settings of a command from its environment, with all problems reported at once, and the log that they ask for. */
import { nearest } from "../../gateway/access/nearest.ts";
import { ConfigError, type ConfigReader, keysOf, readConfig } from "../../platform/config.ts";
import { createLogger, type Logger, type LogLevel, logLevels } from "../../platform/logger.ts";
import { asCalled } from "../shell/called-as.ts";
import { CommandError } from "../shell/output.ts";

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

/** Of a process that serves: variables that `read` does not ask for, and that are almost as one that it asks for. */
export function warnOfMistyped(env: NodeJS.ProcessEnv, read: (reader: ConfigReader) => object, logger: Logger): void {
  const known = keysOf(read);
  const mistyped = namesIn(env).filter((name) => name.startsWith("HEDDLE_") && !known.has(name)).flatMap((name) => {
    const meant = nearest(name, [...known]);
    return meant === undefined ? [] : [`${name}, which nothing reads: did you mean ${meant}?`];
  });
  if (mistyped.length > 0) logger.warn("settings_not_read", { message: `The environment has ${mistyped.join(" And ")}` });
}

/** None where Deno gives the names to those alone who may read all. */
function namesIn(env: NodeJS.ProcessEnv): string[] {
  try {
    return Object.keys(env);
  } catch {
    return [];
  }
}
