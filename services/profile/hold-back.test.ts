/** Records that cannot be applied: whose records wait, and that no other user waits with them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { fakeClock } from "../../platform/clock.fixture.ts";
import { limits } from "../../platform/limits.ts";
import { takeIn } from "./domain/merge/apply-merge.ts";
import { applyRecord } from "./domain/profile/apply-records.ts";
import { resolveBatch } from "./domain/resolve/batch.ts";
import { partitionOf } from "../../platform/log/partition.ts";
import { event, externalId, mergeUsers, rowsIn, type TestProfile, testProfiles, usersKnown } from "./profile-service.fixture.ts";
import type { PureSteps } from "./apply/pure-steps.ts";

const { open: openTest, close: closeTest } = testProfiles();

/** Pure steps that throw at events of this name, after having changed the profile. */
function failingAt(name: string): Partial<PureSteps> {
  return {
    applyRecord(profile, record) {
      const after = applyRecord(profile, record);
      if (record.change.type === "event" && record.change.name === name) throw new Error("planted");
      return after;
    },
  };
}

/** The same until they are mended. */
function failingUntil(isMended: () => boolean): Partial<PureSteps> {
  const bad = failingAt("bad");
  return { applyRecord: (user, record) => (isMended() ? applyRecord : bad.applyRecord ?? applyRecord)(user, record) };
}

/** External ids of all users who can be read, in order. */
async function listed(profile: TestProfile): Promise<string[]> {
  const { usersJson } = await profile.client.listUsers({ scope: profile.scope(), pageToken: "", pageSize: 100 });
  return usersJson.map((json) => String(JSON.parse(Buffer.from(json).toString()).external_id)).sort();
}

