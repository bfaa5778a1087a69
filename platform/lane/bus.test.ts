/** Members and progress over a bus within the test. */
import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { type Bus, type BusMessage, openBusMembers, openBusNotices, openBusQueries } from "./bus.ts";
import type { ProgressNotice } from "./progress-notices.ts";

function createBus(): Bus & { up: boolean; back(): void } {
  const back = new Set<() => void>();
  const listeners = new Map<string, Set<(message: BusMessage) => void>>();
  return {
    up: true,
    publish(subject, data) {
      for (const listener of listeners.get(subject) ?? []) listener({ data, respond: () => false });
    },
    ask(subject, data) {
      const all = listeners.get(subject) ?? [];
      return new Promise((resolve, reject) => {
        if ([...all].length === 0) reject(new Error("Nobody listens"));
        function respond(answer: Uint8Array): boolean {
          resolve({ data: answer });
          return true;
        }
        for (const listener of all) listener({ data, respond });
      });
    },
    subscribe(subject, callback) {
      const all = listeners.get(subject) ?? new Set();
      listeners.set(subject, all.add(callback));
      return () => all.delete(callback);
    },
    onBack(listener) {
      back.add(listener);
      return () => back.delete(listener);
    },
    back() {
      for (const listener of back) listener();
    },
  };
}

/** Two members on one clock; a newcomer's first beat needs the clock to move. */
function createPair() {
  const bus = createBus();
  const clock = fakeClock();
  const [first, second] = [0, 1].map(() => openBusMembers({ bus, subject: "members", clock }));
  if (!first || !second) throw new Error("Expected two members");
  async function beat(members: typeof first, id: string) {
    const beating = members?.beat(id, 3_000);
    clock.advance(200);
    return [...await beating ?? []].sort();
  }
  return { bus, clock, first, second, beat };
}

test("openBusMembers() tells a newcomer at its first beat who is there, and the others of it", async () => {
  const { first, second, beat } = createPair();
  expect(await beat(first, "a")).toEqual(["a"]);
  expect(await beat(second, "b")).toEqual(["a", "b"]);
  expect(await beat(first, "a")).toEqual(["a", "b"]);
});

test("openBusMembers() forgets who left at once, and who is silent after its time", async () => {
  const { clock, first, second, beat } = createPair();
  await beat(first, "a");
  await beat(second, "b");
  await second.leave("b");
  expect(await beat(first, "a")).toEqual(["a"]);
  await beat(second, "b");
  second.close();
  clock.advance(3_001);
  expect(await beat(first, "a")).toEqual(["a"]);
});

test("openBusMembers() hears the others first, where it was away or stood still for so long that it missed their beats", async () => {
  const { bus, clock, first, second, beat } = createPair();
  await beat(first, "a");
  await beat(second, "b");
  // The bus is away for both
  bus.up = false;
  clock.advance(3_001);
  bus.up = true;
  expect(await Promise.all([beat(first, "a"), beat(second, "b")])).toEqual([["a", "b"], ["a", "b"]]);
  // One stands still, and reads what came meanwhile after its own timers
  clock.advance(2_000);
  await beat(second, "b");
  clock.advance(1_200);
  const beating = first.beat("a", 3_000);
  await beat(second, "b");
  expect([...await beating].sort()).toEqual(["a", "b"]);
});

test("openBusMembers() rejects a beat that nobody can hear", async () => {
  const { bus, first } = createPair();
  bus.up = false;
  await expect(first.beat("a", 1_000)).rejects.toThrow("away");
});

test("openBusNotices() brings what is told to everybody who listens, until they stop", () => {
  const bus = createBus();
  const notices = openBusNotices(bus, "progress", fakeClock());
  const heard: ProgressNotice[] = [];
  const stop = openBusNotices(bus, "progress", fakeClock()).listen((one) => heard.push(one));
  notices.publish([{ kind: "applied", lane: 3, position: 7 }, { kind: "applied", lane: 4, position: 8 }]);
  stop();
  notices.publish([{ kind: "written", partition: 0, sequence: 9 }]);
  expect(heard).toEqual([{ kind: "applied", lane: 3, position: 7 }, { kind: "applied", lane: 4, position: 8 }]);
});

test("openBusNotices() brings what is published to listeners of the same process at once, also while the bus is away", () => {
  const bus = { ...createBus(), up: false };
  const notices = openBusNotices(bus, "progress", fakeClock());
  const heard: ProgressNotice[] = [];
  const stop = notices.listen((one) => heard.push(one));
  notices.publish([{ kind: "applied", lane: 3, position: 7 }]);
  expect(heard).toEqual([{ kind: "applied", lane: 3, position: 7 }]);
  stop();
  notices.publish([{ kind: "applied", lane: 3, position: 8 }]);
  expect(heard).toHaveLength(1);
});

test("openBusNotices() hears a process of the build before, which tells one at a time", () => {
  const bus = createBus();
  const heard: ProgressNotice[] = [];
  openBusNotices(bus, "progress", fakeClock()).listen((one) => heard.push(one));
  bus.publish("progress", Buffer.from(JSON.stringify({ kind: "applied", lane: 3, position: 7 })));
  expect(heard).toEqual([{ kind: "applied", lane: 3, position: 7 }]);
});

test("openBusNotices() asks for the latest as it begins to listen, when the bus is back and now and then; a publisher that was away is asked too", () => {
  const bus = createBus();
  const clock = fakeClock();
  let asked = 0;
  const deafen = openBusNotices(bus, "progress", clock).onAsk(() => asked += 1);
  const stop = openBusNotices(bus, "progress", clock).listen(() => {});
  expect(asked).toBe(1);
  bus.back();
  expect(asked).toBe(3);
  clock.advance(limits.progressAskMs);
  expect(asked).toBe(4);
  stop();
  bus.back();
  expect(asked).toBe(5);
  deafen();
  bus.back();
  expect(asked).toBe(5);
});

test("openBusAsks() asks whoever works on the lane, itself without the bus; where nobody does the answer is no", async () => {
  const bus = createBus();
  const [near, far] = [openBusQueries(bus, "asks"), openBusQueries(bus, "asks")];
  const ask = { through: 7, keys: ["w\nu"], ms: 250 };
  expect(await far.ask(3, ask)).toBe(false);
  const stop = near.serve(3, ({ through, keys }) => Promise.resolve(through === 7 && keys[0] === "w\nu"));
  expect(await far.ask(3, ask)).toBe(true);
  expect(await far.ask(3, { ...ask, through: 8 })).toBe(false);
  expect(await far.ask(4, ask)).toBe(false);
  expect([near.isOwn(3), near.isOwn(4), far.isOwn(3)]).toEqual([true, false, false]);
  bus.up = false;
  expect([await near.ask(3, ask), await far.ask(3, ask)]).toEqual([true, false]);
  stop();
  expect(await near.ask(3, ask)).toBe(false);
});
