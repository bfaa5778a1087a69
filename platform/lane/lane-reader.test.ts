/** What of a lane is applied next, among many workspaces. */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { createMemoryLane } from "./lane.fixture.ts";
import type { LaneRecord } from "./lane.ts";
import { createLaneReader } from "./lane-reader.ts";

const users = limits.laneUsersPerRecordMax;

function record(workspaceId: string, sequence: number, given: Partial<LaneRecord> = {}): LaneRecord {
  return { workspaceId, sequence, part: 0, key: `${sequence}`, body: new Uint8Array(), ...given };
}

/** A record speaks of as many users as it says, whom no other record speaks of. */
function keysOf({ sequence, users: count = 1 }: LaneRecord): string[] {
  return Array.from({ length: count }, (_, at) => `${sequence}.${at}`);
}

function concernOf(one: LaneRecord) {
  return { keys: keysOf(one), isOfMany: (one.users ?? 1) > 1 };
}

function openTest() {
  const lane = createMemoryLane();
  return { lane, reader: createLaneReader({ lane, concernOf }) };
}

test.each([1, limits.laneWorkspacesPerRead, 5 * limits.laneWorkspacesPerRead])(
  "behind fan-outs of %i workspaces that rest, a record of another one is found",
  (count) => {
    const { lane, reader } = openTest();
    for (let at = 0; at < count; at += 1) lane.records.push(record(`w${at}`, 1, { users }), record(`w${at}`, 2, { users }));
    lane.records.push(record("other", 1));
    const found: LaneRecord[] = [];
    for (let turn = reader.next(false); turn !== undefined; turn = reader.next(false)) {
      lane.take(turn.records);
      reader.done(turn.records);
      found.push(...turn.records);
      if (!turn.hasMore && turn.records.length === 0) break;
    }
    expect(found).toEqual([record("other", 1)]);
    expect(reader.next(true)).toMatchObject({ isOfMany: true, records: [{ users }] });
  },
);

test("what is read ahead is bounded, over all workspaces", () => {
  const { lane, reader } = openTest();
  const each = 2 * limits.laneAheadUsersMax / users / limits.laneWorkspacesPerRead;
  for (let at = 0; at < limits.laneWorkspacesPerRead; at += 1) {
    for (let sequence = 0; sequence < each; sequence += 1) lane.records.push(record(`w${at}`, sequence, { users }));
  }
  while (reader.next(false)?.hasMore);
  const slack = limits.laneWorkspacesPerRead * limits.laneAheadRecords * users;
  expect(reader.size).toBeGreaterThanOrEqual(limits.laneAheadUsersMax);
  expect(reader.size).toBeLessThan(limits.laneAheadUsersMax + slack);
});

test("where a read waits and others write, both have their turns", () => {
  const { lane, reader } = openTest();
  for (let sequence = 1; sequence <= 3 * limits.laneReadUsersMax; sequence += 1) lane.records.push(record("w", sequence, { users }));
  for (let sequence = 1_000; sequence < 1_000 + 3 * limits.laneReadUsersMax; sequence += 1) lane.records.push(record("w", sequence));
  reader.want("w", Array.from({ length: limits.laneWantedKeysMax }, (_, at) => `${at % 60 + 1}.${at % users}`));
  const kinds = new Set<number>();
  for (let turn = reader.next(false); turn !== undefined && kinds.size < 2; turn = reader.next(false)) {
    for (const { users: count = 1 } of turn.records) kinds.add(count);
    lane.take(turn.records);
    reader.done(turn.records);
    expect(lane.records.length).toBeGreaterThan(4 * limits.laneReadUsersMax);
  }
  expect(kinds).toEqual(new Set([1, users]));
});

test("who waits for nobody has waited enough, and so has who waits for what is in", () => {
  const { lane, reader } = openTest();
  lane.records.push(record("w", 1), record("w", 2));
  expect(reader.isPast("w", record("w", 2))).toBe(false);
  reader.next(false);
  expect(reader.isPast("w", record("w", 2), ["1.0"])).toBe(false);
  expect(reader.isPast("w", record("w", 2), ["3.0"])).toBe(true);
  expect(reader.isPast("v", record("v", 2), ["1.0"])).toBe(true);
});