describe("one process, on records that cannot be applied", () => {
  test("holds back the user and nobody else", async () => {
    const profile = await openTest({ steps: failingAt("bad") });
    await profile.track({ events: [event("a", "good"), event("b", "good")] });
    await profile.track({ events: [event("a", "good"), event("a", "bad"), event("b", "good"), event("a", "later")] });
    await profile.track({ events: [event("a", "later"), event("b", "later")] });
    expect(await profile.user("a")).toMatchObject({ custom_events: [{ name: "good", count: 2 }] });
    expect(await profile.user("b")).toMatchObject({ custom_events: [{ name: "good", count: 2 }, { name: "later", count: 1 }] });
    const users = [{ key: { case: "externalId" as const, value: "a" } }];
    expect((await profile.client.exportUsers({ scope: profile.scope(), users })).behind).toBe(true);
  });

  test("keeps the records durably, and applies them when the code is mended", async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-held-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "heddle.db");
    const first = await openTest({ path, steps: failingAt("bad") });
    await first.track({ events: [event("a", "bad")] });
    await first.track({ attributes: [{ external_id: "a", color: "red" }], events: [event("a", "bad")] });
    await first.part.settled();
    await closeTest(first);
    const mended = await openTest({ path });
    await mended.track({ events: [event("a", "bad")] });
    expect(await mended.user("a")).toMatchObject({ custom_attributes: { color: "red" }, custom_events: [{ name: "bad", count: 3 }] });
  });

  test.each([
    { side: "source", source: "a", target: "b" },
    { side: "source", source: "b", target: "a" },
    { side: "target", source: "a", target: "b" },
    { side: "target", source: "b", target: "a" },
  ])("a merge of $source into $target waits for its held $side, and both come free", async ({ side, source, target }) => {
    let isMended = false;
    const profile = await openTest({ steps: failingUntil(() => isMended) });
    await profile.track({ events: [event("a"), event("b"), event("c")] });
    await profile.track({ events: [event(side === "source" ? source : target, "bad")] });
    await mergeUsers(profile, source, target);
    await profile.track({ events: [event(target, "after"), event("c", "after")] });
    expect(JSON.stringify(await profile.user(target))).not.toContain("after");
    expect(await profile.user("c")).toMatchObject({ custom_events: [{ name: "seen" }, { name: "after" }] });
    isMended = true;
    profile.part.redrive();
    await profile.track({ events: [event("c")] });
    const counts = (await profile.user(target))?.["custom_events"] as { name: string; count: number }[];
    expect(new Map(counts.map(({ name, count }) => [name, count]))).toEqual(new Map([["seen", 2], ["bad", 1], ["after", 1]]));
    expect(await profile.user(source)).toBeUndefined();
    expect(rowsIn(profile, "profile_held") + rowsIn(profile, "profile_held_records")).toBe(0);
  });

  test("a merge that throws holds both sides, an undo of it too, and all is right once mended", async () => {
    let isMended = false;
    const profile = await openTest({
      steps: {
        takeIn(target, source, record) {
          const merged = takeIn(target, source, record);
          if (!isMended) throw new Error("planted");
          return merged;
        },
      },
    });
    await profile.track({ events: [event("a"), event("b")] });
    const before = [await profile.user("a"), await profile.user("b")];
    const jobId = await mergeUsers(profile, "a", "b");
    await profile.client.undoMerge({ scope: profile.scope(), jobId, index: 0 });
    isMended = true;
    profile.part.redrive();
    await profile.track({ events: [event("c")] });
    expect([await profile.user("a"), await profile.user("b")]).toEqual(before);
  });

  test.each([["a", "b"], ["b", "a"]])("an undo waits for its held target, its source too (%s into %s)", async (source, target) => {
    let isMended = false;
    const profile = await openTest({ steps: failingUntil(() => isMended) });
    const calm = await openTest();
    for (const one of [profile, calm]) await one.track({ events: [event("a"), event("b")] });
    const jobId = await mergeUsers(profile, source, target);
    for (const one of [profile, calm]) await one.track({ events: [event(target, "bad")] });
    await profile.client.undoMerge({ scope: profile.scope(), jobId, index: 0 });
    for (const one of [profile, calm]) await one.track({ events: [event(source, "after"), event(target, "after")] });
    expect(await profile.user(source)).toBeUndefined();
    isMended = true;
    profile.part.redrive();
    await profile.track({ events: [event("c")] });
    for (const id of ["a", "b"]) expect(await profile.user(id)).toEqual(await calm.user(id));
  });

  test.each([
    {
      what: "an undo that was answered",
      waits: (profile: TestProfile, jobId: string) => profile.client.undoMerge({ scope: profile.scope(), jobId, index: 0 }),
    },
    { what: "the source of a later merge", waits: (profile: TestProfile) => mergeUsers(profile, "later", "target") },
  ])("$what waits for its held target for days, and nothing of it is swept", async ({ waits }) => {
    let isMended = false;
    const clock = fakeClock();
    const profile = await openTest({ clock, steps: failingUntil(() => isMended) });
    const calm = await openTest();
    const users = ["source", "target", "later"];
    for (const one of [profile, calm]) {
      await one.track({ events: users.map((id) => event(id)) });
      const jobId = await mergeUsers(one, "source", "target");
      await one.track({ events: [event("target", "bad")] });
      await waits(one, jobId);
      await one.part.settled();
    }
    for (const ms of [9 * 24 * 3_600_000, 2 * limits.frozenSweepMs, 2 * limits.frozenSweepMs]) {
      clock.advance(ms);
      await profile.track({ events: [event("other")] });
      await profile.part.settled();
    }
    isMended = true;
    profile.part.redrive();
    await expect.poll(() => rowsIn(profile, "profile_held")).toBe(0);
    for (const id of users) expect(await profile.user(id)).toEqual(await calm.user(id));
    expect(rowsIn(profile, "profile_handoffs")).toBe(0);
  });

  test("a delete of a held user erases the source that waits for it", async () => {
    const profile = await openTest({ steps: failingAt("bad") });
    await profile.track({ events: [event("a"), event("b"), event("b", "bad")] });
    await mergeUsers(profile, "a", "b");
    const key = { key: { key: { case: "externalId" as const, value: "b" } } };
    await profile.client.deleteUsers({ scope: profile.scope(), users: [key] });
    await profile.part.settled();
    const tables = [usersKnown, "profile_held", "profile_held_records", "profile_frozen", "profile_handoffs"];
    expect(tables.map((table) => rowsIn(profile, table))).toEqual([0, 0, 0, 0, 0]);
  });

  test("the source of a merge whose target waits is handed off: nobody reads it until then", async () => {
    let isMended = false;
    const profile = await openTest({ steps: failingUntil(() => isMended) });
    await profile.track({ events: [event("a"), event("b"), event("b", "bad")] });
    await mergeUsers(profile, "a", "b");
    await profile.part.settled();
    expect(await listed(profile)).toEqual(["b"]);
    isMended = true;
    profile.part.redrive();
    await profile.track({ events: [event("c")] });
    expect(await listed(profile)).toEqual(["b", "c"]);
    expect(await profile.user("b")).toMatchObject({ custom_events: [{ name: "seen", count: 2 }, { name: "bad", count: 1 }] });
  });

  test("a delete of a user who waits for the source of a merge comes in its turn", async () => {
    let isMended = false;
    const profile = await openTest({ steps: failingUntil(() => isMended) });
    await profile.track({ events: [event("a"), event("b"), event("a", "bad")] });
    await mergeUsers(profile, "a", "b");
    await profile.client.deleteUsers({ scope: profile.scope(), users: [externalId("b")] });
    await profile.track({ events: [event("b", "anew")] });
    await profile.part.settled();
    expect(profile.part.backlog().blockedUsers).toBe(2);
    expect(await listed(profile)).toEqual(["a", "b", "b"]);
    isMended = true;
    profile.part.redrive();
    await profile.track({ events: [event("c")] });
    await profile.part.settled();
    expect(profile.part.backlog().blockedUsers).toBe(0);
    expect(await listed(profile)).toEqual(["b", "c"]);
    expect(await profile.user("b")).toMatchObject({ custom_events: [{ name: "anew", count: 1 }] });
    expect(rowsIn(profile, "profile_frozen")).toBe(0);
  });

  test("a record that cannot be resolved is set aside whole; those around it are applied, its sender is told", async () => {
    const profile = await openTest({
      resolve(view, records, options) {
        const place = records.findIndex((record) => JSON.stringify(record.body).includes("bad"));
        if (place === 0) throw new Error("planted");
        return resolveBatch(view, place < 0 ? records : records.slice(0, place), options);
      },
    });
    const answers = ["good", "bad", "good", "bad", "good"].map((name, index) =>
      profile.track({ events: [event("a", name)] }, `key ${index}`)
    );
    const settled = await Promise.allSettled(answers);
    expect(settled.map((answer) => answer.status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"]);
    expect(await profile.user("a")).toMatchObject({ custom_events: [{ name: "good", count: 3 }] });
    expect(rowsIn(profile, "profile_set_aside")).toBe(2);
    expect(await profile.track({ events: [event("a", "good")] }, "key 0")).toMatchObject({ replayed: true });
  });

  test("a record that cannot be read is set aside; those around it are applied", async () => {
    const profile = await openTest();
    await profile.track({ events: [event("a")] });
    await profile.log.append(partitionOf("workspace", 1), Uint8Array.of(255, 255, 255));
    await profile.track({ events: [event("a")] });
    expect(await profile.user("a")).toMatchObject({ custom_events: [{ count: 2 }] });
    expect(rowsIn(profile, "profile_set_aside")).toBe(1);
    expect(profile.part.health()).toMatchObject({ ready: true, reason: "Blocked users: 0, dead letters: 1" });
  });
});
