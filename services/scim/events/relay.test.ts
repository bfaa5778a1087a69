/** Which companies the relay looks at: what is told to it alone, and all where an event may have been left. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { silentLogger } from "../../../platform/logger.ts";
import type { Waiting } from "../domain/ports.ts";
import { openRelay } from "./relay.ts";

function waitingOf(companyId: string): Waiting {
  return { companyId, id: "1", event: { eventId: "e", companyId, userId: "u", userName: "n", deletedAt: 0 } };
}

test("a change makes the relay look at its company alone; the start, a wake and a failure at all", async () => {
  const looks: (readonly string[] | undefined)[] = [];
  let waiting: readonly Waiting[] = [];
  let isAway = false;
  const clock = fakeClock();
  const relay = openRelay({
    outbox: {
      async next(_limit, companies) {
        if (waiting.length === 0) looks.push(companies);
        return waiting;
      },
      async done() {
        waiting = [];
      },
    },
    publish: () => isAway ? Promise.reject(new Error("nobody listens")) : Promise.resolve(),
    clock,
    logger: silentLogger,
  });
  async function looked(): Promise<unknown> {
    await new Promise((resolve) => setImmediate(resolve));
    return looks.splice(0);
  }
  expect(await looked()).toEqual([undefined]);
  waiting = [waitingOf("a")];
  relay.wake("a");
  relay.wake("b");
  expect(await looked()).toEqual([["a"], ["b"]]);
  relay.wake();
  expect(await looked()).toEqual([undefined]);
  waiting = [waitingOf("a")];
  isAway = true;
  relay.wake("a");
  expect(await looked()).toEqual([]);
  isAway = false;
  relay.wake("b");
  expect(await looked()).toEqual([undefined]);
  await relay.close();
});

test("a wake at the moment at which the relay ends its looks makes it look again", async () => {
  const ends = Array.from({ length: 10 }, async (_, at) => {
    const looks: (readonly string[] | undefined)[] = [];
    const relay = openRelay({
      outbox: {
        next(_limit, companies) {
          looks.push(companies);
          if (companies === undefined) void after(at + 1, () => relay.wake("a"));
          return Promise.resolve([]);
        },
        done: () => Promise.resolve(),
      },
      publish: () => Promise.resolve(),
      clock: fakeClock(),
      logger: silentLogger,
    });
    await new Promise((resolve) => setImmediate(resolve));
    await relay.close();
    return looks;
  });
  expect(await Promise.all(ends)).toEqual(ends.map(() => [undefined, ["a"]]));
});

async function after(ticks: number, work: () => void): Promise<void> {
  for (let left = ticks; left > 0; left -= 1) await undefined;
  work();
}
