/** What requests need whose outcome is looked up later by a job id. */
import type { WriteParts } from "../intake/submit.ts";

export interface JobParts extends WriteParts {
  /** An id that was never given before and cannot be guessed. */
  readonly newJobId: () => string;
}
