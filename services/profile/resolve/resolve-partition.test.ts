/** A fan-out of several steps, stopped between any two: a resolver that takes over, also of another build, sends the rest once. Clocks that jump. */
import { Buffer } from "node:buffer";
import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type Clock, systemClock } from "../../../platform/clock.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { laneLayout } from "../../../platform/lane/layout.ts";
import { type Place, placeFromBytes, placeToBytes } from "../../../platform/lane/place.ts";
import { limits } from "../../../platform/limits.ts";
import type { FencedSteps, Step, StepOutcome } from "../../../platform/log/fenced-step.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import { joinParts } from "../../../platform/log/message-size.ts";
import { packRecords, unpackRecords } from "../../../platform/log/packed-records.ts";
import { checkVersion } from "../../../platform/record-version.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { SubscriptionRecordSchema } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { IdentityKey } from "../domain/identity.ts";
import type { IntakeBody, IntakeRecord } from "../domain/intake-record.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import { attributes, bodyOf, byId, event } from "../domain/resolver-workspace.fixture.ts";
import { resolveBatch } from "../domain/resolve-batch.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { packItem, packLaneMessage, readLaneMessage } from "../lanes/profile-lane.ts";
import { resolveToLanes } from "./publish-steps.ts";
import { createViews } from "./views.ts";

const layout = laneLayout(1, 1);
const checkpointSubject = "checkpoint";
const email = "all@b.org";
const sharers = 130;

/** What the resolvers share: the intake, what they sent, and the identity rows. */
function createServers(records: readonly IntakeBody[]) {
  const intake: LogRecord[] = [];
  function add(body: IntakeBody, rest: Partial<IntakeRecord> = {}): void {
    const entry = { workspaceId: "w", requestId: `r${intake.length}`, actor: "key", receivedAt: 0, body, ...rest };
    intake.push({ sequence: intake.length + 1, body: Buffer.from(JSON.stringify(entry)) });
  }
  for (const body of records) add(body);
  const sent: (LogRecord & { readonly subject: string })[] = [];
  const rows = new Map<IdentityKey, unknown>();
  const of = (subject: string) => sent.filter((message) => message.subject === subject);
  return {
    last: 0,
    intake,
    add,
    sent,
    rows,
    of,
    place: () => placeFromBytes(of(checkpointSubject).at(-1)?.body ?? placeToBytes({ ...none })),
  };
}
const none: Place = { through: 0, now: 0, written: 0, tails: [], touched: [] };

type Servers = ReturnType<typeof createServers>;

interface Build {
  /** How many users a record has; absent: as this build has it. */
  readonly usersPerRecord?: number;
  /** Whether it numbers what goes to profiles together with consent. */
  readonly partsInCommon?: boolean;
  /** As the build writes its checkpoints. */
  readonly checkpoint?: (place: Place) => Place;
  /** The last step that it gets through. */
  readonly stepsMax?: number;
  readonly clock?: Clock;
  readonly undoWindowMs?: number;
  /** Reads records of any version. */
  readonly isNewer?: true;
  /** A record that a read waits for. */
  readonly awaited?: number;
}

