/** Appliers of one lane, whatever they write, lose and repeat: states, ledger and events are those of an undisturbed one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openReplicas, type WriteFault } from "../../../platform/cassandra/replicas.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.ts";
import type { LaneBody } from "../../../platform/lane/lane-applier.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { SubscriptionRecordSchema, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { openCassandraSubscriptionStore } from "../store/cassandra.ts";
import { applyMessages } from "./apply-messages.ts";

const schema = [readFileSync(join(import.meta.dirname, "../store/schema/schema.cql"), "utf8")];
const groups = [{ id: "g", name: "G", channel: "email" as const, archived: false }];

/** What the resolver may send: users who are there, merges of two of them, undos of the newest merge of a user, deletes. */
type Command =
  | { readonly type: "set"; readonly user: number; readonly subscribed: boolean; readonly carried: boolean }
  | { readonly type: "merge"; readonly source: number; readonly target: number }
  | { readonly type: "undo"; readonly target: number }
  | { readonly type: "delete"; readonly user: number };

const user = fc.nat({ max: 4 });
const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant("set" as const), user, subscribed: fc.boolean(), carried: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("merge" as const), source: user, target: user }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("undo" as const), target: user }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("delete" as const), user }) },
  ),
  { minLength: 4, maxLength: 30 },
);

/** Records as lanes carry them; what cannot be, given those before, is left out. */
function laneOf(all: readonly Command[]): LaneBody[] {
  const open = new Map<number, { source: number; mergeId: string }[]>();
  const gone = new Set<number>();
  const bodies: LaneBody[] = [];
  function send(userId: number, change: Parameters<typeof bodyOf>[1]): void {
    bodies.push({ body: bodyOf({ userId: `u${userId}`, sequence: bodies.length + 1 }, change), place: [bodies.length + 1, 0] });
  }
  for (const command of all) {
    switch (command.type) {
      case "set":
        if (!gone.has(command.user)) send(command.user, setOf(command));
        break;
      case "merge": {
        const { source, target } = command;
        if (source === target || gone.has(source) || gone.has(target)) break;
        const mergeId = `m${bodies.length}`;
        open.set(target, [...open.get(target) ?? [], { source, mergeId }]);
        gone.add(source);
        send(target, { case: "userMerged", value: { mergeId, sourceUserId: `u${source}`, undoUntil: 10_000n } });
        break;
      }
      case "undo": {
        const merge = open.get(command.target)?.pop();
        if (merge === undefined || gone.has(command.target)) break;
        gone.delete(merge.source);
        send(command.target, { case: "mergeUndone", value: { mergeId: merge.mergeId, sourceUserId: `u${merge.source}` } });
        break;
      }
      case "delete":
        if (gone.has(command.user)) break;
        gone.add(command.user);
        send(command.user, { case: "userDeleted", value: {} });
        break;
    }
  }
  return bodies;
}

function setOf({ subscribed, carried }: Extract<Command, { type: "set" }>) {
  const state = subscribed ? SubscriptionState.SUBSCRIBED : SubscriptionState.UNSUBSCRIBED;
  return { case: "setMembership" as const, value: { subscriptionGroupId: "g", state, carried } };
}

type Change = NonNullable<Parameters<typeof create<typeof SubscriptionRecordSchema>>[1]>["change"];

function bodyOf({ userId, sequence }: { readonly userId: string; readonly sequence: number }, change: Change & object): Uint8Array {
  const cause = { sequence: BigInt(sequence), part: 0, at: BigInt(sequence), requestId: `r${sequence}`, actor: "k" };
  return toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, { workspaceId: "w", userId, cause, change }));
}

