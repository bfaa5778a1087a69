/** Three replicas of last-write-wins cells under two appliers, regrouped batches and lost answers: all end as the lane says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bucketOfUser } from "../../../platform/user-number.ts";
import { customChange, eventChange, purchaseChange } from "../../../test/arbitrary/profile-record.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { openReplicas, type Replicas, type WriteFault } from "../../../platform/cassandra/replicas.fixture.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { ProfileChange } from "../domain/profile/profile-record.ts";
import { type CassandraProfileStore, openCassandraProfileStore } from "./cassandra.ts";
import { type Batch, type LaneEntry, planBatch } from "./replicas-applier.fixture.ts";
import { profileOf } from "./rows-contract.ts";

const schema = [readFileSync(join(import.meta.dirname, "schema/schema.cql"), "utf8")];
const runs = 200;

test("two appliers of one lane, whatever they write, lose and repeat: the rows are those of the lane", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(lanes, schedules, async (lane, schedule) => {
      const expected = cluster(() => undefined);
      await drain(expected.store, lane, { start: 0, size: 1 });
      const faults = [...schedule];
      const found = cluster(() => faultOf(faults.pop()?.fault ?? 0), () => faults.at(-1)?.fault ?? 0);
      const start = await disturb(found.store, lane, schedule);
      faults.length = 0;
      await drain(found.store, lane, { start, size: 3 });
      found.replicas.deliver((waiting) => (schedule[0]?.fault ?? 0) % waiting);
      expect(await found.store.profiles.listBlocked(99)).toEqual(await expected.store.profiles.listBlocked(99));
      expect(found.replicas.dump()).toEqual(expected.replicas.dump());
      const living = await expected.store.profiles.page("w", "", 99);
      expect(await found.store.profiles.page("w", "", 99)).toEqual(living);
    }),
    { numRuns: runs },
  );
});

test(
  "identity rows of fenced steps, written by two resolvers in any order: the rows are those of the last step",
  { timeout: 60_000 },
  async () => {
    const key = fc.constantFrom<IdentityKey>("x:a", "x:b", "a:l\u0000n", "u:1", "e:a@x.org");
    const step = fc.dictionary(key, fc.option(fc.integer({ min: 0, max: 3 }).map((id) => `u${id}`)), { maxKeys: 4 });
    const order = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 63 })), { maxLength: 60, size: "max" });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), order, async (steps, order) => {
        const rows = steps.map((rows) => new Map(Object.entries(rows).map(([key, value]) => [key as IdentityKey, value ?? undefined])));
        const faults = order.map(([, fault]) => fault);
        const { store, replicas } = cluster(() => faultOf(faults.pop() ?? 0));
        for (const [at] of order) {
          await store.identities.save("w", rows[at % rows.length] ?? new Map(), at % rows.length + 1).catch(ignoreRefusal);
        }
        faults.length = 0;
        // The resolver that takes over repeats the steps that are not known to be written, in the order that is quickest.
        for (const [at, row] of [...rows.entries()].reverse()) await store.identities.save("w", row, at + 1);
        replicas.deliver();
        const last = new Map(rows.flatMap((row) => [...row]));
        const present = [...last].filter(([, value]) => value !== undefined);
        expect(await store.identities.load("w", [...last.keys()])).toEqual(new Map(present));
      }),
      { numRuns: runs },
    );
  },
);

test("a write that one replica of three took is either whole or not there, and is never lost once it was seen", async () => {
  const state = profileOf("u1", [5, 0]);
  const reached: WriteFault[] = [{ reached: [2], later: [], answer: "unknown" }];
  const asked = [[0, 1], [1, 2], [0, 1]];
  const { store } = cluster(() => reached.pop(), () => 0, () => asked.shift() ?? [0, 2]);
  const users = new Map([["u1", { profile: state, mark: state.mark, openMerges: [], isNew: false }]]);
  const none = new Map();
  await expect(store.profiles.save({ workspaceId: "w", users, handoffs: none, frozen: none, journal: none, blocked: none }))
    .rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN" });
  const seen = [];
  for (let at = 0; at < 3; at += 1) seen.push((await store.profiles.load("w", ["u1"])).get("u1"));
  expect(seen).toEqual([undefined, state, state]);
});

/**
 * Two appliers take turns: each loads and plans, and saves at some later turn, once or again, or dies and starts anew.
 * Gives the kept position: what comes before it is confirmed.
 */
