/** The SCIM service over the documents of either shape: relay, use cases. */
import { setImmediate } from "node:timers";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/identifier.ts";
import type { Logger } from "../../platform/logger.ts";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { openListMemory } from "./domain/list-memory.ts";
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
}

export interface ScimPart {
  readonly service: ServiceImpl<typeof ScimService>;
  /** Events may wait that another process has left. */
  wake(): void;
  /** Events that wait go out after the next start. */
  close(): Promise<void>;
}

export function composeScim(documents: ScimDocuments, ends: ScimEnds): ScimPart {
  const { clock, logger, publish } = ends;
  const relay = openRelay({ outbox: openOutbox(documents), publish, clock, logger });
  const service = scimRoutes({
    users: openUsers(documents),
    clock,
    newUserId: () => newId("uuid", clock).replaceAll("-", ""),
    newEventId: () => newId("uuid", clock),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    published: (companyId) => relay.wake(companyId),
    memory: openListMemory(),
    log: openRequestLog(documents, clock),
  });
  return {
    service,
    wake: () => relay.wake(),
    close: () => relay.close(),
  };
}
