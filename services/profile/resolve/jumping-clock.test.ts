/** One process with a wall clock that jumps: what ends by itself does not end early, and what is over does end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Clock } from "../../../platform/clock.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { event, mergeUsers, type TestProfile, testProfiles } from "../profile-service.fixture.ts";

const { open: openTest, close: closeTest } = testProfiles();
const hourMs = 3_600_000;
const folders: string[] = [];

function filePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-clock-"));
  folders.push(folder);
  return join(folder, "heddle.db");
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** How many identity rows there are of each kind. */
function rowsOf({ database }: TestProfile): Record<string, number> {
  const rows = database.handle.prepare("SELECT substr(key, 1, 1) AS kind, count(*) AS count FROM profile_identities GROUP BY 1").all();
  return Object.fromEntries(rows.map((row) => [String(row["kind"]), Number(row["count"])]));
}

/** A clock whose wall part can be set ahead of the other. */
function leapingClock(): Clock & { advance(ms: number): void; aheadMs: number } {
  const clock = fakeClock();
  return {
    ...clock,
    aheadMs: 0,
    now() {
      return clock.now() + this.aheadMs;
    },
  };
}

/** Two users of whom one is merged away, and a request with a key. */
async function mergedAndKeyed(profile: TestProfile): Promise<string> {
  await profile.track({ events: [event("a"), event("b")] });
  const jobId = await mergeUsers(profile, "a", "b");
  await profile.track({ events: [event("c")] }, "k");
  await profile.part.settled();
  return jobId;
}

/** The key still knows its first answer, and the merge can be taken back. */
async function expectNothingOver(profile: TestProfile, jobId: string): Promise<void> {
  await profile.track({ events: [event("c")] }, "k");
  await profile.part.settled();
  expect(await profile.user("c")).toMatchObject({ custom_events: [{ count: 1 }] });
  await profile.client.undoMerge({ scope: profile.scope(), jobId, index: 0 });
  await profile.part.settled();
  expect(await profile.user("a")).toMatchObject({ custom_events: [{ count: 1 }] });
  expect(await profile.user("b")).toMatchObject({ custom_events: [{ count: 1 }] });
}

describe("one process with a wall clock that jumps", () => {
  const leapMs = 8 * 24 * hourMs;

  test("ahead for one step, and a sweep: undo windows and keys are as before", async () => {
    const clock = leapingClock();
    const profile = await openTest({ clock });
    await mergedAndKeyed(profile);
    clock.aheadMs = leapMs;
    clock.advance(2 * limits.frozenSweepMs);
    await profile.track({ events: [event("a"), event("b"), event("d")] });
    await profile.part.settled();
    clock.aheadMs = 0;
    expect(rowsOf(profile)).toMatchObject({ j: 1, m: 1, r: 1 });
    await profile.track({ events: [event("c")] }, "k");
    await profile.part.settled();
    expect(await profile.user("c")).toMatchObject({ custom_events: [{ count: 1 }] });
  });

  test("ahead for one step: a merge is taken back afterwards, also one that was made in it", async () => {
    const clock = leapingClock();
    const profile = await openTest({ clock });
    const before = await mergedAndKeyed(profile);
    clock.aheadMs = leapMs;
    await profile.track({ events: [event("x"), event("y")] });
    const within = await mergeUsers(profile, "x", "y");
    await profile.part.settled();
    clock.aheadMs = 0;
    await expectNothingOver(profile, before);
    await profile.client.undoMerge({ scope: profile.scope(), jobId: within, index: 0 });
    await profile.part.settled();
    expect(await profile.user("x")).toMatchObject({ custom_events: [{ count: 1 }] });
  });

  test("ahead over a restart: the same", async () => {
    const path = filePath();
    const first = await openTest({ path });
    const jobId = await mergedAndKeyed(first);
    await closeTest(first);
    const ahead = leapingClock();
    ahead.aheadMs = leapMs;
    const second = await openTest({ path, clock: ahead });
    await second.track({ events: [event("b", "other")] });
    await second.part.settled();
    await closeTest(second);
    const again = await openTest({ path });
    await again.track({ events: [event("c")] }, "k");
    await again.part.settled();
    expect(await again.user("c")).toMatchObject({ custom_events: [{ count: 1 }] });
    await again.client.undoMerge({ scope: again.scope(), jobId, index: 0 });
    await again.part.settled();
    expect(await again.user("a")).toMatchObject({ custom_events: [{ count: 1 }] });
  });

  test("as it seems after a day's rest: what is tracked has today's times at once, and what is over ends soon", async () => {
    const path = filePath();
    const first = await openTest({ path, undoWindowMs: hourMs });
    const jobId = await mergedAndKeyed(first);
    await closeTest(first);
    const clock = fakeClock(Date.UTC(2026, 0, 10));
    const again = await openTest({ path, clock, undoWindowMs: hourMs });
    await again.track({ events: [{ external_id: "e", name: "seen", time: "2026-01-09T12:00:00Z" }] });
    await again.part.settled();
    expect(await again.user("e")).toMatchObject({ custom_events: [{ last: "2026-01-09T12:00:00.000Z" }] });
    await expect(again.client.undoMerge({ scope: again.scope(), jobId, index: 0 })).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
    clock.advance(limits.clockDoubtMs);
    await again.track({ events: [event("e")] });
    await again.part.settled();
    clock.advance(2 * limits.frozenSweepMs);
    await vi.waitFor(() => expect(rowsOf(again)).not.toHaveProperty("r"));
  });
});
