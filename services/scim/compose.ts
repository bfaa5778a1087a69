/** The SCIM service over the documents of either shape: relay, notes, use cases. */
import { setImmediate } from "node:timers";
import type { ServiceImpl } from "@connectrpc/connect";
import { BestEffortBatch } from "../../platform/best-effort-batch.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/identifier.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { noTelemetry, type Telemetry } from "../../platform/telemetry/telemetry.ts";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { openListMemory } from "./domain/list-memory.ts";
import type { LogEntry, RequestLog } from "./domain/ports.ts";
import { openRelay, type Publish } from "./events/relay.ts";
import { scimRoutes } from "./rpc/routes.ts";
import type { ScimDocuments } from "./store/documents.ts";
import { openOutbox } from "./store/outbox.ts";
import { openRequestLog } from "./store/request-log.ts";
import { openUsers } from "./store/users.ts";

export interface ScimEnds {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly publish: Publish;
  readonly telemetry?: Pick<Telemetry, "metrics">;
}

export interface ScimPart {
  readonly service: ServiceImpl<typeof ScimService>;
  /** Events may wait that another process has left. */
  wake(): void;
  /** Writes the notes that wait; events that wait go out after the next start. */
  close(): Promise<void>;
}

export function composeScim(documents: ScimDocuments, ends: ScimEnds): ScimPart {
  const { clock, logger, publish, telemetry: { metrics } = noTelemetry } = ends;
  const relay = openRelay({ outbox: openOutbox(documents), publish, clock, logger });
  const notes = openNotes(openRequestLog(documents, clock), { clock, logger, metrics });
  const service = scimRoutes({
    users: openUsers(documents),
    clock,
    newUserId: () => newId("uuid", clock).replaceAll("-", ""),
    newEventId: () => newId("uuid", clock),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    published: (companyId) => relay.wake(companyId),
    memory: openListMemory(),
    note: (entry) => notes.add(entry),
  });
  return {
    service,
    wake: () => relay.wake(),
    async close() {
      await notes.close();
      await relay.close();
    },
  };
}

/** Log entries of requests that changed nothing, written together behind the answers. Entries that cannot be written are counted and reported in the process's own log. */
function openNotes(
  log: Pick<RequestLog, "append">,
  { clock, logger, metrics }: { readonly clock: Clock; readonly logger: Logger; readonly metrics: Metrics },
): BestEffortBatch<LogEntry> {
  return new BestEffortBatch({
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
