/** The profile service's settings: a pure function from a record of texts. */
import type { ConfigReader } from "../../platform/config.ts";
import { limits } from "../../platform/limits.ts";

export interface ProfileConfig {
  /** How long a merge can be taken back; 0: never. */
  readonly undoWindowMs: number;
}

export function readProfileConfig(reader: ConfigReader): ProfileConfig {
  return {
    undoWindowMs: reader.durationMs("HEDDLE_UNDO_WINDOW", { min: 0, max: limits.undoWindowMsMax, fallback: limits.undoWindowMs }),
  };
}
