/** Log entries of requests that changed nothing: collected for a moment and written together, behind the answers. */
import type { Clock } from "../../platform/clock.ts";
import { type BestEffortBatch, openBestEffortBatch } from "../../platform/best-effort-batch.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { LogEntry, RequestLog } from "./domain/ports.ts";

export interface NotesDeps {
  readonly log: Pick<RequestLog, "append">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Entries that cannot be written are counted and reported in the process's own log. */
export function openNotes({ log, clock, logger, metrics }: NotesDeps): BestEffortBatch<LogEntry> {
  return openBestEffortBatch({
    clock,
    collectMs: limits.scimNotesMs,
    itemsPerWriteMax: limits.scimNotesPerCallMax,
    itemsMax: limits.scimNotesWaitingMax,
    bytesMax: limits.scimNotesBytesMax,
    write: (entries) => log.append(entries),
    lost({ items, reason, error }) {
      metrics.count("scimLinesLost", { reason }, items);
      logger.error("scim_log_not_written", error, { entries: items, reason });
    },
  });
}
