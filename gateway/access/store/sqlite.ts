/** Who may call of a data folder; what was there before there were documents is taken over. */
import type { Clock } from "../../../platform/clock.ts";
import { openSqliteDocuments } from "../../../platform/documents/sqlite.ts";
import { silentLogger } from "../../../platform/logger.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import type { Access } from "../access.ts";
import type { AccessAdmin } from "../admin/admin.ts";
import { earlierTables } from "./earlier-tables.ts";
import { openAccess as openOver } from "./store.ts";

export type { AccessAdmin } from "../admin/admin.ts";

/** Makes the tables where they are missing. */
export async function openAccess(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): Promise<Access & AccessAdmin> {
  const documents = await openSqliteDocuments({ database, space: "access", clock });
  await migrate(database, "access", earlierTables);
  return await openOver({ documents, clock, logger: silentLogger, installation: "heddle" });
}
