/** The contract of a move on SQLite. */
import { systemClock } from "../../../platform/clock.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { describeContentMove } from "./moved-contract.ts";
import { sqliteContentMove } from "./moved-sqlite.ts";
import { openSqliteCenters } from "./sqlite-centers.ts";
import { openSqliteTranslations } from "./sqlite-translations.ts";

describeContentMove("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const { centers } = await openSqliteCenters(database);
  const stores = { centers, translations: await openSqliteTranslations(database) };
  const now = Date.UTC(2026, 0, 1);
  const move = sqliteContentMove({ ...stores, database, clock: { ...systemClock, now: () => now } });
  return { ...stores, move, now, close: () => database.close() };
});
