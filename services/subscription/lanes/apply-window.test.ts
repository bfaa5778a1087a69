/** A lane that is applied out of order across users, by appliers that stop anywhere: the same as in the order of the lane. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { arrivingLate, brokenOff, chances, dice } from "../../consent/lane/appliers.fixture.ts";
import type { LaneBody } from "../../consent/engine/lane-message.ts";
import { laneKey, LaneWindow } from "../../consent/lane/lane-window.ts";
import { packRecords } from "../../../platform/log/packed-records.ts";
import { commands, laneOf, openWorld, requests, undisturbed } from "./lane.fixture.ts";
import { membershipMessages } from "./lane-message.ts";

/** As an applier of the mesh: what is chosen by dice, and after a failure again from the position that it had kept. */
async function windowed(world: ReturnType<typeof openWorld>, bodies: readonly LaneBody[], next: () => number): Promise<void> {
  const last = bodies.at(-1)?.place[0] ?? 0;
  for (let kept = 0; kept < last;) {
    const window = new LaneWindow({ position: kept, concernOf: membershipMessages.concernOf, room: { users: 0, bytes: 0 } });
    try {
      while (window.position < last) {
        const unread = bodies.filter(({ place: [sequence] }) => sequence > window.read).slice(0, next() % 9);
        window.add(unread.map(({ body, place: [sequence] }) => ({ sequence, body: packRecords([body]) })));
        const wanted = new Set([laneKey("w", `u${next() % 5}`)]);
        const many = next() % 3 === 0 ? window.nextOfMany(1 + next() % 40) : [];
        const few = many.length > 0 ? [] : window.next(1 + next() % 4, wanted, "wanted");
        const some = many.length + few.length > 0 ? [...many, ...few] : window.nextOfMany(1);
        await world.apply(some);
        window.applied(some);
        if (next() % 4 === 0) kept = window.position;
      }
      kept = window.position;
    } catch {
      window.close();
    }
  }
}

const settings = { numRuns: 80 };

test("stopped before or after any write or publishing, and begun again: the same rows, each event once in effect", async () => {
  await fc.assert(
    fc.asyncProperty(commands, chances, requests, async (all, numbers, of) => {
      const bodies = laneOf(all, of);
      const next = dice(numbers);
      const world = openWorld(brokenOff(next));
      await windowed(world, bodies, next);
      const calm = await undisturbed(bodies);
      expect(world.replicas.dump()).toEqual(calm.rows);
      expect([...world.published.keys()].sort()).toEqual(calm.published);
      expect(await world.store.verify("w")).toMatchObject({ damage: undefined });
    }),
    settings,
  );
});

test("two appliers at the same time, with writes that arrive late: the same rows, each event once in effect", async () => {
  await fc.assert(
    fc.asyncProperty(commands, chances, requests, async (all, numbers, of) => {
      const bodies = laneOf(all, of);
      const next = dice(numbers);
      const world = openWorld(arrivingLate(next));
      await Promise.all([windowed(world, bodies, next), windowed(world, bodies, next)]);
      world.replicas.deliver((waiting) => next() % waiting);
      const calm = await undisturbed(bodies);
      expect(world.replicas.dump()).toEqual(calm.rows);
      expect([...world.published.keys()].sort()).toEqual(calm.published);
    }),
    settings,
  );
});
