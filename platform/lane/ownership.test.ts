/** Who owns what: all work belongs to a member, little moves, and what a dead process had is taken over. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../clock.ts";
import { fakeClock } from "../clock.fixture.ts";
import { silentLogger } from "../logger.ts";
import { firstTrouble, type Members, ownerOf, ownWork } from "./ownership.ts";
import type { Reading } from "./read-on.ts";

const work = Array.from({ length: 64 }, (_, lane) => `lane-${lane}`);
const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 6 });

test("ownerOf() gives all work to members, and moves only that of who comes or goes", () => {
  fc.assert(fc.property(ids, (members) => {
    const [gone, ...rest] = members;
    for (const name of work) {
      const owner = ownerOf(name, members);
      expect(members).toContain(owner);
      expect(ownerOf(name, members.toReversed())).toBe(owner);
      if (owner !== gone) expect(ownerOf(name, rest)).toBe(owner);
    }
  }));
});

test("ownerOf() gives nobody more than twice a fair share", () => {
  const members = ["profile-0", "profile-1", "profile-2", "profile-3"];
  const shares = members.map((id) => work.filter((name) => ownerOf(name, members) === id).length);
  expect(Math.max(...shares)).toBeLessThanOrEqual(32);
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(6);
});

test("ownWork() takes over what a silent process had within 5 s, and gives back what is not its own", async () => {
  const clock = fakeClock();
  const members = membersOf(clock);
  const running = new Map<string, string>();
  const first = start("a", { clock, members, running });
  const second = start("b", { clock, members, running });
  await seconds(clock, 3);
  expect([...first.owned.keys()].length + [...second.owned.keys()].length).toBe(work.length);
  expect(second.owned.size).toBeGreaterThan(0);
  members.silence("a");
  await seconds(clock, 5);
  expect([...second.owned.keys()].sort()).toEqual([...work].sort());
  await second.close();
  expect([...running.values()].filter((id) => id === "b")).toEqual([]);
});

test("ownWork() rests once nobody can have heard of it", async () => {
  const clock = fakeClock();
  const members = membersOf(clock);
  const only = start("a", { clock, members, running: new Map() });
  await seconds(clock, 1);
  expect(only.owned.size).toBe(work.length);
  members.isDown = true;
  await seconds(clock, 2);
  expect(only.owned.size).toBe(work.length);
  await seconds(clock, 5);
  expect(only.owned.size).toBe(0);
  members.isDown = false;
  await seconds(clock, 2);
  expect(only.owned.size).toBe(work.length);
});

function start(id: string, { clock, members, running }: { clock: Clock; members: Members; running: Map<string, string> }) {
  return ownWork({
    id,
    members,
    clock,
    logger: silentLogger,
    work,
    start(name) {
      running.set(`${id} ${name}`, id);
      return {
        trouble: () => undefined,
        wake: () => {},
        hurry: () => {},
        retry: () => {},
        close: () => Promise.resolve(void running.delete(`${id} ${name}`)),
      };
    },
  });
}

function membersOf(clock: Clock): Members & { silence(id: string): void; isDown: boolean } {
  const until = new Map<string, number>();
  const silent = new Set<string>();
  return {
    isDown: false,
    silence: (id) => void silent.add(id),
    beat(id, ms) {
      if (this.isDown) return Promise.reject(new Error("No answer"));
      if (!silent.has(id)) until.set(id, clock.monotonic() + ms);
      return Promise.resolve([...until].filter(([, end]) => end > clock.monotonic()).map(([member]) => member));
    },
    leave: (id) => Promise.resolve(void until.delete(id)),
  };
}

async function seconds(clock: ReturnType<typeof fakeClock>, count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const well: Pick<Reading, "trouble"> = { trouble: () => undefined };

test("a reader that does not get on is named by its partition or lane, with why", () => {
  expect(firstTrouble(new Map([["resolve-0", well], ["apply-3", well]]))).toBeUndefined();
  const owned = new Map<string, Pick<Reading, "trouble">>([["resolve-0", well], ["apply-3", {
    trouble: () => "an unexpected error, see the log",
  }]]);
  expect(firstTrouble(owned)).toBe("apply-3: an unexpected error, see the log");
});
