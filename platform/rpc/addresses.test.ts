/** Turns and rests of addresses. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { roundRobin } from "./addresses.ts";

const none = new Set<string>();
const { rpcAddressRestMsMin: restMs, rpcAddressRestMsMax: restMsMax } = limits;

function picks(addresses: ReturnType<typeof roundRobin<string>>, count: number): string {
  return Array.from({ length: count }, () => addresses.pick(none) ?? "-").join("");
}

test("pick() goes round", () => {
  expect(picks(roundRobin(() => ["a", "b", "c"], fakeClock()), 7)).toBe("abcabca");
});

test("pick() leaves out what it is told to", () => {
  const addresses = roundRobin(() => ["a", "b"], fakeClock());
  expect(addresses.pick(new Set(["a"]))).toBe("b");
  expect(addresses.pick(new Set(["a", "b"]))).toBeUndefined();
});

test("pick() leaves out what failed until it has rested, then lets one call try", () => {
  const clock = fakeClock();
  const addresses = roundRobin(() => ["a", "b"], clock);
  addresses.failed("a");
  expect(picks(addresses, 4)).toBe("bbbb");
  clock.advance(restMs);
  expect([...picks(addresses, 6)].filter((picked) => picked === "a")).toHaveLength(1);
  addresses.worked("a");
  expect([...picks(addresses, 6)].filter((picked) => picked === "a")).toHaveLength(3);
});

test("pick() rests grow from failure to failure and are bounded", () => {
  const clock = fakeClock();
  const addresses = roundRobin(() => ["a", "b"], clock);
  function restsFor(): number {
    for (let ms = 0;; ms += 50, clock.advance(50)) if (picks(addresses, 2).includes("a")) return ms;
  }
  const rests = Array.from({ length: 8 }, () => {
    addresses.failed("a");
    return restsFor();
  });
  expect(rests).toEqual([100, 200, 400, 800, 1_600, restsMax(), restsMax(), restsMax()]);
  function restsMax(): number {
    return restMsMax;
  }
});

test("failed() many calls that fail at once are one failure", () => {
  const clock = fakeClock();
  const addresses = roundRobin(() => ["a", "b"], clock);
  for (let at = 0; at < 50; at += 1) addresses.failed("a");
  clock.advance(restMs);
  expect(picks(addresses, 2)).toContain("a");
});

test("pick() never waits for a resting address while another works, though that is busy", () => {
  const addresses = roundRobin(() => ["a", "b"], fakeClock());
  addresses.failed("a");
  expect(addresses.pick(new Set(["b"]))).toBeUndefined();
});

test("pick() tries resting addresses where all rest", () => {
  const addresses = roundRobin(() => ["a", "b"], fakeClock());
  addresses.failed("a");
  addresses.failed("b");
  expect([...picks(addresses, 2)].toSorted()).toEqual(["a", "b"]);
  expect(addresses.pick(new Set(["b"]))).toBe("a");
});

test("pick() goes on with what there is when addresses come and go", () => {
  let items = ["a", "b", "c"];
  const addresses = roundRobin(() => items, fakeClock());
  expect(picks(addresses, 2)).toBe("ab");
  items = ["a"];
  expect([picks(addresses, 2), addresses.size]).toEqual(["aa", 1]);
  items = ["a", "d"];
  expect([...picks(addresses, 4)].sort().join("")).toBe("aadd");
});

test("a call that fails at what is no address any more leaves nothing behind", () => {
  let items = ["a", "b"];
  const addresses = roundRobin(() => items, fakeClock());
  items = ["b"];
  addresses.failed("a");
  items = ["a", "b"];
  expect(picks(addresses, 4)).toContain("a");
});
