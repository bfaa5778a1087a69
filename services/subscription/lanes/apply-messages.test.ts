/** Appliers of one lane, whatever they write, lose and repeat: states, ledger and events are those of an undisturbed one. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arrivingLate, brokenOff, chances, dice, stubborn } from "../../consent/lane/appliers.fixture.ts";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import { redriving } from "../../consent/lane/redrive.ts";
import type { LaneBody } from "../../consent/engine/lane-message.ts";
import { SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { applyRecord } from "../domain/apply-record.ts";
import { bodyOf, type Change, commands, laneOf, openWorld, requests, undisturbed } from "./lane.fixture.ts";
import { groupChangeToMessage } from "./group-message.ts";
import { membershipMessages } from "./lane-message.ts";

describe("applyMessages()", () => {
  test("stopped before or after any write or publishing, and begun again: the same rows, each event once in effect", async () => {
    await fc.assert(
      fc.asyncProperty(commands, chances, requests, async (all, numbers, of) => {
        const bodies = laneOf(all, of);
        const next = dice(numbers);
        const world = openWorld(brokenOff(next));
        await stubborn(world, bodies, next);
        const calm = await undisturbed(bodies);
        expect(world.replicas.dump()).toEqual(calm.rows);
        expect([...world.published.keys()].sort()).toEqual(calm.published);
        expect(await world.store.verify("w")).toMatchObject({ damage: undefined });
      }),
      { numRuns: 150 },
    );
  });

  test("two appliers at the same time, with writes that arrive late: the same rows, each event once in effect", async () => {
    await fc.assert(
      fc.asyncProperty(commands, chances, requests, async (all, numbers, of) => {
        const bodies = laneOf(all, of);
        const next = dice(numbers);
        const world = openWorld(arrivingLate(next));
        await Promise.all([stubborn(world, bodies, next), stubborn(world, bodies, next)]);
        world.replicas.deliver((waiting) => next() % waiting);
        const calm = await undisturbed(bodies);
        expect(world.replicas.dump()).toEqual(calm.rows);
        expect([...world.published.keys()].sort()).toEqual(calm.published);
      }),
      { numRuns: 150 },
    );
  });

  test("what is no record is put aside with its place, and holds up nobody", async () => {
    const world = openWorld();
    const good = laneOf([{ type: "set", user: 1, subscribed: true, carried: false }], "many");
    await world.apply([{ body: Uint8Array.of(255), place: [9, 4] }, ...good]);
    expect(await world.store.listSetAside(10)).toMatchObject([{ record: { workspaceId: "", sequence: 9, part: 4 } }]);
    expect((await world.store.store.load("w", ["u1"])).get("u1")?.groups).toEqual(new Map([["g", "subscribed"]]));
  });
});

test("applyMessages() finds a group whose id is a UUID in either case, and keeps the state under the declared one", async () => {
  const id = "0190a5c2-7d1e-7abc-8def-0123456789ab";
  const declared = groupChangeToMessage({ type: "declare", groups: [{ id, name: "G", channel: "email" }], prune: false });
  const value = { subscriptionGroupId: id.toUpperCase(), state: SubscriptionState.UNSUBSCRIBED };
  const world = openWorld();
  await world.apply([
    { body: bodyOf({ userId: "", sequence: 1 }, { case: "changeGroups", value: declared }), place: [1, 0] },
    { body: bodyOf({ userId: "u1", sequence: 2 }, { case: "setMembership", value }), place: [2, 0] },
  ]);
  expect((await world.store.store.load("w", ["u1"])).get("u1")?.groups).toEqual(new Map([[id, "unsubscribed"]]));
  expect(await world.store.history("w", "u1")).toMatchObject([{ what: id, after: "unsubscribed" }]);
});

test("applyMessages() passes over no change of groups that it cannot read: what stands behind it is judged by it", async () => {
  const value = { subscriptionGroupId: "g", state: SubscriptionState.UNSUBSCRIBED };
  const world = openWorld();
  const applying = world.apply([
    { body: bodyOf({ userId: "", sequence: 1 }, { case: "changeGroups", value: {} }), place: [1, 0] },
    { body: bodyOf({ userId: "u1", sequence: 2 }, { case: "setMembership", value }), place: [2, 0] },
  ]);
  await expect(applying).rejects.toThrow("Expected a change of subscription groups, got none");
  expect(await world.store.listSetAside(10)).toEqual([]);
});

describe("applyMessages() on a record that cannot be applied", () => {
  const subscribed = { case: "setMembership" as const, value: { subscriptionGroupId: "g", state: SubscriptionState.SUBSCRIBED } };
  const unsubscribed = { case: "setMembership" as const, value: { subscriptionGroupId: "g", state: SubscriptionState.UNSUBSCRIBED } };
  const unread = { case: "setMembership" as const, value: { subscriptionGroupId: "g", state: 7 as SubscriptionState } };
  function said(sequence: number, userId: string, change: Change & object): LaneBody {
    return { body: bodyOf({ userId, sequence }, change), place: [100 + sequence, 0] };
  }
  const redriven = (skipped: readonly LaneRecord[] = []): LaneBody => ({
    body: membershipMessages.redriveBody("w", { skipped }),
    place: [999, 0],
  });
  const stateOf = async (world: ReturnType<typeof openWorld>, id: string) => {
    return (await world.store.store.load("w", [id])).get(id)?.groups.get("g");
  };
  const waiting = async (world: ReturnType<typeof openWorld>) => {
    return (await world.store.listSetAside(10)).map(({ record: { sequence, key } }) => [sequence, key]);
  };
  /** As a build whose pure step throws at the record of a place, until it is mended. */
  function throwingAt(sequence: number) {
    const state = { mended: false };
    const step: typeof applyRecord = (users, record) => {
      const applied = applyRecord(users, record);
      if (record.mark[0] === sequence && !state.mended) throw new Error("planted");
      return applied;
    };
    return { state, step };
  }

  test("holds back its user, also in later batches, and nobody else", async () => {
    const world = openWorld();
    await world.apply([said(1, "u1", unread), said(2, "u2", subscribed), said(3, "u1", subscribed)]);
    await world.apply([said(4, "u1", unsubscribed), said(5, "u2", unsubscribed)]);
    expect(await waiting(world)).toEqual([[1, "u1"], [3, "u1"], [4, "u1"]]);
    expect([await stateOf(world, "u1"), await stateOf(world, "u2")]).toEqual([undefined, "unsubscribed"]);
  });

  test("a pure step that throws is set aside, half done for nobody, and tried again where that is asked for", async () => {
    const { state, step } = throwingAt(2);
    const world = openWorld({ applyRecord: step });
    await world.apply([said(1, "u1", subscribed), said(2, "u1", unsubscribed), said(3, "u2", subscribed)]);
    expect([await stateOf(world, "u1"), await stateOf(world, "u2")]).toEqual(["subscribed", "subscribed"]);
    await world.apply([redriven()]);
    expect(await waiting(world)).toEqual([[2, "u1"]]);
    state.mended = true;
    await world.apply([said(4, "u1", subscribed), redriven(), said(5, "u2", unsubscribed)]);
    expect(await waiting(world)).toEqual([]);
    const calm = await undisturbed([
      said(1, "u1", subscribed),
      said(2, "u1", unsubscribed),
      said(3, "u2", subscribed),
      said(4, "u1", subscribed),
      said(5, "u2", unsubscribed),
    ]);
    const rows = world.replicas.dump() as [string, unknown][];
    expect(rows.filter(([key]) => !key.startsWith("set_aside"))).toEqual(calm.rows);
    expect([...world.published.keys()].sort()).toEqual(calm.published);
  });

  test("skipped, what came behind it is applied, once, however often that is said", async () => {
    const world = openWorld();
    await world.apply([said(1, "u1", unread), said(2, "u1", subscribed)]);
    const [first] = await world.store.listSetAside(1);
    if (first === undefined) throw new Error("Expected a record that waits, got none");
    for (let times = 0; times < 2; times += 1) await world.apply([redriven([first.record])]);
    expect(await waiting(world)).toEqual([]);
    expect(await stateOf(world, "u1")).toBe("subscribed");
    expect(world.published.size).toBe(1);
  });

  test("what waited and is bad itself says so once it is what holds others back, and can be skipped", async () => {
    const world = openWorld();
    await world.apply([said(1, "u1", unread), said(2, "u1", unread), said(3, "u1", subscribed)]);
    const [first] = await world.store.listSetAside(1);
    if (first === undefined) throw new Error("Expected a record that waits, got none");
    const appended: Uint8Array[] = [];
    const deps = { ...membershipMessages, tables: world.store, laneOf: () => 0 };
    const deadLetters = redriving({ ...deps, append: async (_, body) => void appended.push(body) });
    const second = { workspaceId: "w", sequence: 2, part: 0 };
    await expect(deadLetters.skipSetAside(second)).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
    await world.apply([redriven([first.record])]);
    expect((await deadLetters.listSetAside(10)).map(({ reason }) => reason)).toEqual([first.reason, "Waits for the record at 2.0"]);
    await deadLetters.skipSetAside(second);
    await world.apply(appended.map((body) => ({ body, place: [1_000, 0] })));
    expect([await waiting(world), await stateOf(world, "u1")]).toEqual([[], "subscribed"]);
  });

  test("a merge waits with either of its users, and the other from there on", async () => {
    const merged = { case: "userMerged" as const, value: { mergeId: "m", sourceUserId: "u1", undoUntil: 0n } };
    const { state, step } = throwingAt(1);
    const world = openWorld({ applyRecord: step });
    await world.apply([said(1, "u1", subscribed), said(2, "u2", unsubscribed), said(3, "u2", merged)]);
    await world.apply([said(4, "u2", subscribed)]);
    expect(await waiting(world)).toEqual([[1, "u1"], [3, "u2\nu1"], [4, "u2"]]);
    state.mended = true;
    await world.apply([redriven()]);
    expect([await stateOf(world, "u2"), await waiting(world)]).toEqual(["subscribed", []]);
  });

  test("read again after a delete, nothing is told of those who were merged into the deleted user", async () => {
    const merged = { case: "userMerged" as const, value: { mergeId: "m", sourceUserId: "u1", undoUntil: 0n } };
    const bodies = [said(1, "u1", subscribed), said(2, "u2", merged), said(3, "u2", { case: "userDeleted", value: {} })];
    const world = openWorld();
    await world.apply(bodies);
    const rows = world.replicas.dump();
    world.published.clear();
    for (const body of bodies) await world.apply([body]);
    expect([world.published.size, world.replicas.dump()]).toEqual([0, rows]);
  });

  test("of a record of several users only those wait who have to", async () => {
    const world = openWorld();
    const many = {
      case: "setMemberships" as const,
      value: { subscriptionGroupId: "g", state: SubscriptionState.SUBSCRIBED, userIds: ["u1", "u2", "u3"] },
    };
    await world.apply([said(1, "u2", unread), said(2, "u1", many)]);
    expect(await Promise.all(["u1", "u2", "u3"].map((id) => stateOf(world, id)))).toEqual(["subscribed", undefined, "subscribed"]);
    const kept = await world.store.listSetAside(10);
    expect(kept.map(({ record: { sequence, part, key } }) => [sequence, part, key])).toEqual([[1, 0, "u2"], [2, 1, "u2"]]);
    await world.apply([redriven(kept.slice(0, 1).map(({ record }) => record))]);
    expect([await stateOf(world, "u2"), await waiting(world)]).toEqual(["subscribed", []]);
  });

  test("stopped at any write of a redrive, and begun again: each once", async () => {
    for (let stopAt = 0; stopAt < 8; stopAt += 1) {
      const { state, step } = throwingAt(1);
      let writes = -Infinity;
      const world = openWorld({
        applyRecord: step,
        write: () => writes++ === stopAt ? { reached: [], later: [], answer: "notDone" as const } : undefined,
      });
      const bodies = [said(1, "u1", subscribed), said(2, "u1", unsubscribed), said(3, "u1", subscribed)];
      await world.apply(bodies);
      state.mended = true;
      writes = 0;
      await world.apply([redriven()]).catch(() => {});
      writes = -Infinity;
      await world.apply([redriven(), said(4, "u1", unsubscribed)]);
      expect(await waiting(world)).toEqual([]);
      expect([...world.published.keys()].sort()).toEqual((await undisturbed([...bodies, said(4, "u1", unsubscribed)])).published);
    }
  });
});
