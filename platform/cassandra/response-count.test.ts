/** The driver's counting of a node's responses, which would wake an idle process all the time. */
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { type CountedHost, countOnDemand } from "./response-count.ts";

const { Host } = createRequire(import.meta.url)("cassandra-driver/lib/host.js") as {
  Host: { prototype: Pick<CountedHost, "setDistance" | "getResponseCount"> };
};

/** With the driver's own way of counting, and so red where a release of it counts in another way. */
function openHost() {
  return Object.assign(Object.create(Host.prototype) as CountedHost, {
    _healthResponseCounter: 0,
    _healthResponseCountTimer: null as NodeJS.Timeout | null,
    options: { pooling: {} },
    pool: {
      responseCounter: 0,
      getAndResetResponseCounter() {
        const count = this.responseCounter;
        this.responseCounter = 0;
        return count;
      },
      drainAndShutdown: () => {},
    },
    isUp: () => true,
    emit: () => true,
  });
}

/** As Node has it. */
function isDestroyed(timer: unknown): boolean {
  return (timer as { readonly _destroyed: boolean })._destroyed;
}

const [local, ignored] = [0, 2];

test("countOnDemand() ends the counting that goes on, and that of a node which is used later", () => {
  const host = openHost();
  host.setDistance(local);
  const before = host._healthResponseCountTimer;
  expect(isDestroyed(before)).toBe(false);
  countOnDemand(host, fakeClock());
  expect([isDestroyed(before), host._healthResponseCountTimer]).toEqual([true, null]);
  host.setDistance(ignored);
  host.setDistance(local);
  expect(host._healthResponseCountTimer).toBeNull();
});

test("countOnDemand() counts what was answered since it was asked before, and what came since", () => {
  const [host, clock] = [openHost(), fakeClock()];
  for (let time = 0; time < 2; time += 1) countOnDemand(host, clock);
  host.pool.responseCounter = 7;
  expect(host.getResponseCount()).toBe(7);
  host.pool.responseCounter = 2;
  clock.advance(limits.cassandraCountMs - 1);
  expect(host.getResponseCount()).toBe(9);
  clock.advance(1);
  expect(host.getResponseCount()).toBe(2);
  clock.advance(limits.cassandraCountMs);
  expect(host.getResponseCount()).toBe(0);
});
