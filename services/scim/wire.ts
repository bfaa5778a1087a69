/** The SCIM service put together: store, relay, use cases. The only file of the service that sees all of them. */
import { setImmediate } from "node:timers";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import type { PublishedEvent } from "../../platform/events/events.ts";
import { newId } from "../../platform/identifier.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { openListMemory } from "./domain/list-memory.ts";
import type { Outbox } from "./domain/outbox.ts";
import type { LogEntry, LogQuestion, RequestLog, Users } from "./domain/ports.ts";
import { openRelay, type Publish } from "./events/relay.ts";
import { openNotes } from "./log-notes.ts";
import { scimRoutes } from "./rpc/routes.ts";
import { openSqliteRequestLog } from "./store/sqlite-log.ts";
import { openSqliteOutbox } from "./store/sqlite-outbox.ts";
import { openSqliteUsers } from "./store/sqlite.ts";

export type { LogEntry, LogQuestion } from "./domain/ports.ts";

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
}

export interface ScimPart {
  readonly service: ServiceImpl<typeof ScimService>;
  /** Events may wait that another process has left. */
  wake(): void;
  /** Writes the notes that wait; events that wait go out after the next start. */
  close(): Promise<void>;
}

export interface ScimOptions extends ScimEnds {
  /** Closed by whoever opened it, after this part. */
  readonly database: Database;
}

export async function openScim({ database, ...ends }: ScimOptions): Promise<ScimPart> {
  const users = await openSqliteUsers(database);
  return composeScim({ users, outbox: openSqliteOutbox(database), log: openSqliteRequestLog(database) }, ends);
}

/** The service over any store that passes the contract. */
export function composeScim({ users, outbox, log }: ScimStore, { clock, logger, publish = tellLog(logger) }: ScimEnds): ScimPart {
  const relay = openRelay({ outbox, publish, clock, logger });
  const notes = openNotes({ clock, logger, write: (entries) => log.append(entries) });
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

/** The newest requests of a company, for `heddle scim log`; also from the files of a server that runs. */
export async function readScimLog(
  database: Database,
  asked: LogQuestion,
): Promise<readonly LogEntry[]> {
  await openSqliteUsers(database);
  return await openSqliteRequestLog(database).newest({ ...asked, limit: Math.min(asked.limit, limits.scimLogEntriesMax) });
}

/** One process has nobody else to tell: its log is where others can read of it. */
function tellLog(logger: Logger): Publish {
  return async ({ subject, eventId, key }: PublishedEvent) => logger.info("event_published", { subject, eventId, key });
}
