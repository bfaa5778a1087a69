/** The content service's settings: a pure function from a record of texts. */
import type { ConfigReader } from "../../platform/config.ts";
import { limits } from "../../platform/limits.ts";

export interface ContentConfig {
  /** How long a link to a person's page is good. */
  readonly linkLifeMs: number;
}

/** For a process that reads the settings of several parts at once. */
export function readContentConfig(reader: ConfigReader): ContentConfig {
  const life = { min: 1, max: limits.preferenceLinkLifeMsMax, fallback: limits.preferenceLinkLifeMs };
  return { linkLifeMs: reader.durationMs("HEDDLE_PREFERENCE_LINK_LIFE", life) };
}
