/** The SCIM service put together over the embedded store. */
import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { composeScim, type ScimEnds, type ScimPart } from "./compose.ts";
import type { LogEntry, LogQuestion } from "./domain/ports.ts";
import type { ScimMove } from "./store/moved-rows.ts";
import { sqliteScimMove } from "./store/moved-sqlite.ts";
import { openSqliteRequestLog } from "./store/sqlite-log.ts";
import { openSqliteOutbox } from "./store/sqlite-outbox.ts";
import { openSqliteUsers } from "./store/sqlite.ts";

export type { LogEntry, LogQuestion } from "./domain/ports.ts";

export interface ScimOptions extends ScimEnds {
  /** Closed by whoever opened it, after this part. */
  readonly database: Database;
}

export async function openScim({ database, ...ends }: ScimOptions): Promise<ScimPart> {
  const users = await openSqliteUsers(database);
  return composeScim({ users, outbox: openSqliteOutbox(database), log: openSqliteRequestLog(database) }, ends);
}

/** The newest requests of a company, for `heddle scim log`; also from the files of a server that runs. */
export async function readScimLog(
  database: Database,
  asked: LogQuestion,
): Promise<readonly LogEntry[]> {
  await openSqliteUsers(database);
  return await openSqliteRequestLog(database).newest({ ...asked, limit: Math.min(asked.limit, limits.scimLogEntriesMax) });
}

/** The rows of the data folder, for `heddle backup` and `heddle restore` between the shapes. */
export async function moveDashboardUsers(database: Database, clock: Clock): Promise<ScimMove> {
  return sqliteScimMove({ database, users: await openSqliteUsers(database), clock });
}