/** Resolves until all is done, until the process is stopped, or until it meets a record that it does not know. Gives why it does not get on. */
async function resolveAll(servers: Servers, build: Build): Promise<string | undefined> {
  const { usersPerRecord, partsInCommon, checkpoint = (place) => place, stepsMax = Infinity } = build;
  const { clock = systemClock, undoWindowMs = 0 } = build;
  let steps = 0;
  function publish({ messages, expectedLast }: Step): StepOutcome {
    if (steps >= stepsMax) throw new Refusal("LOG_UNAVAILABLE", "The process is gone");
    if ((servers.of(checkpointSubject).at(-1)?.sequence ?? 0) !== expectedLast) return { kind: "refused" };
    steps += 1;
    let open: Uint8Array[] = [];
    const sequences = messages.map(({ subject, body, part: [index, count] = [0, 1] }) => {
      const sent = subject === checkpointSubject ? placeToBytes(checkpoint(placeFromBytes(body))) : body;
      open = index === 0 ? [sent] : [...open, sent];
      servers.last += 1;
      if (index + 1 === count) servers.sent.push({ subject, body: joinParts(open), sequence: servers.last });
      return servers.last;
    });
    return { kind: "accepted", sequence: servers.last, sequences };
  }
  const fenced: FencedSteps = {
    bodyBytesMax: 2_000,
    publishStep: (step) => Promise.resolve().then(() => publish(step)),
    checkpoint: (subject) => Promise.resolve(servers.of(subject).at(-1)),
    trimCheckpoints: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const reading = resolveToLanes({
    partition: 0,
    layout,
    checkpointSubject,
    subjectOf: (partition) => `lane.${partition}`,
    intake: {
      read: (_, after) => Promise.resolve(servers.intake.filter(({ sequence }) => sequence > after)),
      trim: done,
      watch: () => () => {},
    },
    lanes: {
      read: (partition, after) => Promise.resolve(servers.of(`lane.${partition}`).filter(({ sequence }) => sequence > after)),
      trim: done,
    },
    fenced,
    identities: {
      load: (_, keys) => Promise.resolve(new Map(keys.flatMap((key) => servers.rows.has(key) ? [[key, servers.rows.get(key)]] : []))),
      async save(_, rows) {
        for (const [key, row] of rows) {
          if (row === undefined) servers.rows.delete(key);
          else servers.rows.set(key, row);
        }
        await Promise.resolve();
      },
      saveOrigins: done,
      forgetSetAside: done,
      setAside: () => Promise.reject(new Error("Nothing is set aside here")),
    },
    // Three steps for the fan-out, or more
    sizes: () => ({ messageBytesMax: 2_000, stepBytesMax: 3_000 }),
    decode(sequence, body) {
      const { version = 0, ...record } = JSON.parse(Buffer.from(body).toString());
      if (!build.isNewer) checkVersion(version);
      return { ...record, sequence } as IntakeRecord;
    },
    resolve: (view, records, options) => resolveBatch(view, records, partsInCommon ? { ...options, partsInCommon } : options),
    views: createViews(),
    packItem,
    packItems: packLaneMessage,
    packConsent: packRecords,
    encodeConsent: (workspaceId, all, usersMax) => laneRows(workspaceId, all, usersPerRecord ?? usersMax),
    undoWindowMs,
    trimBytes: 1,
    clock,
    logger: silentLogger,
    onWritten: () => {},
  });
  reading.awaited(build.awaited ?? 0);
  const trouble = () => reading.trouble();
  await expect.poll(
    () => steps >= stepsMax || servers.place().through === servers.intake.length || trouble()?.includes("of version"),
    { interval: 2 },
  ).toBe(true);
  await reading.close();
  return trouble();
}

function done(): Promise<void> {
  return Promise.resolve();
}

/** Each user that the lane of subscriptions names, in order, with the record's place. */
function told(servers: Servers): string[] {
  return servers.of(`lane.${layout.subscription(0)}`).flatMap(({ body }) => unpackRecords(body)).flatMap((body) => {
    const { userId, cause, change } = fromBinary(SubscriptionRecordSchema, body);
    const users = change.case === "setMemberships" ? change.value.userIds : [userId];
    return users.map((id, at) => `${cause?.sequence}.${(cause?.part ?? 0) + at} ${id}`);
  });
}

const people = Array.from({ length: sharers }, (_, at) => attributes(byId(`u${at}`), { email }));
const update = { groupId: "letter", state: "unsubscribed" as const, externalIds: [], emails: [email], phones: [] };
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

test("resolvePartition() stops before a record of a newer build with all before it done, and a build that reads it goes on", async () => {
  const servers = createServers(["a", "b", "c", "d", "e"].map((id) => bodyOf([event(byId(id))])));
  servers.add(bodyOf([event(byId("newer"))]), { version: 99 } as Partial<IntakeRecord>);
  servers.add(bodyOf([event(byId("behind"))]));
  expect(await resolveAll(servers, {})).toBe("Expected a record of version 0 to 1, got 99: run the build that wrote it, or a newer one");
  expect([servers.place().through, servers.rows.has("x:e"), servers.rows.has("x:newer")]).toEqual([5, true, false]);
  await resolveAll(servers, { isNewer: true });
  expect([servers.rows.has("x:newer"), servers.rows.has("x:behind")]).toEqual([true, true]);
});

test("resolvePartition() rests after a step of several records, not while a part of what was read is left, and not before a record that a read waits for", async () => {
  async function resolved(count: number, awaited = 0) {
    const servers = createServers(Array.from({ length: count }, (_, at) => bodyOf([event(byId(`p${at}`))])));
    const rests: number[] = [];
    const clock: Clock = {
      ...systemClock,
      after(ms, callback) {
        if (ms <= limits.stepsApartMsMax) rests.push(servers.place().through);
        return systemClock.after(ms, callback);
      },
    };
    await resolveAll(servers, { clock, awaited });
    return { rests, steps: servers.of(checkpointSubject).length };
  }
  const few = [await resolved(1), await resolved(2), await resolved(2, 2), await resolved(2, 3)];
  expect(few).toEqual([[], [2], [2], []].map((rests) => ({ rests, steps: 1 })));
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
