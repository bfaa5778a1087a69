/** Groups in the order: what a declaration makes of them, and which changes they take at a place. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { changedInOrder, type GroupChange, noGroups, type OrderedGroups, takesChangesAt } from "./group-order.ts";

const letter = { id: "g", name: "Letter", channel: "email" as const };
const declare: GroupChange = { type: "declare", groups: [letter], prune: false };
const prune: GroupChange = { type: "declare", groups: [], prune: true };

/** Each change at the sequence that stands before it. */
function after(begin: OrderedGroups, ...changes: readonly (readonly [sequence: number, change: GroupChange])[]): OrderedGroups {
  return changes.reduce((groups, [sequence, change]) => changedInOrder(groups, change, [sequence, 0]) ?? groups, begin);
}

function takenAt({ groups: [group] }: OrderedGroups, ...sequences: readonly number[]): boolean[] {
  return sequences.map((sequence) => group !== undefined && takesChangesAt(group, sequence));
}

test("a group takes what was asked for while it was declared, whenever that is applied", () => {
  const groups = after(noGroups, [5, declare], [9, prune], [12, declare]);
  expect(takenAt(groups, 4, 6, 8, 10, 11, 13)).toEqual([false, true, true, false, false, true]);
  expect(groups.groups).toEqual([{ ...letter, archived: false, turns: [5, 9, 12] }]);
});

test("a declaration that comes again changes nothing, nor does one that comes behind a later one", () => {
  const groups = after(noGroups, [5, declare], [9, prune]);
  expect(changedInOrder(groups, declare, [5, 0])).toBeUndefined();
  expect(changedInOrder(groups, prune, [9, 0])).toBeUndefined();
});

test("a change that is refused is remembered with its place, and changes nothing else", () => {
  const groups = after(noGroups, [5, declare], [6, { type: "create", group: letter }], [7, { type: "archive", id: "none" }]);
  expect(groups).toMatchObject({
    mark: [7, 0],
    groups: [{ id: "g", turns: [5] }],
    refused: [{ mark: [6, 0], reason: "ALREADY_EXISTS" }, { mark: [7, 0], reason: "NOT_FOUND" }],
  });
});

test("archived and declared at one place, nothing lies between", () => {
  const groups = changedInOrder(after(noGroups, [5, declare], [9, prune]), declare, [9, 1]);
  expect(groups?.groups).toEqual([{ ...letter, archived: false, turns: [5] }]);
});

test("of a group that came and went very often the first time without changes is forgotten first", () => {
  let groups = noGroups;
  for (let sequence = 1; sequence <= limits.groupTurnsKeptMax + 2; sequence += 1) {
    groups = after(groups, [sequence * 10, sequence % 2 === 1 ? declare : prune]);
  }
  expect(groups.groups[0]?.turns).toHaveLength(limits.groupTurnsKeptMax);
  expect(takenAt(groups, 5, 15, 25, 35, 45, 55)).toEqual([false, true, true, true, false, true]);
});
