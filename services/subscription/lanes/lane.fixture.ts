/** What the resolver may send to a lane of memberships, and a world in which it is applied, with faults that a test chooses. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { openReplicas } from "../../../platform/cassandra/replicas.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { type ApplierFaults, recordPublished } from "../../consent/lane/appliers.fixture.ts";
import type { LaneBody } from "../../consent/engine/lane-message.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { SubscriptionRecordSchema, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { applyRecord } from "../domain/apply-record.ts";
import type { GroupChange, OrderedGroups } from "../domain/group-order.ts";
import { inSomeBuckets } from "../store/buckets.fixture.ts";
import { openCassandraSubscriptionStore } from "../store/cassandra.ts";
import { groupsFromBeginning } from "../store/rows.ts";
import { applyMessages } from "./apply-messages.ts";
import { groupChangeToMessage } from "./group-message.ts";

const schema = [readFileSync(join(import.meta.dirname, "../store/schema/schema.cql"), "utf8")];
const group = { id: "g", name: "G", channel: "email" as const, archived: false };

/** What the resolver may send: users who are there, merges of two of them, undos of the newest merge of a user, deletes. */
export type Command =
  | { readonly type: "set"; readonly user: number; readonly subscribed: boolean; readonly carried: boolean }
  | { readonly type: "merge"; readonly source: number; readonly target: number }
  | { readonly type: "undo"; readonly target: number }
  | { readonly type: "delete"; readonly user: number }
  /** One request about all who are there, and others of whom nothing else is said. */
  | { readonly type: "many"; readonly subscribed: boolean }
  /** The group is archived, or declared. */
  | { readonly type: "group"; readonly archived: boolean };

const knownMax = 5;
/** Behind those that have an age of their own, and where a row of a later one is not the larger text. */
const latePart = 999_000;
const user = fc.nat({ max: knownMax - 1 });
const others = Array.from({ length: limits.fanOutUsersMin }, (_, at) => knownMax + at);
export const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant("set" as const), user, subscribed: fc.boolean(), carried: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("merge" as const), source: user, target: user }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("undo" as const), target: user }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("delete" as const), user }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("many" as const), subscribed: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("group" as const), archived: fc.boolean() }) },
  ),
  { minLength: 4, maxLength: 30 },
);

/** Requests of their own, or one that says all, with more parts before than an age has places, until the groups change. */
type Requests = "many" | "one";
export const requests = fc.constantFrom<Requests>("many", "one");

/** Records as lanes carry them; what cannot be, given those before, is left out. */
export function laneOf(all: readonly Command[], requests: Requests): LaneBody[] {
  const open = new Map<number, { source: number; mergeId: string }[]>();
  const gone = new Set<number>();
  const bodies: LaneBody[] = [];
  const places = placesOf[requests]();
  function send(userId: number, change: Parameters<typeof bodyOf>[1]): void {
    const at = bodies.length + 1;
    bodies.push({ body: bodyOf({ userId: `u${userId}`, ...places.next(at) }, change), place: [at, 0] });
  }
  for (const command of all) {
    switch (command.type) {
      case "set":
        if (!gone.has(command.user)) send(command.user, setOf(command));
        break;
      case "merge": {
        const { source, target } = command;
        if (!canMerge(gone, command)) break;
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
      case "many":
        send(knownMax, manyOf(gone, command));
        break;
      case "group":
        bodies.push(groupSaid(bodies.length + 1, { ...command, ...places.ofGroups(bodies.length + 1) }));
        break;
    }
  }
  return bodies;
}

const placesOf = { many: placesApart, one: placesInOne };

function placesApart() {
  return { next: (at: number) => ({ sequence: at }), ofGroups: (at: number) => ({ sequence: at }) };
}

function placesInOne() {
  let sequence = 1;
  return {
    next: (at: number) => ({ sequence, part: latePart + at * (knownMax + others.length) }),
    ofGroups() {
      sequence += 2;
      return { sequence: sequence - 1 };
    },
  };
}

function canMerge(gone: ReadonlySet<number>, { source, target }: Extract<Command, { type: "merge" }>): boolean {
  return source !== target && !gone.has(source) && !gone.has(target);
}

function groupSaid(at: number, { archived, sequence }: Extract<Command, { type: "group" }> & { readonly sequence: number }): LaneBody {
  const { archived: _, ...declared } = group;
  const change: GroupChange = archived ? { type: "archive", id: "g" } : { type: "declare", groups: [declared], prune: false };
  const record = { userId: "", sequence };
  return { body: bodyOf(record, { case: "changeGroups", value: groupChangeToMessage(change) }), place: [at, 0] };
}

function manyOf(gone: ReadonlySet<number>, { subscribed }: Extract<Command, { type: "many" }>) {
  const there = Array.from({ length: knownMax }, (_, at) => at).filter((at) => !gone.has(at));
  const { subscriptionGroupId, state } = setOf({ subscribed, carried: false }).value;
  return {
    case: "setMemberships" as const,
    value: { subscriptionGroupId, state, userIds: [...there, ...others].map((at) => `u${at}`), usersInAll: limits.fanOutUsersMin },
  };
}

function setOf({ subscribed, carried }: Pick<Extract<Command, { type: "set" }>, "subscribed" | "carried">) {
  const state = subscribed ? SubscriptionState.SUBSCRIBED : SubscriptionState.UNSUBSCRIBED;
  return { case: "setMembership" as const, value: { subscriptionGroupId: "g", state, carried } };
}

export type Change = NonNullable<Parameters<typeof create<typeof SubscriptionRecordSchema>>[1]>["change"];

interface Whence {
  readonly userId: string;
  readonly sequence: number;
  readonly part?: number;
}

export function bodyOf({ userId, sequence, part = 0 }: Whence, change: Change & object): Uint8Array {
  const cause = { sequence: BigInt(sequence), part, at: BigInt(sequence), requestId: `r${sequence}`, actor: "k" };
  return toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, { workspaceId: "w", userId, cause, change }));
}

/** Replicas, what was published, and faults that a test chooses, each for one write or one publishing. */
export function openWorld(
  faults: ApplierFaults & { readonly applyRecord?: typeof applyRecord } = {},
) {
  const replicas = openReplicas({ schema, ...(faults.write && { onWrite: faults.write }) });
  const store = openCassandraSubscriptionStore(recordingSession(schema, replicas.session()), inSomeBuckets);
  const { published, publish } = recordPublished(faults);
  async function readGroups(id: string): Promise<OrderedGroups> {
    // As Cassandra, whose keys may not be empty
    if (id === "") throw new Error("Key may not be empty");
    const groups = await store.readGroups(id);
    return groups.groups.length === 0 ? groupsFromBeginning([group]) : groups;
  }
  const deps = {
    ...store,
    readGroups,
    store: { groups: async (id: string) => (await readGroups(id)).groups },
    ...(faults.applyRecord && { applyRecord: faults.applyRecord }),
    logger: silentLogger,
    traced: { lane: "subscription-0" },
    publish,
  };
  return { replicas, store, published, apply: (bodies: readonly LaneBody[]) => applyMessages(deps, bodies) };
}

export async function undisturbed(bodies: readonly LaneBody[]) {
  const world = openWorld();
  for (const body of bodies) await world.apply([body]);
  return { rows: world.replicas.dump(), published: [...world.published.keys()].sort() };
}
