/** The contract of a move on SQLite. */
import { beginSqliteLogAbove } from "../../../platform/log/sqlite.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { describeProfileMove } from "./moved-contract.ts";
import { sqliteProfileMove } from "./moved-sqlite.ts";
import { blockedFrom, changes, recordOf } from "./rows-contract.ts";
import { sqliteProfiles } from "./sqlite-writer.fixture.ts";
import { openSqliteProfileStore } from "./sqlite.ts";

describeProfileMove("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteProfileStore({ database, encodeLane: laneRows });
  await beginSqliteLogAbove(database, 0, 1);
  return {
    ...tables,
    move: sqliteProfileMove(database, tables),
    now: Date.UTC(2026, 0, 1),
    async hold(workspaceId) {
      const blocked = new Map([["u1", blockedFrom([5, 0], [recordOf(9, 0)])]]);
      await sqliteProfiles(tables).save(changes(workspaceId, { blocked }));
    },
    close: () => database.close(),
  };
});
