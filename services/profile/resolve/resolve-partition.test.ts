/** A fan-out of several steps, stopped between any two: a resolver that takes over, also of another build, sends the rest once. Clocks that jump. */
import { Buffer } from "node:buffer";
import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type Clock, systemClock } from "../../../platform/clock.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import type { ResolverCheckpoint } from "../../../platform/lane/resolver-checkpoint.ts";
import { limits } from "../../../platform/limits.ts";
import { unpackRecords } from "../../../platform/log/packed-records.ts";
import { SubscriptionRecordSchema } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { IntakeBody, IntakeRecord } from "../domain/record/intake-record.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import { resolveBatch, type ResolvedRecord } from "../domain/resolve/batch.ts";
import { attributes, bodyOf, byId, event } from "../domain/resolve/resolver-workspace.fixture.ts";
import { readLaneMessage } from "../lanes/profile-lane.ts";
import { type Build, checkpointSubject, createServers, layout, resolveAll, type Servers } from "./lone-resolver.fixture.ts";

const email = "all@b.org";
const sharers = 130;

/** Each user that the lane of subscriptions names, in order, with the record's place. */
function told(servers: Servers): string[] {
  return servers.of(`lane.${layout.subscription(0)}`).flatMap(({ body }) => unpackRecords(body)).flatMap((body) => {
    const { userId, cause, change } = fromBinary(SubscriptionRecordSchema, body);
    const users = change.case === "setMemberships" ? change.value.userIds : [userId];
    return users.map((id, at) => `${cause?.sequence}.${(cause?.part ?? 0) + at} ${id}`);
  });
}

const people = Array.from({ length: sharers }, (_, at) => attributes(byId(`u${at}`), { email }));
const update = { groupId: "letter", state: "unsubscribed" as const, externalIds: [], emails: [email], phones: [], userIds: [] };
const requests: readonly IntakeBody[] = [
  ...Array.from({ length: sharers / 5 }, (_, at) => bodyOf(people.slice(at * 5, (at + 1) * 5))),
  { type: "setMemberships", updates: [update] },
];

async function undisturbed(): Promise<string[]> {
  const servers = createServers(requests);
  await resolveAll(servers, {});
  return told(servers);
}

/** That the records before the fan-out take. */
async function stepsBefore(build: Build): Promise<number> {
  const servers = createServers(requests.slice(0, -1));
  await resolveAll(servers, build);
  return servers.of(checkpointSubject).length;
}

/** Each build with how it cuts, and what its checkpoints say of that. */
const builds: [string, Build, number | undefined][] = [
  ["this build", {}, limits.laneUsersPerRecordMax],
  ["a build that told each user apart, and said nothing of it", {
    usersPerRecord: 1,
    checkpoint: ({ inside, ...place }) => inside === undefined ? place : { ...place, inside: { taken: inside.taken, now: inside.now } },
  }, undefined],
  ["a build that packed seven users", {
    usersPerRecord: 7,
    checkpoint: ({ inside, ...place }) => inside === undefined ? place : { ...place, inside: { ...inside, usersPerRecord: 7 } },
  }, 7],
];

test.each(builds)("resolvePartition() goes on inside a record where %s stopped, at any step", async (_, build, usersPerRecord) => {
  const expected = await undisturbed();
  expect(expected).toHaveLength(sharers);
  let insides = 0;
  for (let stepsMax = await stepsBefore(build);; stepsMax += 1) {
    const servers = createServers(requests);
    await resolveAll(servers, { ...build, stepsMax });
    const { through, inside } = servers.place();
    if (through === requests.length) break;
    expect(through).toBe(requests.length - 1);
    if (inside !== undefined) {
      insides += 1;
      expect(inside.usersPerRecord).toBe(usersPerRecord);
      expect(told(servers).length).toBeGreaterThan(0);
    }
    await resolveAll(servers, {});
    expect(told(servers)).toEqual(expected);
  }
  expect(insides).toBeGreaterThan(0);
});

