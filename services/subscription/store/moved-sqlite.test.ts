/** The contract of a move on SQLite. */
import { describeConsentMove } from "../../../platform/ledger/moved-contract.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { moveDriver } from "./moved.fixture.ts";
import { openSqliteSubscriptionStore } from "./sqlite.ts";

describeConsentMove("memberships on SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteSubscriptionStore(database);
  return moveDriver(tables, () => database.close());
});
