/** The SCIM service put together: store, relay, use cases. The only file of the service that sees all of them. */
import { setImmediate } from "node:timers";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/identifier.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { openListMemory } from "./domain/list-memory.ts";
import type { LogEntry, LogQuestion } from "./domain/ports.ts";
import { openRelay, type Publish, type PublishedEvent } from "./events/relay.ts";
import { openNotes } from "./log-notes.ts";
import { scimRoutes } from "./rpc/routes.ts";
import { openSqliteRequestLog } from "./store/sqlite-log.ts";
import { openSqliteOutbox } from "./store/sqlite-outbox.ts";
import { openSqliteUsers } from "./store/sqlite.ts";

export type { LogEntry } from "./domain/ports.ts";

export interface ScimOptions {
  /** Closed by whoever opened it, after this part. */
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where events go; without it, into the process's own log. */
  readonly publish?: Publish;
}

export interface ScimPart {
  readonly service: ServiceImpl<typeof ScimService>;
  /** Writes the notes that wait; events that wait go out after the next start. */
  close(): Promise<void>;
}

export async function openScim({ database, clock, logger, publish = tellLog(logger) }: ScimOptions): Promise<ScimPart> {
  const users = await openSqliteUsers(database);
  const relay = openRelay({ outbox: openSqliteOutbox(database), publish, clock, logger });
  const log = openSqliteRequestLog(database);
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
