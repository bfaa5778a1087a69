/** Tests of how many places one record takes: a write of a user's row never shares its age with another one of that user. */
import { describe, expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import { stampOf } from "../../store/cassandra-values.ts";
import { laneRecordsOf } from "./lane-item.ts";
import type { ProfileRecord } from "../profile/profile-record.ts";
import type { ResolvedRecord } from "./batch.ts";
import { attributes, byEmail, byId, createWorkspace, eachUser } from "./resolver-workspace.fixture.ts";

const email = "all@b.org";
const sharers = 700;
const groups = Array.from({ length: limits.subscriptionGroupsPerObjectMax }, (_, at) => ({ id: `g${at}`, state: "subscribed" as const }));

/** A fan-out of 70,000 memberships, and then what changes a profile, twice. */
function fanOut(partsInCommon: boolean): ResolvedRecord | undefined {
  const workspace = createWorkspace({ partsInCommon });
  workspace.run(Array.from({ length: sharers }, (_, at) => attributes(byId(`u${at}`), { email })));
  const [record] = workspace.run([
    attributes(byEmail(email), { consent: { subscriptionGroups: groups }, custom: [["step", { op: "set", value: 0 }]] }),
    attributes(byEmail(email), { custom: [["step", { op: "set", value: 1 }]] }),
    attributes(byEmail(email), { custom: [["step", { op: "set", value: 2 }]] }),
  ]);
  return record;
}

function stampsByUser(records: readonly ProfileRecord[]): Map<string, bigint[]> {
  const ofUsers = Map.groupBy(records, ({ userId }) => userId);
  return new Map(Array.from(ofUsers, ([id, own]) => [id, own.map(({ mark }) => stampOf(mark))]));
}

describe("what one record sends to profiles", () => {
  test("has an age of its own behind a fan-out of more users than an age has places", () => {
    const record = fanOut(false);
    expect(eachUser(record?.consent)).toHaveLength(sharers * groups.length);
    for (const stamps of stampsByUser(record?.profiles ?? []).values()) {
      expect(stamps).toHaveLength(3);
      expect(stamps).toEqual([...new Set(stamps)].toSorted((a, b) => (a < b ? -1 : 1)));
    }
  });

  test("is numbered apart from consent, whose numbers are those of the build before", () => {
    const [record, before] = [fanOut(false), fanOut(true)];
    expect(record?.consent).toEqual(before?.consent);
    expect(record?.profiles.map(({ mark }) => mark[1])).toEqual([0, 1, 2]);
    expect(before?.profiles.map(({ mark }) => mark[1])).not.toEqual([0, 1, 2]);
    // A resolver of the build before that goes on in the middle gives no lower numbers
    for (const [at, { mark }] of (record?.profiles ?? []).entries()) expect(before?.profiles[at]?.mark[1]).toBeGreaterThanOrEqual(mark[1]);
  });
});

test("laneRecordsOf() numbers what one user forgets by that user, however many merges of others end with them", () => {
  const merges = 30_000;
  const users = ["a", "b", "c"];
  const forgotten = users.flatMap((targetId) => Array.from({ length: merges }, (_, at) => ({ mergeId: `${targetId}${at}`, targetId })));
  const profiles = users.map((userId, at): ProfileRecord => ({ userId, mark: [9, at], now: 1, change: { type: "delete" } }));
  const of = (partsInCommon: boolean) =>
    stampsByUser(
      laneRecordsOf({ sequence: 9, profiles, consent: [], forgotten, ...(partsInCommon && { partsInCommon }) }),
    );
  for (const stamps of of(false).values()) expect(new Set(stamps).size).toBe(merges + 1);
  expect(new Set(of(true).get("c")).size).toBeLessThan(merges);
});

describe("ids that one record gives out", () => {
  const most = 65_536;
  const objects = (count: number) => Array.from({ length: count }, (_, at) => attributes(byId(`u${at}`)));

  test("are as many as their place among those of the record has digits for", () => {
    const [record] = createWorkspace().run(objects(most));
    const ids = new Set(record?.profiles.map(({ userId }) => userId));
    expect(ids.size).toBe(most);
    expect([...ids].every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true);
  });

  test("and never more: such a record has no effects", () => {
    expect(() => createWorkspace().run(objects(most + 1))).toThrow(RangeError);
    expect(limits.bulkObjectsMax).toBeLessThan(most);
  });
});
