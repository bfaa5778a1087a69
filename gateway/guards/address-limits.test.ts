/** Limits by address: whose they are, how many are counted, and that a stranger cannot name another's. */
import { BlockList } from "node:net";
import { expect, test } from "vitest";
import { fakeClock } from "../../platform/clock.fixture.ts";
import { addressLimits } from "../access/limits-table.ts";
import { networkOf, openAddressLimits } from "./address-limits.ts";

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::9", "2001:db8:1:2"],
  ["2001:0db8:0001:0002::", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
])("%s is of %s", (address, network) => expect(networkOf(address)).toBe(network));

test("after so many refusals in a minute an address is told to wait, and what it says of its address counts behind a proxy alone", () => {
  const clock = fakeClock();
  const limits = openAddressLimits({ clock, addresses: { trustedProxies: new BlockList() } });
  const from = (remoteAddress: string, said = "198.51.100.1") => ({
    remoteAddress,
    headers: new Map([["x-forwarded-for", said] as const]),
  });
  const { capacity, windowMs } = addressLimits.refused_requests;
  for (let at = 0; at < capacity; at += 1) expect(limits.refused(from("192.0.2.1", `198.51.100.${at % 250}`))).toBeUndefined();
  expect(limits.refused(from("192.0.2.1"))).toMatchObject({ reason: "RATE_LIMITED", details: { retryAfterSeconds: 1 } });
  expect(limits.refused(from("192.0.2.2"))).toBeUndefined();
  clock.advance(windowMs / capacity);
  expect(limits.refused(from("192.0.2.1"))).toBeUndefined();
  expect(limits.refused(from("192.0.2.1"))).toBeDefined();
});
