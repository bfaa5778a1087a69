/** The contract on SQLite. */
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { openSqliteSubscriptionStore } from "./sqlite.ts";
import { describeSubscriptionStore } from "./store-contract.ts";

describeSubscriptionStore("SQLite", async () => {
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
    close: () => database.close(),
  };
  return {
    ...await openSqliteSubscriptionStore(given),
    async send(records) {
      const sql = "INSERT INTO lane_records (service, workspace_id, sequence, part, lane_key, body) VALUES ('subscription', ?, ?, ?, ?, ?)";
      await database.write(() => {
        for (const { workspaceId, sequence, part, key, body } of records) database.prepare(sql).run(workspaceId, sequence, part, key, body);
      });
    },
    breakNextCommit: () => {
      isBroken = true;
    },
    close: () => database.close(),
  };
});
