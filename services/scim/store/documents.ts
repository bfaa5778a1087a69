/** The documents that the SCIM service keeps, and those of a data folder. */
import type { Clock } from "../../../platform/clock.ts";
import type { Documents } from "../../../platform/documents/documents.ts";
import { openSqliteDocuments } from "../../../platform/documents/sqlite.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import { scimTables } from "./earlier-tables.ts";

export interface ScimDocuments {
  /** A company is a partition. */
  readonly users: Documents;
  /** Requests that changed nothing: a day of a company is a partition. */
  readonly requests: Documents;
  /** Those that ever had events to publish, in one partition. */
  readonly companies: Documents;
}

/** What was there before is taken over. */
export async function openSqliteScim(database: Database, clock: Clock): Promise<ScimDocuments> {
  const [users, requests, companies] = [
    await openSqliteDocuments({ database, space: "scim-users", clock }),
    await openSqliteDocuments({ database, space: "scim-requests", clock }),
    await openSqliteDocuments({ database, space: "scim-companies", clock }),
  ];
  await migrate(database, "scim", scimTables);
  return { users, requests, companies };
}
