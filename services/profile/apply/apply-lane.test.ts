/** What the applier of a lane says of how far it is. */
import { expect, test, vi } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { createGate } from "../../../platform/gate.ts";
import { laneLayout } from "../../../platform/lane/layout.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { freeze, takeBack, takeIn } from "../domain/merge/apply-merge.ts";
import { applyRecord } from "../domain/profile/apply-records.ts";
import type { ProfileChange } from "../domain/profile/profile-record.ts";
import type { StoredUser, UserTables } from "../domain/ports.ts";
import { packItem, packLaneMessage, readLaneMessage } from "../lanes/profile-lane.ts";
import { profileFromRow, profileToRow } from "../store/rows.ts";
import { applyLane } from "./apply-lane.ts";
import { createUserCache } from "./user-cache.ts";

const blocked: StoredUser = { profile: undefined, row: "", blocked: true, openMerges: [], mark: [1, 0] };
const profiles = {
  loadBlocked: () => Promise.resolve(new Map([["a", { reason: "planted", records: [recordOf(2).record] }]])),
  loadUsers: () => Promise.resolve(new Map([["a", blocked]])),
  save: () => Promise.resolve({ rows: new Map() }),
} as unknown as UserTables;

function recordOf(sequence: number) {
  const change: ProfileChange = { type: "event", name: "good", time: 0 };
  return { type: "record" as const, record: { userId: "a", mark: [sequence, 0] as const, now: 0, change } };
}

/** An applier of a lane with these messages, where `kept` is the position that is saved, and what it says of how far it is. */
function openLane(kept: { position: number } = { position: 0 }, gate = createGate(1)) {
  const clock = fakeClock();
  const messages: Uint8Array[] = [];
  const applied: number[] = [];
  let notify = () => {};
  const lanes = {
    read: (_: number, after: number) => Promise.resolve(messages.slice(after).map((body, at) => ({ sequence: after + at + 1, body }))),
    append: () => Promise.resolve(0),
    trim: () => Promise.resolve(),
    watch(listener: (partition: number) => void) {
      notify = () => listener(0);
      return () => {};
    },
  };
  const reading = applyLane({
    lane: 0,
    lanes,
    layout: laneLayout(1, 1),
    profiles,
    steps: { applyRecord, freeze, takeIn, takeBack },
    positions: { load: () => Promise.resolve(kept.position), save: () => Promise.resolve(true), trim: () => Promise.resolve() },
    outgoing: { waiting: 0, settled: () => Promise.resolve(), reset: () => {} },
    cache: createUserCache({ bytesMax: 0, entryBytes: 1, rowBytesMax: 0, profileFromRow, profileToRow }),
    eventsOf: () => [],
    publish: () => Promise.resolve(),
    pack: (items) => packLaneMessage(items.map(packItem)),
    unpack: readLaneMessage,
    gate,
    trimBytes: 1e9,
    clock,
    logger: silentLogger,
    onApplied: (position) => applied.push(position),
  });
  return { clock, messages, applied, reading, notify: () => notify() };
}

test("readers wait for a user who is blocked once, however much comes for it afterwards", async () => {
  const { clock, messages, applied, reading, notify } = openLane();
  async function send(sequence: number): Promise<void> {
    messages.push(packLaneMessage([packItem({ workspaceId: "w", item: recordOf(sequence) })]));
    const before = applied.length;
    notify();
    await vi.waitFor(() => expect(applied.length).toBeGreaterThan(before + 1));
  }
  await vi.waitFor(() => expect(applied.length).toBeGreaterThan(1));
  await send(3);
  expect(applied.at(-1)).toBe(0);
  clock.advance(2_001);
  await vi.waitFor(() => expect(applied.at(-1)).toBe(1));
  for (const sequence of [4, 5]) {
    await send(sequence);
    expect(applied.at(-1)).toBe(messages.length);
  }
  await reading.close();
});

test("a lane goes before others as long as a read waits for one of its messages", async () => {
  const asked: (() => boolean | undefined)[] = [];
  const begin: (() => void)[] = [];
  const { messages, applied, reading, notify } = openLane({ position: 0 }, {
    async run(work, isUrgent) {
      asked.push(() => isUrgent?.());
      await new Promise<void>((resolve) => begin.push(resolve));
      return await work();
    },
  });
  await vi.waitFor(() => expect(applied).toContain(0));
  for (const sequence of [3, 4, 5]) {
    messages.push(packLaneMessage([packItem({ workspaceId: "w", item: recordOf(sequence) })]));
    notify();
    await vi.waitFor(() => expect(asked).toHaveLength(sequence - 2));
    const before = asked.at(-1)?.();
    reading.awaited(Math.min(messages.length, 2));
    expect([before, asked.at(-1)?.()]).toEqual([false, sequence < 5]);
    begin.at(-1)?.();
  }
  await reading.close();
});

test("an applier that was overtaken in a lane where nothing is left says how far the other one is", async () => {
  const kept = { position: 0 };
  const { clock, applied, reading } = openLane(kept);
  await vi.waitFor(() => expect(applied).toContain(0));
  kept.position = 7;
  await vi.waitFor(() => {
    clock.advance(limits.laneIdleMsMax);
    expect(applied.at(-1)).toBe(7);
  });
  await reading.close();
});
