/** Addresses behind proxies: what a declared proxy says counts, and what others say does not. */
import { expect, test } from "vitest";
import { apiKey, declared } from "../declaration.ts";
import { heddleSuite } from "../suite.ts";

const heddle = heddleSuite({
  apply: declared({
    keys: [{ ...apiKey("office", "key-for-the-office"), ipAllow: ["192.0.2.0/24", "2001:db8::/32"] }],
  }),
  env: { HEDDLE_TRUSTED_PROXIES: "127.0.0.1,10.0.0.0/8" },
});

test.each([
  ["192.0.2.7", 201],
  ["192.0.2.7, 10.1.2.3", 201],
  ["2001:db8::5", 201],
  ["192.0.2.7:50123, 10.1.2.3:443", 201],
  ["[2001:db8::5]:50123", 201],
  ["[2001:db8::5]", 201],
  ["198.51.100.1:50123", 403],
  ["[192.0.2.7:1]", 403],
  // The nearest address that is no proxy counts, whatever stands to the left of it
  ["192.0.2.7, 198.51.100.1", 403],
  ["192.0.2.7, 198.51.100.1, 10.1.2.3", 403],
  ["198.51.100.1", 403],
  ["192.0.3.7", 403],
  ["nonsense", 403],
  ["192.0.2.7, ", 403],
  ["", 403],
])("X-Forwarded-For: %j of a declared proxy is answered with %i", async (forwarded, status) => {
  const headers = { "x-forwarded-for": forwarded };
  const body = { attributes: [{ external_id: "a", b: 1 }] };
  expect((await heddle.post("/users/track", body, { key: "key-for-the-office", headers })).status).toBe(status);
  expect((await heddle.post("/users/track", body, { headers })).status).toBe(201);
});
