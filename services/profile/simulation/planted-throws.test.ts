/**
 * A throw that no store and no log says to pass, planted at every call of every port of the mesh's readers: once at each
 * call, and at each method for as long as it is about one user. Others of the same partition and lane go on, and the one is
 * right once it is mended.
 */
import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { directClient } from "../../../platform/rpc/direct.ts";
import { checkpointFromBytes } from "../../../platform/lane/resolver-checkpoint.ts";
import { LogService } from "../../../proto/gen/heddle/log/v1/log_service_pb.ts";
import { freeze, takeBack, takeIn } from "../domain/merge/apply-merge.ts";
import { applyRecord } from "../domain/profile/apply-records.ts";
import { bodyOf, byId, event, type Request, start } from "../domain/resolve/resolver-workspace.fixture.ts";
import type { Statement } from "../../../platform/cassandra/session.ts";
import type { Step } from "../../../platform/log/fenced-step.ts";
import type { UserChanges } from "../domain/ports.ts";
import { encodeRecord } from "../intake/record-message.fixture.ts";
import { decodeRecord } from "../intake/record-message.ts";
import { logOperator, logService } from "../lanes/log-operator.ts";
import { checkpointSubject, type Cluster, createCluster, type Plant } from "./cluster.fixture.ts";
import { subjectOf } from "./streams.fixture.ts";
import { createWorld, type World } from "./world.fixture.ts";

const odd = "odd-one";
const others = ["a", "b", "c", "d"];

/** Each a request of its own: of the one, and of others in both lanes before, between and after. */
const requests: readonly Request[] = [
  [event(byId(odd), { name: "first" })],
  ...others.map((id) => [event(byId(id), { name: "first" })]),
  { type: "mergeUsers", jobId: "j1", updates: [{ source: selector("d"), target: selector("c") }] },
  [event(byId(odd), { name: "second" })],
  ...others.slice(0, 3).map((id) => [event(byId(id), { name: "second" })]),
  [event(byId(odd), { name: "second" })],
];

function selector(id: string) {
  return { key: byId(id), prioritization: [] };
}

const expected = new Map([["a", { first: 1, second: 1 }], ["b", { first: 1, second: 1 }], ["c", { first: 2, second: 1 }]]);

interface Run {
  readonly cluster: Cluster;
  readonly world: World;
}

async function run(plant: Plant, sent = requests, seed = 7): Promise<Run> {
  const world = createWorld(seed);
  world.faulty = false;
  const steps = { applyRecord, freeze, takeIn, takeBack };
  const cluster = createCluster(world, { steps, undoWindowMs: 1_000_000, plant, decode: decodeRecord });
  cluster.start();
  for (const [at, body] of sent.entries()) {
    const entry = { workspaceId: "w", requestId: `q${at}`, actor: "key", receivedAt: start + at, body: bodyOf(body) };
    cluster.intake.append(subjectOf(0), encodeRecord(entry));
  }
  await world.run(() => isQuiet(cluster), () => {});
  return { world, cluster };
}

function isQuiet({ intake, lanes, layout, applied, written }: Cluster): boolean {
  const checkpoint = lanes.messages(checkpointSubject).at(-1);
  const place = checkpoint && checkpointFromBytes(checkpoint.body);
  if ((place?.through ?? 0) < intake.last(subjectOf(0)) || written() < (checkpoint?.sequence ?? 0)) return false;
  return [0, 1].every((lane) => applied(lane) >= lanes.last(subjectOf(layout.profile(lane))));
}

async function redrive({ cluster, world }: Run): Promise<void> {
  const { lanes, intake, layout, store } = cluster;
  const appendTo = (stream: typeof lanes) => ({
    append: (partition: number, body: Uint8Array) => Promise.resolve(stream.append(subjectOf(partition), body)),
    tail: (partition: number) => Promise.resolve(stream.last(subjectOf(partition))),
  });
  const deps = { ...store, intake: appendTo(intake), lanes: appendTo(lanes), layout, lags: () => Promise.resolve([]) };
  await directClient(LogService, logService(logOperator(deps))).redrive({});
  await world.run(() => isQuiet(cluster), () => {});
}

async function eventsOf({ cluster }: Run): Promise<Map<string, Record<string, number>>> {
  const profiles = await cluster.store.profiles.page("w", "", 100);
  return new Map(profiles.map(({ externalId, events }) => {
    return [externalId ?? "", Object.fromEntries(Array.from(events, ([name, { count }]) => [name, count]))];
  }));
}

async function backlogOf({ cluster: { store } }: Run): Promise<number> {
  return (await store.profiles.listBlocked(9)).length + (await store.profiles.listSetAside(9)).length;
}

function throwPlanted(): never {
  throw new TypeError("planted");
}

