/** The SCIM service over any store that passes the contract: relay, notes, use cases. */
import { setImmediate } from "node:timers";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import type { PublishedEvent } from "../../platform/events/events.ts";
import { newId } from "../../platform/identifier.ts";
import type { Logger } from "../../platform/logger.ts";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { openListMemory } from "./domain/list-memory.ts";
import type { Outbox } from "./domain/outbox.ts";
import type { RequestLog, Users } from "./domain/ports.ts";
import { openRelay, type Publish } from "./events/relay.ts";
import { noTelemetry, type Telemetry } from "../../platform/telemetry/telemetry.ts";
import { openNotes } from "./log-notes.ts";
import { scimRoutes } from "./rpc/routes.ts";

export interface ScimStore {
  readonly users: Users;
  readonly outbox: Outbox;
  readonly log: RequestLog;
}

export interface ScimEnds {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where events go; without it, into the process's own log. */
  readonly publish?: Publish;
  readonly telemetry?: Pick<Telemetry, "metrics">;
}

export interface ScimPart {
  readonly service: ServiceImpl<typeof ScimService>;
  /** Events may wait that another process has left. */
  wake(): void;
  /** Writes the notes that wait; events that wait go out after the next start. */
  close(): Promise<void>;
}

export function composeScim({ users, outbox, log }: ScimStore, ends: ScimEnds): ScimPart {
  const { clock, logger, publish = tellLog(logger), telemetry: { metrics } = noTelemetry } = ends;
  const relay = openRelay({ outbox, publish, clock, logger });
  const notes = openNotes({ log, clock, logger, metrics });
  const service = scimRoutes({
    users,
    clock,
    newUserId: () => newId("uuid", clock).replaceAll("-", ""),
    newEventId: () => newId("uuid", clock),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    published: () => relay.wake(),
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

/** One process has nobody else to tell: its log is where others can read of it. */
function tellLog(logger: Logger): Publish {
  return async ({ subject, eventId, key }: PublishedEvent) => logger.info("event_published", { subject, eventId, key });
}
