/** The settings of a command from its environment, with all problems reported at once. */
import { ConfigError, type ConfigReader, readConfig } from "../platform/config.ts";
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
