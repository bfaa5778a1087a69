/** The contract on SQLite. */
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { openSqliteStatusStore } from "./sqlite.ts";
import { describeStatusStore } from "./store-contract.ts";

describeStatusStore("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  let isBroken = false;
  const given = {
    write<T>(work: () => T): Promise<T> {
      const breaks = isBroken;
      isBroken = false;
      return database.write(() => {
        const result = work();
        if (breaks) throw new Error("planted");
        return result;
      });
    },
    prepare: (sql: string) => database.prepare(sql),
    handle: database.handle,
    durable: () => database.durable(),
    close: () => database.close(),
  };
  const tables = await openSqliteStatusStore({ database: given, clock: fakeClock() });
  return {
    ...tables,
    release: (record) => tables.forgetSetAside([record]),
    breakNextCommit: () => {
      isBroken = true;
    },
    close: () => database.close(),
  };
});
