/** The contract on SQLite. */
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { openSqliteTranslations } from "./sqlite-translations.ts";
import { describeTranslations } from "./translations-contract.ts";

describeTranslations("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  return { store: await openSqliteTranslations(database), close: () => database.close() };
});
