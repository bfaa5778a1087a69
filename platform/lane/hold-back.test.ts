/** Whose records wait for one that cannot be applied, and that no others wait with them. */
import { describe, expect, test } from "vitest";
import { createHolds, type DecodedRecord, type Holds, planAround, redrivable, skippable } from "./hold-back.ts";
import type { RecordId } from "../age.ts";
import type { DeadLetter, LaneRecord } from "./lane.ts";

interface Payload {
  readonly mark: RecordId;
  readonly keys: readonly string[];
}

function decoded(sequence: number, keys: readonly string[], reason = ""): DecodedRecord<Payload> {
  const mark: RecordId = [sequence, 0];
  return { mark, keys, payload: reason === "" ? { mark, keys } : undefined, reason, toRow: () => row(sequence, keys.join(" ")) };
}

function row(sequence: number, key = "u", workspaceId = "w"): LaneRecord {
  return { workspaceId, sequence, part: 0, key, body: Uint8Array.of(sequence) };
}

/** Throws at these places. */
async function planned(records: readonly DecodedRecord<Payload>[], throwing: readonly number[] = [], before = createHolds([])) {
  const rounds: number[][] = [];
  const { free, deadLetters } = await planAround(records, before, (all, blame) => {
    rounds.push(all.map(({ mark }) => mark[0]));
    for (const said of all) if (throwing.includes(said.mark[0])) blame(said, new Error("planted"));
    return Promise.resolve();
  });
  return {
    rounds,
    free: free.map(({ mark }) => mark[0]),
    setAside: deadLetters.map(({ record, reason }) => [record.sequence, reason]),
  };
}

describe("planAround()", () => {
  test("holds back the users of a record that nobody can read, and nobody else", async () => {
    const records = [decoded(1, ["a"]), decoded(2, ["a"], "unread"), decoded(3, ["b"]), decoded(4, ["a"]), decoded(5, ["b"])];
    expect(await planned(records)).toMatchObject({ free: [1, 3, 5], setAside: [[2, "unread"], [4, "Waits for the record at 2.0"]] });
  });

  test("plans again without a record whose pure step throws, and without what comes behind it", async () => {
    const records = [decoded(1, ["a"]), decoded(2, ["b"]), decoded(3, ["a"]), decoded(4, ["b"])];
    expect(await planned(records, [1])).toEqual({
      rounds: [[1, 2, 3, 4], [2, 4]],
      free: [2, 4],
      setAside: [[1, "planted"], [3, "Waits for the record at 1.0"]],
    });
  });

  test("who is part of a record that waits has to wait from there on", async () => {
    const records = [decoded(1, ["a"], "unread"), decoded(2, ["b"]), decoded(3, ["b", "a"]), decoded(4, ["b"]), decoded(5, ["c"])];
    expect(await planned(records)).toMatchObject({
      free: [2, 5],
      setAside: [[1, "unread"], [3, expect.anything()], [4, expect.anything()]],
    });
  });

  test("a record waits for those that were set aside before it, not for those behind it", async () => {
    const held = createHolds([{ keys: ["a"], mark: [3, 0] }]);
    expect(await planned([decoded(2, ["a"]), decoded(3, ["a"]), decoded(4, ["a"])], [], held)).toMatchObject({
      free: [2, 3],
      setAside: [[4, expect.anything()]],
    });
  });

  test("a record that names nobody holds back nobody", async () => {
    expect(await planned([decoded(1, [], "unread"), decoded(2, ["a"])])).toMatchObject({ free: [2], setAside: [[1, "unread"]] });
  });

  test("what a store throws is passed on", async () => {
    const plan = planAround([decoded(1, ["a"])], createHolds([]), () => Promise.reject(new Error("away")));
    await expect(plan).rejects.toThrow("away");
  });
});

test("redrivable() gives what can be read, as far as nothing unread of its users comes before it", () => {
  const waiting: DeadLetter[] = [row(1, "a"), row(2, "b"), row(3, "a"), row(1, "a", "v")].map((record) => ({ record, reason: "" }));
  const read = (
    record: LaneRecord,
  ) => [decoded(record.sequence, [record.key], record.key === "a" && record.workspaceId === "w" && record.sequence === 1 ? "unread" : "")];
  const places = (some: readonly DeadLetter[], holds: Map<string, Holds>) => {
    return redrivable(some, read, holds).map(({ workspaceId, sequence }) => [workspaceId, sequence]);
  };
  expect(places(waiting, new Map())).toEqual([["w", 2], ["v", 1]]);
  // Cut anywhere
  const holds = new Map<string, Holds>();
  expect(waiting.map((one) => places([one], holds))).toEqual([[], [["w", 2]], [], [["v", 1]]]);
});

describe("skippable()", () => {
  // What waits decides, not what was said when it was set aside
  const waiting = [{ record: row(1), reason: "Waits for the record at 0.0" }, { record: row(2), reason: "unread" }];
  const holds = createHolds([{ mark: [1, 0], keys: ["u"] }, { mark: [2, 0], keys: ["u"] }]);
  test("gives the record that holds others back", () => {
    expect(skippable(waiting, { workspaceId: "w", sequence: 1, part: 0 }, holds)).toEqual(row(1));
  });

  test.each([
    ["STATE_CONFLICT", { workspaceId: "w", sequence: 2, part: 0 }],
    ["NOT_FOUND", { workspaceId: "w", sequence: 3, part: 0 }],
    ["NOT_FOUND", { workspaceId: "v", sequence: 1, part: 0 }],
  ])("refuses %s for %j", (reason, place) => {
    expect(() => skippable(waiting, place, holds)).toThrow(expect.objectContaining({ reason }));
  });
});