/** Nothing in it is decided by what came before: a request that was set aside is redriven behind all others. */
const apart = requests.filter((request) => Array.isArray(request));
const expectedApart = new Map<string, Record<string, number>>([...expected, ["c", { first: 1, second: 1 }], ["d", { first: 1 }]]);

test(
  "a throw at any one call stands in nobody's way, and after a redrive nothing is missing or doubled",
  { timeout: 400_000 },
  async () => {
    const calls: string[] = [];
    await run((call) => void calls.push(call), apart);
    expect(new Set(calls.map((call) => call.split(".")[0]))).toEqual(
      new Set(["lanes", "steps", "session", "intake", "identities", "profiles", "events"]),
    );
    for (const at of calls.keys()) {
      let count = 0;
      const done = await run(() => count++ === at && throwPlanted(), apart);
      const seen = await eventsOf(done);
      const isWhole = others.every((id) => JSON.stringify(seen.get(id)) === JSON.stringify(expectedApart.get(id)));
      // A user whom it met waits, and is listed; a request that was set aside may be about another one
      if (!isWhole) expect([at, calls[at], await backlogOf(done)]).not.toEqual([at, calls[at], 0]);
      // The planted throw may come as late as here
      for (let rounds = 0; rounds === 0 || (rounds < 3 && await backlogOf(done) > 0); rounds += 1) await redrive(done);
      expect([at, calls[at], await eventsOf(done)]).toEqual([at, calls[at], new Map([...expectedApart, [odd, { first: 1, second: 2 }]])]);
      expect(await backlogOf(done)).toBe(0);
    }
  },
);

/** The seed decides which side of a merge comes first. */
const seedsMax = 40;

/** Whether the texts or bytes that a call is given speak of the one. */
function isAboutOdd(given: unknown): boolean {
  if (typeof given === "string") return given.includes(odd);
  if (given instanceof Uint8Array) return Buffer.from(given).includes(odd);
  if (given instanceof Map) return [...given].some(isAboutOdd);
  return typeof given === "object" && given !== null && Object.values(given).some(isAboutOdd);
}

/** What fails for the one: its state, the row of its state, its identity, a step with its records. What waits is taken. */
const failing: readonly (readonly [call: string, isAbout: (first: unknown, second: unknown) => boolean])[] = [
  ["profiles.save", (changes) => isAboutOdd((changes as UserChanges).users)],
  ["session.execute", (statement) => !/held_|set_aside/.test((statement as Statement).cql) && isAboutOdd((statement as Statement).values)],
  ["identities.load", (_, keys) => isAboutOdd(keys)],
  ["steps.publishStep", (step) => isAboutOdd((step as Step).messages.map(({ body }) => body))],
];

test.each(failing)(
  "%s that throws for one user, again and again, stands in nobody else's way",
  { timeout: 200_000 },
  async (failingCall, isAbout) => {
    let isMended = false;
    let thrown = 0;
    const done = await run((call, [first, second]) => {
      if (isMended || call !== failingCall || !isAbout(first, second)) return;
      thrown += 1;
      throwPlanted();
    });
    expect(thrown).toBeGreaterThan(0);
    const seen = await eventsOf(done);
    for (const [id, events] of expected) expect([id, seen.get(id)]).toEqual([id, events]);
    expect(await backlogOf(done)).toBeGreaterThan(0);
    isMended = true;
    await redrive(done);
    expect(await eventsOf(done)).toEqual(new Map([...expected, [odd, { first: 1, second: 2 }]]));
    expect(await backlogOf(done)).toBe(0);
  },
);

test(
  "an announcement that the log does not take stands in nobody's way: its partner is shown as waiting, and a redrive lets it go on",
  async () => {
    let isMended = false;
    let announced = 0;
    let blocked: readonly { readonly reason: string }[] = [];
    let done: Run | undefined;
    // Where the source came first its partner finds what it needs, and waits for no announcement
    for (let seed = 1; blocked.length === 0 && seed <= seedsMax; seed += 1) {
      announced = 0;
      const plant: Plant = (call, [, body]) => {
        if (isMended || call !== "lanes.append" || !Buffer.from(body as Uint8Array).includes("announce")) return;
        announced += 1;
        throwPlanted();
      };
      done = await run(plant, requests, seed);
      blocked = await done.cluster.store.profiles.listBlocked(9);
    }
    if (done === undefined) throw new Error("Expected a run");
    expect(announced).toBe(1);
    const seen = await eventsOf(done);
    for (const id of ["a", "b", odd]) expect([id, seen.get(id)]).toEqual([id, { first: 1, second: id === odd ? 2 : 1 }]);
    expect(blocked.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^Waits for user /)]);
    isMended = true;
    await redrive(done);
    expect((await eventsOf(done)).get("c")).toEqual(expected.get("c"));
    expect(await backlogOf(done)).toBe(0);
  },
  100_000,
);