function withUsers(record: ResolvedRecord, usersOf: (users: readonly string[]) => readonly string[]): ResolvedRecord {
  const consent = record.consent.map((one) => one.type === "memberships" ? { ...one, userIds: usersOf(one.userIds) } : one);
  return { ...record, consent };
}

test.each<[string, (record: ResolvedRecord) => ResolvedRecord]>([
  ["fails", () => {
    throw new TypeError("planted");
  }],
  ["has fewer effects", (record) => withUsers(record, (users) => users.slice(limits.laneUsersPerRecordMax))],
  ["has more effects", (record) => withUsers(record, (users) => [...users, ...users.slice(0, limits.laneUsersPerRecordMax)])],
])(
  "resolvePartition() waits inside a record that %s in the build that goes on: nothing of it is lost or comes twice",
  async (_, change) => {
    const servers = createServers(requests);
    await resolveAll(servers, { stepsMax: await stepsBefore({}) + 1 });
    const begun = told(servers);
    expect(begun.length).toBeGreaterThan(0);
    let tries = 0;
    await resolveAll(servers, {
      resolve(...given) {
        const found = resolveBatch(...given);
        if (found.need !== undefined) return found;
        tries += 1;
        return { resolved: found.resolved.map(change) };
      },
      isDone: () => tries > 1 || servers.place().through === requests.length,
    });
    expect([servers.place().through, servers.setAside, told(servers)]).toEqual([requests.length - 1, [], begun]);
    await resolveAll(servers, {});
    expect(told(servers)).toEqual(await undisturbed());
  },
);

test("resolvePartition() stops before a record of a newer build with all before it done, and a build that reads it goes on", async () => {
  const servers = createServers(["a", "b", "c", "d", "e"].map((id) => bodyOf([event(byId(id))])));
  servers.add(bodyOf([event(byId("newer"))]), { version: 99 } as Partial<IntakeRecord>);
  servers.add(bodyOf([event(byId("behind"))]));
  expect(await resolveAll(servers, {})).toBe("Expected a record of version 0 to 2, got 99: run the build that wrote it, or a newer one");
  expect([servers.place().through, servers.rows.has("x:e"), servers.rows.has("x:newer")]).toEqual([5, true, false]);
  await resolveAll(servers, { isNewer: true });
  expect([servers.rows.has("x:newer"), servers.rows.has("x:behind")]).toEqual([true, true]);
});

test("resolvePartition() stops at a checkpoint of a newer build, and says so", async () => {
  const servers = createServers([bodyOf([event(byId("a"))])]);
  const newer = { checkpoint: (place: ResolverCheckpoint) => ({ ...place, v: 2 }), isDone: () => servers.of(checkpointSubject).length > 0 };
  await resolveAll(servers, newer);
  const found = await resolveAll(servers, { isDone: () => false });
  expect(found).toBe('Expected a checkpoint of version 1, got "2": run the build that wrote it, or a newer one');
});

test("resolvePartition() rests after a step, not while a part of what was read is left, and not before a record that a read waits for", async () => {
  async function resolved(count: number, awaited = 0) {
    const servers = createServers(Array.from({ length: count }, (_, at) => bodyOf([event(byId(`p${at}`))])));
    const rests: number[] = [];
    const clock: Clock = {
      ...systemClock,
      after(ms, callback) {
        if (ms <= limits.manyStepsApartMs) rests.push(servers.place().through);
        return systemClock.after(ms, callback);
      },
    };
    await resolveAll(servers, { clock, awaited });
    return { rests, steps: servers.of(checkpointSubject).length };
  }
  const few = [await resolved(1), await resolved(2), await resolved(2, 2), await resolved(2, 3)];
  expect(few).toEqual([[1], [2], [2], []].map((rests) => ({ rests, steps: 1 })));
  expect(await resolved(25)).toEqual({ rests: [25], steps: expect.not.closeTo(1, 0) });
});

