/** A change of groups in the mesh answers once it is decided in its order, and says so where it is not. */
import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log } from "../../../platform/log/log.ts";
import { IntakeRecordSchema } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { changedInOrder, type GroupChange, noGroups, type OrderedGroups } from "../domain/group-order.ts";
import { changeGroupsInOrder } from "./change-groups.ts";
import { groupChangeFromMessage } from "./group-message.ts";

const asker = { workspaceId: "w", requestId: "r", actor: "", route: "", idempotencyKey: "", readAfter: "", traceparent: "" };
const letter = { id: "g", name: "Letter", channel: "email" as const };
const declare: GroupChange = { type: "declare", groups: [letter], prune: false };

/** An applier that decides what is appended when a caller waits for it; `others` come just before the first of those. */
function openWorld({ others = [], applies = true, isCaughtUp = true }: {
  readonly others?: readonly GroupChange[];
  readonly applies?: boolean;
  readonly isCaughtUp?: boolean;
} = {}) {
  const clock = fakeClock();
  const appended: GroupChange[] = [];
  const before = [...others];
  let groups: OrderedGroups = noGroups;
  const log: Pick<Log, "append" | "partitions"> = {
    partitions: 1,
    append(_, record) {
      const { body } = fromBinary(IntakeRecordSchema, record);
      if (body.case !== "changeGroups") throw new Error(`Expected a change of groups, got ${body.case}`);
      return Promise.resolve(appended.push(...before.splice(0), groupChangeFromMessage(body.value)));
    },
  };
  const deps = {
    intake: { log: log as Log, clock, decided: () => Promise.reject(new Error("has no key")) },
    readGroups: () => Promise.resolve(groups),
    async caughtUp() {
      clock.advance(limits.consentWaitMs);
      await Promise.resolve();
      if (applies) { for (const [at, change] of appended.entries()) groups = changedInOrder(groups, change, [at + 1, 0]) ?? groups; }
      return isCaughtUp;
    },
    clock,
  };
  return { appended, groups: () => groups, change: (change: GroupChange) => changeGroupsInOrder(deps, asker, change) };
}

test("the change is in when it answers, and asked for again nothing is sent", async () => {
  const { appended, groups, change } = openWorld();
  for (let times = 0; times < 2; times += 1) await change(declare);
  expect(appended).toEqual([declare]);
  expect(groups().groups).toEqual([{ ...letter, archived: false, turns: [1] }]);
});

test("what changes nothing as things are is sent where an earlier change that is not decided yet says otherwise", async () => {
  const { appended, groups, change } = openWorld();
  await change(declare);
  appended.push({ type: "archive", id: "g" });
  await change(declare);
  expect(groups().groups).toMatchObject([{ archived: false, turns: [1, 2, 3] }]);
});

test("what is refused as things are is not sent; what is refused in its place says so", async () => {
  const create: GroupChange = { type: "create", group: letter };
  const { appended, change } = openWorld({ others: [declare] });
  await expect(change({ type: "archive", id: "none" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  expect(appended).toEqual([]);
  await expect(change(create)).rejects.toMatchObject({ reason: "ALREADY_EXISTS" });
  expect(appended).toEqual([declare, create]);
});

test("a change that was set aside, and one that is not decided in time, is told as such", async () => {
  const { change } = openWorld({ applies: false });
  await expect(change(declare)).rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN", message: expect.stringContaining("dead letter") });
  const slow = openWorld({ applies: false, isCaughtUp: false });
  await expect(slow.change(declare)).rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN", message: expect.stringContaining("ask again") });
});
