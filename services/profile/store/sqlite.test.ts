/** The contract on SQLite. */
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { describeRejected } from "./rejected-contract.ts";
import { openSqliteProfileStore } from "./sqlite.ts";
import { describeProfileStore } from "./store-contract.ts";

describeProfileStore("SQLite", async () => {
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
  const tables = await openSqliteProfileStore({ database: given, encodeLane: laneRows });
  return {
    ...tables,
    lanes: (service) => {
      const row = database.handle.prepare("SELECT count(*) AS count FROM lane_records WHERE service = ?").get(service);
      return Promise.resolve(Number(row?.["count"]));
    },
    breakNextCommit: () => {
      isBroken = true;
    },
    close: () => database.close(),
  };
});

describeRejected("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const { profiles, steps } = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const empty = { identities: new Map(), frozen: new Map(), journal: new Map(), held: new Map(), heldMore: new Map(), consent: [] };
  return {
    profiles,
    async save(workspaceId, users, [through]) {
      await steps.commit({ partition: 0, through, workspaces: [{ workspaceId, ...empty, profiles: users }], setAside: [] });
    },
    close: () => database.close(),
  };
});
