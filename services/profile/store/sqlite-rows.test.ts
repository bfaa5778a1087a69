/** The contract of rows on SQLite, whose steps are one transaction. */
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { describeRejected } from "./rejected-contract.ts";
import { describeLists } from "./lists-contract.ts";
import { changes, describeRows } from "./rows-contract.ts";
import { sqliteIdentities, sqliteProfiles } from "./sqlite-writer.fixture.ts";
import { openSqliteProfileStore } from "./sqlite.ts";

describeRows("SQLite", opened);
describeLists("SQLite", opened);

async function opened() {
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteProfileStore({ database, encodeLane: laneRows });
  return {
    identities: { ...tables.identities, ...sqliteIdentities(tables) },
    profiles: { ...tables.profiles, ...sqliteProfiles(tables) },
    now: Date.UTC(2026, 0, 1),
    close: () => database.close(),
  };
}

describeRejected("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteProfileStore({ database, encodeLane: laneRows });
  return {
    profiles: tables.profiles,
    async save(workspaceId, given, mark) {
      const users = new Map(Array.from(given, ([id, profile]) => [id, { profile, mark, openMerges: [], isNew: true }] as const));
      await sqliteProfiles(tables).save(changes(workspaceId, { users }));
    },
    close: () => database.close(),
  };
});
