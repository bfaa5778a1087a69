/** The driver's counting of a node's responses, which would wake an idle process all the time. */
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { type CountedHost, countSeldom } from "./response-count.ts";

const { Host } = createRequire(import.meta.url)("cassandra-driver/lib/host.js") as {
  Host: { prototype: Pick<CountedHost, "setDistance"> };
};

/** With the driver's own way of counting, and so red where a release of it counts in another way. */
function openHost(): CountedHost {
  return Object.assign(Object.create(Host.prototype) as CountedHost, {
    _healthResponseCounter: 0,
    _healthResponseCountTimer: null,
    options: { pooling: {} },
    pool: { getAndResetResponseCounter: () => 7, drainAndShutdown: () => {} },
    isUp: () => true,
    emit: () => true,
  });
}

/** As Node has it. */
function timerOf({ _healthResponseCountTimer: timer }: CountedHost) {
  return timer as unknown as { readonly _repeat: number; readonly _destroyed: boolean; _onTimeout(): void };
}

const [local, ignored] = [0, 2];

test("countSeldom() slows the counting that goes on, and that of a node which is used later", () => {
  const host = openHost();
  host.setDistance(local);
  const before = timerOf(host);
  expect(before).toMatchObject({ _repeat: 200, _destroyed: false });
  countSeldom(host);
  expect(before._destroyed).toBe(true);
  expect(timerOf(host)).toMatchObject({ _repeat: limits.cassandraCountMs, _destroyed: false });
  timerOf(host)._onTimeout();
  expect(host._healthResponseCounter).toBe(7);
  host.setDistance(ignored);
  const later = openHost();
  countSeldom(later);
  later.setDistance(local);
  const timer = timerOf(later);
  expect(timer._repeat).toBe(limits.cassandraCountMs);
  later.setDistance(local);
  expect(timerOf(later)).toBe(timer);
  later.setDistance(ignored);
});

test("countSeldom() ends where the driver ends it", () => {
  const host = openHost();
  countSeldom(host);
  host.setDistance(local);
  host.setDistance(ignored);
  expect(timerOf(host)._destroyed).toBe(true);
});
