/** The state table of the specification, merges and undo, and properties of memberships. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyRecord, type StepUsers } from "./apply-record.ts";
import type { MembershipChange } from "./membership-record.ts";
import { type MembershipState, mergeGroups, sharedState } from "./memberships.ts";

const hour = 3_600_000;

function createStep(takesChanges: StepUsers["takesChanges"] = () => true) {
  const step: StepUsers = { users: new Map(), takesChanges };
  let sequence = 0;
  return {
    step,
    apply(userId: string, change: MembershipChange, at = 0) {
      sequence += 1;
      return applyRecord(step, { userId, mark: [sequence, 0], at, requestId: `r${sequence}`, actor: "k", change });
    },
    state: (userId: string, groupId = "g") => step.users.get(userId)?.groups.get(groupId) ?? null,
  };
}

function set(state: MembershipState, rest: Partial<Extract<MembershipChange, { type: "set" }>> = {}): MembershipChange {
  return { type: "set", groupId: "g", state, carried: false, side: [], ...rest };
}

function merged(sourceId: string, mergeId = "m", undoUntil = hour): MembershipChange {
  return { type: "merged", mergeId, sourceId, undoUntil };
}

const undone = (sourceId: string, mergeId = "m"): MembershipChange => ({ type: "undone", mergeId, sourceId });

/** State before, change, state after. */
const stateTable: [MembershipState | null, MembershipChange, MembershipState | null][] = [
  [null, set("subscribed"), "subscribed"],
  [null, set("unsubscribed"), "unsubscribed"],
  ["subscribed", set("unsubscribed"), "unsubscribed"],
  ["unsubscribed", set("subscribed"), "subscribed"],
  ["subscribed", set("subscribed"), "subscribed"],
  ["unsubscribed", set("unsubscribed"), "unsubscribed"],
  [null, set("subscribed", { carried: true }), "subscribed"],
  [null, set("unsubscribed", { carried: true }), "unsubscribed"],
  ["subscribed", set("unsubscribed", { carried: true }), "unsubscribed"],
  ["unsubscribed", set("subscribed", { carried: true }), "unsubscribed"],
  ["subscribed", { type: "deleted" }, null],
];

test.each(stateTable)("applyRecord() %s, %j: %s (specification, States and transitions)", (before, change, after) => {
  const { apply, state } = createStep();
  if (before !== null) apply("u", set(before));
  const { changes } = apply("u", change);
  expect(state("u")).toBe(after);
  const told = before === after || change.type === "deleted" ? [] : [{ userId: "u", groupId: "g", before, after }];
  expect(changes).toMatchObject(told);
});

describe("applyRecord()", () => {
  test("a record at or below the mark does nothing", () => {
    const { step, apply, state } = createStep();
    apply("u", set("subscribed"));
    const repeat = { userId: "u", mark: [1, 0] as const, at: 0, requestId: "", actor: "", change: set("unsubscribed") };
    expect(applyRecord(step, repeat).changes).toEqual([]);
    expect(state("u")).toBe("subscribed");
  });

  test("a group that takes no changes keeps its states", () => {
    let open = true;
    const { apply, state } = createStep(() => open);
    apply("u", set("subscribed"));
    open = false;
    expect(apply("u", set("unsubscribed")).changes).toEqual([]);
    expect(state("u")).toBe("subscribed");
  });

  test.each([
    ["subscribed", "where its group takes it", [1, 2]],
    ["unsubscribed", "not where its group was archived", [1]],
    [null, "nor does what was asked for while it was", [3]],
  ])("a state that waited is %s by the latest request, %s", (after, _, open) => {
    const { apply, state } = createStep((_group, sequence) => open.includes(sequence));
    apply("u", set("unsubscribed", { carried: true, askedAt: 1, laterAt: [2] }));
    apply("u", set("subscribed", { carried: true, askedAt: 2, laterAt: [] }));
    expect(state("u")).toBe(after);
  });

  test("deleting names the histories of all that went into the user", () => {
    const { apply } = createStep();
    apply("s1", merged("s0", "m0"));
    apply("u", merged("s1", "m1"));
    apply("u", merged("s2", "m2"), 2 * hour);
    expect([...apply("u", { type: "deleted" }, 2 * hour).erased].toSorted()).toEqual(["s0", "s1", "s2", "u"]);
  });
});

