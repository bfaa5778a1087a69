/** What came of SCIM requests, for the companies' logs: collected for a moment and sent in one call, after the answers. */
import type { Client } from "@connectrpc/connect";
import type { Clock } from "../platform/clock.ts";
import { BestEffortBatch } from "../platform/best-effort-batch.ts";
import { limits } from "../platform/limits.ts";
import type { Logger } from "../platform/logger.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import type { ScimService } from "../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { ScimScope } from "./routing/scim-route.ts";

export interface ScimNote {
  readonly scope: ScimScope;
  readonly status: number;
  /** Of a refusal. */
  readonly reason?: string;
  readonly detail?: string;
}

/** A lost note costs a line of the log and nothing else. */
export type ScimNotes = BestEffortBatch<ScimNote>;

export interface ScimNotesDeps {
  readonly scim: Client<typeof ScimService>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export function openScimNotes({ scim, clock, logger, metrics }: ScimNotesDeps): ScimNotes {
  return new BestEffortBatch({
    clock,
    collectMs: limits.scimNotesMs,
    itemsPerWriteMax: limits.scimNotesPerCallMax,
    itemsMax: limits.scimNotesWaitingMax,
    bytesMax: limits.scimNotesBytesMax,
    write: (notes) => scim.logRequests({ requests: [...notes] }),
    lost({ items, reason, error }) {
      metrics.count("scimLinesLost", { reason }, items);
      logger.error("scim_requests_not_logged", error, { requests: items, reason });
    },
  });
}