async function disturb(store: CassandraProfileStore, lane: readonly LaneEntry[], schedule: readonly Turn[]): Promise<number> {
  const appliers = [newApplier(), newApplier()];
  const kept = { position: 0 };
  for (const { who, size, after } of schedule) {
    const applier = appliers[who] as Applier;
    if (applier.batch === undefined) {
      const start = applier.position ?? kept.position;
      const end = Math.min(lane.length, start + size);
      applier.batch = await planBatch({ store: store.profiles, workspaceId: "w", cache: applier.cache }, lane, { start, end });
      continue;
    }
    try {
      await applier.batch.save();
      applier.position = applier.batch.end;
      // A stale owner may put the kept position back; it never goes past what is confirmed.
      kept.position = applier.position;
      if (after !== "again") applier.batch = undefined;
    } catch (error) {
      ignoreRefusal(error);
      if (after === "die") appliers[who] = newApplier();
    }
  }
  return kept.position;
}

/** One applier without faults, to the end. */
async function drain(
  store: CassandraProfileStore,
  lane: readonly LaneEntry[],
  { start, size }: { start: number; size: number },
): Promise<void> {
  const cache = new Map();
  for (let at = start; at < lane.length; at += size) {
    const batch = await planBatch({ store: store.profiles, workspaceId: "w", cache }, lane, {
      start: at,
      end: Math.min(lane.length, at + size),
    });
    await batch.save();
    if (at % 2 === 0) cache.clear();
  }
}

function cluster(
  onWrite: () => WriteFault | undefined,
  choose: () => number = () => 0,
  onRead?: () => readonly number[],
): { store: CassandraProfileStore; replicas: Replicas } {
  const clock = fakeClock();
  const replicas = openReplicas({
    schema,
    now: () => clock.now(),
    onWrite,
    onRead: onRead ?? (() => majorities[choose() % 3] as readonly number[]),
  });
  const session = recordingSession(schema, replicas.session());
  return { store: openCassandraProfileStore({ session, clock, partitions: 1, bucketOf: bucketOfUser }), replicas };
}

const majorities = [[0, 1], [1, 2], [0, 2]] as const;

/** Six bits: which replicas a write reaches, and which of the others later; answered ok only where a majority has it. */
function faultOf(bits: number): WriteFault | undefined {
  if (bits === 0) return undefined;
  const reached = [0, 1, 2].filter((at) => bits & (1 << at));
  const later = [0, 1, 2].filter((at) => !reached.includes(at) && bits & (8 << at));
  if (reached.length === 0 && later.length === 0) return { reached, later, answer: "notDone" };
  return { reached, later, answer: reached.length >= 2 && bits % 3 > 0 ? "ok" : "unknown" };
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

function newApplier(): Applier {
  return { cache: new Map(), position: undefined, batch: undefined };
}

interface Applier {
  readonly cache: Parameters<typeof planBatch>[0]["cache"];
  /** Undefined: it begins where the kept position is. */
  position: number | undefined;
  batch: Batch | undefined;
}

interface Turn {
  readonly who: number;
  readonly size: number;
  readonly fault: number;
  readonly after: "next" | "again" | "die";
}

const schedules: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({
    who: fc.nat({ max: 1 }),
    size: fc.integer({ min: 1, max: 8 }),
    fault: fc.nat({ max: 63 }),
    after: fc.constantFrom("next", "again", "die"),
  }),
  { minLength: 1, maxLength: 60, size: "max" },
);

const change: fc.Arbitrary<ProfileChange> = fc.oneof(
  eventChange,
  purchaseChange,
  fc.array(fc.tuple(fc.constantFrom("c", "d"), customChange), { minLength: 1, maxLength: 2 })
    .map((custom) => ({ type: "attributes" as const, custom })),
);

/** Entries of two users, whose marks rise; each user begins to exist once, and may end. */
const lanes: fc.Arbitrary<LaneEntry[]> = fc.array(
  fc.record({
    user: fc.nat({ max: 1 }),
    change,
    kind: fc.constantFrom("record", "record", "record", "failure", "release", "freeze", "delete"),
  }),
  { minLength: 1, maxLength: 30, size: "max" },
).map((drawn) => {
  const begun = new Set<string>();
  return drawn.map(({ user, change, kind }, at): LaneEntry => {
    const userId = `${user}`.repeat(24);
    const mark = [Math.floor(at / 3) + 1, at % 3] as const;
    const isFirst = !begun.has(userId);
    begun.add(userId);
    if (isFirst) return { kind: "record", userId, mark, record: { userId, mark, now: at, change: { type: "create" } } };
    if (kind === "release") return { kind, userId, mark };
    if (kind === "freeze") {
      const merge = { source: profileOf("s", mark), targetBefore: profileOf(userId, mark), journal: [], undoUntil: Date.UTC(2026, 1, 1) };
      return { kind, userId, mark, merge, mergeId: `m${at}` };
    }
    const record = { userId, mark, now: at, change: kind === "delete" ? { type: "delete" as const } : change };
    return { kind: kind === "failure" ? "failure" : "record", userId, mark, record };
  });
});