/** Replicas, what was published, and faults that a test chooses, each for one write or one publishing. */
function openWorld(faults: { write?: () => WriteFault | undefined; publish?: () => "before" | "after" | undefined } = {}) {
  const replicas = openReplicas({ schema, ...(faults.write && { onWrite: faults.write }) });
  const store = openCassandraSubscriptionStore(recordingSession(schema, replicas.session()));
  const published = new Map<string, LedgerEntry>();
  const parts = {
    ...store,
    store: { groups: () => Promise.resolve(groups) },
    logger: silentLogger,
    traced: { lane: "subscription-0" },
    publish: async (_: string, entries: readonly LedgerEntry[]) => {
      await Promise.resolve();
      const fault = faults.publish?.();
      if (fault === "before") throw new Error("away");
      for (const entry of entries) published.set(entry.hash, entry);
      if (fault === "after") throw new Error("away");
    },
  };
  return { replicas, store, published, apply: (bodies: readonly LaneBody[]) => applyMessages(parts, bodies) };
}

async function undisturbed(bodies: readonly LaneBody[]) {
  const world = openWorld();
  for (const body of bodies) await world.apply([body]);
  return { rows: world.replicas.dump(), published: [...world.published.keys()].sort() };
}

/** Applies in batches cut by `cuts` until all of it went well; after a failure begins where `back` says, as a successor does. */
async function stubborn(world: ReturnType<typeof openWorld>, bodies: readonly LaneBody[], next: () => number): Promise<void> {
  for (let at = 0; at < bodies.length;) {
    const end = at + 1 + next() % 7;
    try {
      await world.apply(bodies.slice(at, end));
      at = end;
    } catch {
      at = Math.max(0, at - next() % 5);
    }
  }
}

/** Each number once, then one that no fault and no long batch comes from. */
function dice(numbers: readonly number[]): () => number {
  let at = 0;
  return () => numbers[at++] ?? 11;
}

const chances = fc.array(fc.nat({ max: 1_000 }), { minLength: 20, maxLength: 200 });

describe("applyMessages()", () => {
  test("stopped before or after any write or publishing, and begun again: the same rows, each event once in effect", async () => {
    await fc.assert(
      fc.asyncProperty(commands, chances, async (all, numbers) => {
        const bodies = laneOf(all);
        const next = dice(numbers);
        const told = ["unknown", "notDone"] as const;
        const world = openWorld({
          write() {
            const chance = next() % 12;
            if (chance > 1) return undefined;
            return { reached: chance === 0 ? [0, 1, 2] : [], later: [], told: told[chance] ?? "unknown" };
          },
          publish: () => (["before", "after"] as const)[next() % 12],
        });
        await stubborn(world, bodies, next);
        expect(world.replicas.dump()).toEqual((await undisturbed(bodies)).rows);
        expect([...world.published.keys()].sort()).toEqual((await undisturbed(bodies)).published);
        expect(await world.store.verify("w")).toMatchObject({ damage: undefined });
      }),
      { numRuns: 150 },
    );
  });

  test("two appliers at the same time, with writes that arrive late: the same rows, each event once in effect", async () => {
    await fc.assert(
      fc.asyncProperty(commands, chances, async (all, numbers) => {
        const bodies = laneOf(all);
        const next = dice(numbers);
        const world = openWorld({
          write: () => next() % 6 === 1 ? { reached: [next() % 3], later: [0, 1, 2], told: "unknown" } : undefined,
        });
        await Promise.all([stubborn(world, bodies, next), stubborn(world, bodies, next)]);
        world.replicas.deliver((waiting) => next() % waiting);
        expect(world.replicas.dump()).toEqual((await undisturbed(bodies)).rows);
        expect([...world.published.keys()].sort()).toEqual((await undisturbed(bodies)).published);
      }),
      { numRuns: 150 },
    );
  });

  test("what is no record is put aside with its place, and holds up nobody", async () => {
    const world = openWorld();
    const good = laneOf([{ type: "set", user: 1, subscribed: true, carried: false }]);
    await world.apply([{ body: Uint8Array.of(255), place: [9, 4] }, ...good]);
    expect(await world.store.listSetAside(10)).toMatchObject([{ record: { workspaceId: "", sequence: 9, part: 4 } }]);
    expect((await world.store.store.load("w", ["u1"])).get("u1")?.groups).toEqual(new Map([["g", "subscribed"]]));
  });
});
