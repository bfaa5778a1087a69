/** The documents of the content service in a data folder; what was there before is taken over. */
import type { Clock } from "../../../platform/clock.ts";
import type { Documents } from "../../../platform/documents/documents.ts";
import { openSqliteDocuments } from "../../../platform/documents/sqlite.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import { centerTables, translationTables } from "./earlier-tables.ts";

export async function openCenterDocuments(database: Database, clock: Clock): Promise<Documents> {
  const documents = await openSqliteDocuments({ database, space: "centers", clock });
  await migrate(database, "content-centers", centerTables);
  return documents;
}

export async function openTranslationDocuments(database: Database, clock: Clock): Promise<Documents> {
  const documents = await openSqliteDocuments({ database, space: "translations", clock });
  await migrate(database, "content-translations", translationTables);
  return documents;
}
