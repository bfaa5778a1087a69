/** Which companies the relay looks at: what is told to it alone, and all where an event may have been left; and that none waits for another. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Waiting } from "../domain/ports.ts";
import { openRelay } from "./relay.ts";

function waitingOf(companyId: string, id = "1"): Waiting {
  return { companyId, id, event: { eventId: `e-${companyId}-${id}`, companyId, userId: "u", userName: "n", deletedAt: 0 } };
}

/** Until nothing is under way. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test("a change makes the relay look at its company alone; the start, a wake and a failure at all", async () => {
  const looks: string[] = [];
  let waiting: readonly Waiting[] = [];
  let isAway = false;
  const relay = openRelay({
    outbox: {
      companies: () => Promise.resolve(["a", "b"]),
      next(companyId) {
        const found = waiting.filter((one) => one.companyId === companyId);
        if (found.length === 0) looks.push(companyId);
        return Promise.resolve(found);
      },
      done() {
        waiting = [];
        return Promise.resolve();
      },
    },
    publish: () => isAway ? Promise.reject(new Refusal("LOG_UNAVAILABLE")) : Promise.resolve(),
    clock: fakeClock(),
    logger: silentLogger,
  });
  async function looked(): Promise<string> {
    await settled();
    return looks.splice(0).join(" ");
  }
  expect(await looked()).toBe("a b");
  waiting = [waitingOf("a")];
  relay.wake("a");
  expect(await looked()).toBe("a");
  relay.wake();
  expect(await looked()).toBe("a b");
  waiting = [waitingOf("a")];
  isAway = true;
  relay.wake("a");
  expect(await looked()).toBe("");
  isAway = false;
  relay.wake("b");
  expect(await looked()).toBe("a b");
  await relay.close();
});

test("events that cannot go out stay and are tried again, and neither their company's others nor another company waits for them", async () => {
  const bad = Array.from({ length: 2 * limits.scimOutboxBatchMax }, (_, at) => waitingOf("a", `bad-${at + 100}`));
  let waiting = [...bad, waitingOf("a", "in-1"), waitingOf("a", "in-2"), waitingOf("b", "3")];
  let published: string[] = [];
  let isMended = false;
  const clock = fakeClock();
  const relay = openRelay({
    outbox: {
      companies: () => Promise.resolve(["a", "b"]),
      next(companyId, { limit, above = "" }) {
        return Promise.resolve(waiting.filter((one) => one.companyId === companyId && one.id > above).slice(0, limit));
      },
      done(gone) {
        waiting = waiting.filter((one) => !gone.includes(one));
        return Promise.resolve();
      },
    },
    publish({ eventId }) {
      if (eventId.includes("bad") && !isMended) return Promise.reject(new RangeError("too large"));
      published.push(eventId);
      return Promise.resolve();
    },
    clock,
    logger: silentLogger,
  });
  await settled();
  expect(published).toEqual(["e-a-in-1", "e-a-in-2", "e-b-3"]);
  expect(waiting).toEqual(bad);
  // What another company does now neither waits nor makes the first wait for longer
  waiting.push(waitingOf("b", "4"));
  relay.wake("b");
  isMended = true;
  await settled();
  expect(published.slice(3)).toEqual(["e-b-4"]);
  published = [];
  clock.advance(limits.scimPublishRetryMsMin);
  await settled();
  expect(published).toEqual(bad.map(({ event }) => event.eventId));
  expect(waiting).toEqual([]);
  await relay.close();
});

test("a wake at the moment at which the relay ends its looks makes it look again", async () => {
  const ends = Array.from({ length: 12 }, async (_, at) => {
    const looks: string[] = [];
    const relay = openRelay({
      outbox: {
        companies: () => Promise.resolve(["all"]),
        next(companyId) {
          looks.push(companyId);
          if (companyId === "all") void after(at + 1, () => relay.wake("a"));
          return Promise.resolve([]);
        },
        done: () => Promise.resolve(),
      },
      publish: () => Promise.resolve(),
      clock: fakeClock(),
      logger: silentLogger,
    });
    await settled();
    await relay.close();
    return looks;
  });
  expect(await Promise.all(ends)).toEqual(ends.map(() => ["all", "a"]));
});

async function after(ticks: number, work: () => void): Promise<void> {
  for (let left = ticks; left > 0; left -= 1) await undefined;
  work();
}