const mergeTable: [MembershipState | null, MembershipState | null, MembershipState | null][] = [
  [null, null, null],
  ["subscribed", null, "subscribed"],
  [null, "subscribed", "subscribed"],
  ["subscribed", "subscribed", "subscribed"],
  ["unsubscribed", null, "unsubscribed"],
  [null, "unsubscribed", "unsubscribed"],
  ["unsubscribed", "subscribed", "unsubscribed"],
  ["subscribed", "unsubscribed", "unsubscribed"],
  ["unsubscribed", "unsubscribed", "unsubscribed"],
];

describe("applyRecord() merges", () => {
  test.each(mergeTable)("target %s, source %s: %s, and undo gives both back", (target, source, after) => {
    const { apply, state } = createStep();
    if (target !== null) apply("t", set(target));
    if (source !== null) apply("s", set(source));
    apply("t", merged("s"));
    expect([state("t"), state("s")]).toEqual([after, null]);
    apply("t", undone("s"));
    expect([state("t"), state("s")]).toEqual([target, source]);
  });

  test("a set between merge and undo stays with the side that was addressed", () => {
    const { apply, state } = createStep();
    apply("t", merged("s"));
    apply("t", set("unsubscribed", { side: ["m"] }));
    apply("t", set("subscribed", { groupId: "h" }));
    expect([state("t"), state("t", "h")]).toEqual(["unsubscribed", "subscribed"]);
    apply("t", undone("s"));
    expect([state("t"), state("t", "h"), state("s"), state("s", "h")]).toEqual([null, "subscribed", "unsubscribed", null]);
  });

  test("merges into a source are undone after its own, with what each side was told", () => {
    const { apply, state } = createStep();
    apply("b", merged("a", "m1"));
    apply("c", merged("b", "m2"));
    apply("c", set("unsubscribed", { side: ["m2", "m1"] }));
    apply("c", undone("b", "m2"));
    expect([state("c"), state("b")]).toEqual([null, "unsubscribed"]);
    apply("b", undone("a", "m1"));
    expect([state("b"), state("a")]).toEqual([null, "unsubscribed"]);
  });

  test("without a window nothing is taken back; with one whatever was decided, by whatever clock records are dated", () => {
    const { apply, state } = createStep();
    apply("s", set("unsubscribed"));
    apply("t", merged("s", "m", 0));
    apply("t", undone("s"));
    expect([state("t"), state("s")]).toEqual(["unsubscribed", null]);
    apply("x", merged("t", "n"));
    apply("x", set("subscribed", { groupId: "h" }), 200 * hour);
    apply("x", undone("t", "n"), 2 * hour);
    expect([state("x"), state("x", "h"), state("t")]).toEqual([null, "subscribed", "unsubscribed"]);
  });
});

const state = fc.constantFrom<MembershipState>("subscribed", "unsubscribed");
const groups = fc.array(fc.tuple(fc.constantFrom<string>("g", "h", "__proto__"), state)).map((entries) => new Map(entries));

test("mergeGroups() never gives up an unsubscribe and never invents one", () => {
  fc.assert(fc.property(groups, groups, (target, source) => {
    const merged = mergeGroups(target, source);
    for (const group of ["g", "h", "__proto__"]) {
      const sides = [target.get(group), source.get(group)];
      expect(merged.get(group)).toBe(sides.includes("unsubscribed") ? "unsubscribed" : sides.find((side) => side !== undefined));
    }
  }));
});

test("applyRecord() merge and undo give back both sides whatever they were", () => {
  fc.assert(fc.property(groups, groups, (target, source) => {
    const { step, apply } = createStep();
    for (const [groupId, value] of target) apply("t", set(value, { groupId }));
    for (const [groupId, value] of source) apply("s", set(value, { groupId }));
    apply("t", merged("s"));
    apply("t", undone("s"));
    expect(step.users.get("t")?.groups ?? new Map()).toEqual(target);
    expect(step.users.get("s")?.groups ?? new Map()).toEqual(source);
  }));
});

test.each<[(MembershipState | undefined)[], MembershipState | undefined]>([
  [[], undefined],
  [[undefined], undefined],
  [[undefined, "subscribed"], "subscribed"],
  [["subscribed", "unsubscribed"], "unsubscribed"],
])("sharedState() of %j is %s", (states, shared) => {
  expect(sharedState(states)).toBe(shared);
});
