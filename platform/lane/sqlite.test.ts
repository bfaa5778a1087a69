/** The embedded lane: whose turn it is. */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { openDatabase } from "../sqlite/database.ts";
import { openSqliteLane, takeFromLane } from "./sqlite.ts";

const fill = "INSERT INTO lane_records (service, workspace_id, sequence, part, lane_key, users, body) VALUES ('s', ?, ?, 0, 'k', ?, x'')";

test("a fan-out leaves every other workspace its turn", async () => {
  const database = openDatabase({ path: ":memory:" });
  const lane = await openSqliteLane(database, "s");
  await database.write(() => {
    for (let sequence = 1; sequence <= 100; sequence += 1) database.prepare(fill).run("a", sequence, limits.laneUsersPerRecordMax);
    for (const other of ["b", "c"]) database.prepare(fill).run(other, 200, 1);
  });
  const served = new Set<string>();
  for (let read = 0; read < 6; read += 1) {
    const records = await lane.read(limits.laneReadUsersMax);
    for (const { workspaceId } of records) served.add(workspaceId);
    await database.write(() => takeFromLane(database, "s", records));
  }
  expect([...served].sort()).toEqual(["a", "b", "c"]);
  await database.close();
});
