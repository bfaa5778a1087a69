/** The embedded lane in its table. */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { openDatabase } from "../sqlite/database.ts";
import type { LaneRecord } from "./lane.ts";
import { createLaneReader } from "./lane-reader.ts";
import { openSqliteLane, takeFromLane } from "./sqlite.ts";

const fill = "INSERT INTO lane_records (service, workspace_id, sequence, part, lane_key, users, body) VALUES ('s', ?, ?, 0, 'k', ?, x'')";

function nameOf({ workspaceId, sequence }: Pick<LaneRecord, "workspaceId" | "sequence">): string {
  return `${workspaceId}${sequence}`;
}

test("a fan-out leaves every other workspace its turn", async () => {
  const database = openDatabase({ path: ":memory:" });
  const lane = await openSqliteLane(database, "s");
  await database.write(() => {
    for (let sequence = 1; sequence <= 100; sequence += 1) database.prepare(fill).run("a", sequence, limits.laneUsersPerRecordMax);
    for (const other of ["b", "c"]) database.prepare(fill).run(other, 200, 1);
  });
  const served = new Set<string>();
  const reader = createLaneReader({ lane, concernOf: ({ users = 1, ...record }) => ({ keys: [nameOf(record)], isOfMany: users > 1 }) });
  for (let read = 0; read < 6; read += 1) {
    const records = reader.next(true)?.records ?? [];
    for (const { workspaceId } of records) served.add(workspaceId);
    await database.write(() => takeFromLane(database, "s", records));
    reader.done(records);
  }
  expect([...served].sort()).toEqual(["a", "b", "c"]);
  await database.close();
});

test("fan-outs of two workspaces take turns", async () => {
  const database = openDatabase({ path: ":memory:" });
  const lane = await openSqliteLane(database, "s");
  await database.write(() => {
    for (const workspaceId of ["a", "b"]) {
      for (let sequence = 1; sequence <= 3; sequence += 1) database.prepare(fill).run(workspaceId, sequence, limits.laneUsersPerRecordMax);
    }
  });
  const reader = createLaneReader({ lane, concernOf: ({ users = 1, ...record }) => ({ keys: [nameOf(record)], isOfMany: users > 1 }) });
  const served: string[] = [];
  for (let turn = reader.next(true); turn !== undefined; turn = reader.next(true)) {
    served.push(...turn.records.map(({ workspaceId, sequence }) => `${workspaceId}${sequence}`));
    await database.write(() => takeFromLane(database, "s", turn?.records ?? []));
    reader.done(turn.records);
  }
  expect(served).toEqual(["a1", "b1", "a2", "b2", "a3", "b3"]);
  await database.close();
});

test("read() goes on behind a record; putBack() says that what was read is no longer all", async () => {
  const database = openDatabase({ path: ":memory:" });
  const lane = await openSqliteLane(database, "s");
  const record = (sequence: number, part: number): LaneRecord => ({
    workspaceId: "w",
    sequence,
    part,
    key: "k",
    users: 2,
    body: Uint8Array.of(1),
  });
  const [returns, all] = [lane.returns, [record(1, 0), record(1, 1), record(2, 0)]];
  await database.write(() => lane.putBack(all));
  expect(lane.returns).toBeGreaterThan(returns);
  const places = (after: LaneRecord | undefined, max: number) =>
    lane.read("w", after, max).map(({ sequence, part, users }) => [sequence, part, users]);
  expect(places(undefined, 2)).toEqual([[1, 0, 2], [1, 1, 2]]);
  expect(places(all[1], 2)).toEqual([[2, 0, 2]]);
  expect([lane.workspaces("", 9), lane.workspaces("w", 9)]).toEqual([["w"], []]);
  await database.close();
});
