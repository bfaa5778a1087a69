/** Pauses all writes over HTTP, as for a backup: gateways read the note of it when they read who may call. */
import type { Clock } from "../../../platform/clock.ts";
import { type Documents, head } from "../../../platform/documents/documents.ts";
import { pauseKey, type PauseNote } from "../admin/pause-note.ts";
import { nextVersion } from "./store.ts";

export interface WritePause {
  /** Until that time in Unix milliseconds; of a time that is past: writes go on. Refuses STORE_UNAVAILABLE, OUTCOME_UNKNOWN; doing it again is harmless. */
  pause(until: number): Promise<void>;
}

export function openWritePause(
  { documents, installation, clock }: { readonly documents: Documents; readonly installation: string; readonly clock: Clock },
): WritePause {
  return {
    async pause(until) {
      const value: PauseNote = { until };
      await documents.changeIf(installation, { reads: [head], plan: () => [nextVersion(clock), { key: pauseKey, value }] });
    },
  };
}
