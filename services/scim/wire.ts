/** The SCIM service put together over the embedded store. */
import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { composeScim, type ScimEnds, type ScimPart } from "./compose.ts";
import type { LogEntry, LogQuestion } from "./domain/ports.ts";
import { openSqliteScim } from "./store/documents.ts";
import { type ScimMove, scimMove } from "./store/moved.ts";
import { openRequestLog } from "./store/request-log.ts";

export type { LogEntry, LogQuestion } from "./domain/ports.ts";

export interface ScimOptions extends ScimEnds {
  /** Closed by the caller, after this part. */
  readonly database: Database;
}

export async function openScim({ database, ...ends }: ScimOptions): Promise<ScimPart> {
  return composeScim(await openSqliteScim(database, ends.clock), ends);
}

/** The newest requests of a company, for `heddle scim log`; also from the files of a server that runs. */
export async function readScimLog(database: Database, asked: LogQuestion, clock: Clock): Promise<readonly LogEntry[]> {
  const log = openRequestLog(await openSqliteScim(database, clock), clock);
  return await log.newest({ ...asked, limit: Math.min(asked.limit, limits.scimLogEntriesMax) });
}

/** The rows of the data folder, for `heddle backup` and `heddle restore` between the shapes. */
export async function moveDashboardUsers(database: Database, clock: Clock): Promise<ScimMove> {
  return scimMove(await openSqliteScim(database, clock), clock);
}
