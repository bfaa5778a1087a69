/** The SQLite store of preference centers against the contract. */
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { describeCenterStore } from "./centers-contract.ts";
import { openSqliteCenters } from "./sqlite-centers.ts";

describeCenterStore("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  return { ...(await openSqliteCenters(database)), close: () => database.close() };
});
