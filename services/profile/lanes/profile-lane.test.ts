/** Messages of profile lanes: what goes in comes out, and another version is not guessed at. */
import { expect, test } from "vitest";
import type { Addressed } from "../domain/resolve/lane-item.ts";
import { packItem, packLaneMessage, readLaneMessage } from "./profile-lane.ts";

const items: Addressed[] = [
  { workspaceId: "w", item: { type: "record", record: { userId: "u", mark: [1, 0], now: 5, change: { type: "create" } } } },
  {
    workspaceId: "w",
    item: {
      type: "record",
      record: {
        userId: "u",
        mark: [1, 1],
        now: 5,
        change: { type: "attributes", custom: [["__proto__", { op: "set", value: "\uD800 ü" }]] },
      },
    },
  },
  { workspaceId: "v", item: { type: "announce", userId: "t", mergeId: "m", what: "frozen", mark: [1, 2] } },
  { workspaceId: "v", item: { type: "redrive", userId: "t" } },
  { workspaceId: "v", item: { type: "skip", userId: "t", mark: [3, 4] } },
];

test("readLaneMessage() gives back what was packed", () => {
  expect(readLaneMessage(packLaneMessage(items.map(packItem)))).toEqual(items);
  expect(readLaneMessage(packLaneMessage([]))).toEqual([]);
});

test("readLaneMessage() refuses a message of another version", () => {
  expect(() => readLaneMessage(Buffer.from('{"v":2,"items":[]}'))).toThrow('Expected a lane message of version 1, got "2"');
});
