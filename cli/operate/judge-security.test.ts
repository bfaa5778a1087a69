/** What the doctor says of missing authentication and TLS. */
import { expect, test } from "vitest";
import { hostOf, judgeReach, type Reach } from "./judge-security.ts";

const nats: Reach = { check: "NATS", hosts: ["10.0.0.1"], isEncrypted: true, isProven: true, encryptBy: "CA", proveBy: "TOKEN" };

test.each<[string, Partial<Reach>, string, RegExp]>([
  ["both", {}, "ok", /^TLS and authentication$/],
  ["no TLS", { isEncrypted: false }, "warn", /^no TLS \(CA\): whoever reaches 10\.0\.0\.1/],
  ["no authentication", { isProven: false }, "fail", /^no authentication \(TOKEN\)/],
  ["neither", { isEncrypted: false, isProven: false }, "fail", /^no TLS \(CA\), no authentication \(TOKEN\)/],
  ["neither, as somebody chose by name", { isEncrypted: false, isProven: false, isMeant: true }, "warn", /^no TLS/],
  ["neither, on this machine", { isEncrypted: false, isProven: false, hosts: ["127.0.0.1", "::1"] }, "ok", /on this machine alone$/],
  ["neither, on this machine and another", { isProven: false, hosts: ["127.0.0.1", "nats"] }, "fail", /^no authentication/],
])("%s", (_, change, level, text) => {
  expect(judgeReach({ ...nats, ...change })).toMatchObject({ check: "NATS access", level, text: expect.stringMatching(text) });
});

test.each([
  ["nats://10.0.0.1:4222", "10.0.0.1"],
  ["rediss://user:secret@redis.example:6379/1", "redis.example"],
  ["dns+https://profile:9101", "profile"],
  ["cassandra-0:9042", "cassandra-0"],
  ["[::1]:9042", "::1"],
  ["cassandra", "cassandra"],
])("%s is on %s", (address, host) => expect(hostOf(address)).toBe(host));
