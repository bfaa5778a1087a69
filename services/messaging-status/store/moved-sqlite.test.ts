/** The contract of a move on SQLite. */
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { describeConsentMove } from "../../../platform/ledger/moved-contract.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { moveDriver } from "./moved.fixture.ts";
import { openSqliteStatusStore } from "./sqlite.ts";

describeConsentMove("addresses on SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteStatusStore({ database, clock: fakeClock() });
  return moveDriver(tables, () => database.close());
});