test("resolvePartition() with a wall clock that is days ahead for one step ends neither a key nor an undo window", async () => {
  const dayMs = 24 * 3_600_000;
  const idempotency = { keyHash: "k", bodyHash: "b", keepMs: dayMs, answer: "" };
  const [source, target] = [{ key: byId("a"), prioritization: [] }, { key: byId("b"), prioritization: [] }];
  const servers = createServers([]);
  async function at(clock: Clock, body: IntakeBody, rest: Partial<IntakeRecord> = {}): Promise<void> {
    servers.add(body, { receivedAt: clock.now(), ...rest });
    await resolveAll(servers, { clock, undoWindowMs: 7 * dayMs });
  }
  const [right, ahead] = [fakeClock(), fakeClock(fakeClock().now() + 8 * dayMs)];
  await at(right, bodyOf([event(byId("a")), event(byId("b"))]), { idempotency });
  await at(right, { type: "mergeUsers", jobId: "j", updates: [{ source, target }] });
  await at(ahead, bodyOf([event(byId("b"), { time: ahead.now() })]));
  expect(servers.place().now).toBe(right.now());
  // What it is dated with is the time at which it was received
  expect(servers.of("lane.0").map(({ body }) => Buffer.from(body).toString()).join()).toContain(String(ahead.now()));
  await at(right, bodyOf([event(byId("c"))]), { idempotency });
  expect(servers.rows.get("r:k")).toMatchObject({ sequence: 1 });
  expect(servers.rows.has("x:c")).toBe(false);
  await at(right, { type: "undoMerge", jobId: "j", index: 0 });
  expect(servers.rows.get("j:j")).toMatchObject({ outcomes: [{ status: "undone" }] });
});

/** Memberships of all who share the address, and after each of them what changes a profile. */
const mixed: readonly IntakeBody[] = [
  ...requests.slice(0, -1),
  bodyOf(Array.from({ length: 12 }, (_, at) => {
    const subscriptionGroups = at % 4 === 0 ? [{ id: "letter", state: at === 4 ? "subscribed" as const : "unsubscribed" as const }] : [];
    return attributes(byId(`u${at % 2}`), {
      consent: { subscriptionGroups },
      custom: [["note", { op: "set", value: `${at} `.repeat(100) }]],
    });
  })),
];

/** What the lane of profiles has of the last request, in order, with the record's place. */
function sentToProfiles(servers: Servers): ProfileRecord[] {
  return servers.of(`lane.${layout.profile(0)}`).flatMap(({ body }) => readLaneMessage(body)).flatMap(({ item }) => {
    return item.type === "record" && item.record.mark[0] === mixed.length ? [item.record] : [];
  });
}

function saidOf({ userId, change }: ProfileRecord) {
  return { userId, change };
}

const before: Build = {
  partsInCommon: true,
  checkpoint({ inside, ...place }) {
    if (inside === undefined) return place;
    const { ownParts: _, ...known } = inside;
    return { ...place, inside: known };
  },
};

test.each<[string, Build, Build]>([
  ["this build stopped", {}, {}],
  ["the build before stopped, with its numbers", before, {}],
  ["this build stopped, as the build before", {}, before],
])("resolvePartition() goes on inside a record where %s: no number comes twice or goes back", async (_, first, second) => {
  const whole = createServers(mixed);
  await resolveAll(whole, first);
  const expected = sentToProfiles(whole).map(saidOf);
  const numbers = sentToProfiles(whole).map(({ mark }) => mark);
  const consent = told(whole);
  let insides = 0;
  for (let stepsMax = await stepsBefore(first);; stepsMax += 1) {
    const servers = createServers(mixed);
    await resolveAll(servers, { ...first, stepsMax });
    const { through, inside } = servers.place();
    if (through === mixed.length) break;
    if (inside !== undefined) insides += 1;
    await resolveAll(servers, second);
    const sent = sentToProfiles(servers);
    expect(sent.map(saidOf)).toEqual(expected);
    expect(told(servers)).toEqual(consent);
    if (inside !== undefined && second !== before) expect(sent.map(({ mark }) => mark)).toEqual(numbers);
    for (const own of Map.groupBy(sent, ({ userId }) => userId).values()) {
      for (const [at, { mark }] of own.slice(1).entries()) expect(mark[1]).toBeGreaterThan(own[at]?.mark[1] ?? -1);
    }
  }
  expect(insides).toBeGreaterThan(1);
});
