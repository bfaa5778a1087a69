/** What settings of the mesh say of TLS and authentication. */
import { expect, test } from "vitest";
import { readConfig } from "../../platform/config.ts";
import type { Reach } from "./judge-security.ts";
import { readReaches } from "./mesh-reaches.ts";

type Answers = Pick<Reach, "isEncrypted" | "isProven">;
const neither: Answers = { isEncrypted: false, isProven: false };
const encrypted: Answers = { ...neither, isEncrypted: true };
const proven: Answers = { ...neither, isProven: true };
const both: Answers = { isEncrypted: true, isProven: true };
const file = import.meta.filename;
const bare = {
  HEDDLE_NATS_URL: "nats://nats:4222",
  HEDDLE_CASSANDRA_CONTACT_POINTS: "cassandra",
  HEDDLE_CASSANDRA_DATACENTER: "datacenter1",
  HEDDLE_REDIS_URL: "redis://redis:6379",
  HEDDLE_PROFILE_URL: "dns+http://profile:9101",
};

test.each<[string, Record<string, string>, string, Answers]>([
  ["nothing", {}, "NATS", neither],
  ["an authority", { HEDDLE_NATS_TLS_CA: file }, "NATS", encrypted],
  ["a password", { HEDDLE_NATS_USER: "a", HEDDLE_NATS_PASSWORD: "b" }, "NATS", proven],
  ["a user without a password", { HEDDLE_NATS_USER: "a" }, "NATS", neither],
  ["a token", { HEDDLE_NATS_TOKEN: "t" }, "NATS", proven],
  ["a certificate", { HEDDLE_NATS_TLS_CA: file, HEDDLE_NATS_TLS_CERT: file, HEDDLE_NATS_TLS_KEY: file }, "NATS", both],
  ["nothing", {}, "Cassandra", neither],
  ["an authority", { HEDDLE_CASSANDRA_TLS_CA: file }, "Cassandra", encrypted],
  ["a password", { HEDDLE_CASSANDRA_USER: "a", HEDDLE_CASSANDRA_PASSWORD: "b" }, "Cassandra", proven],
  ["a user without a password", { HEDDLE_CASSANDRA_USER: "a" }, "Cassandra", neither],
  ["nothing", {}, "Redis", neither],
  ["an address of TLS with a password", { HEDDLE_REDIS_URL: "rediss://a:b@redis:6380" }, "Redis", both],
  ["a user without a password", { HEDDLE_REDIS_URL: "redis://a@redis:6379" }, "Redis", neither],
  ["an authority, which makes the client speak TLS", { HEDDLE_REDIS_TLS_CA: file }, "Redis", encrypted],
  ["nothing", {}, "RPC", neither],
  ["a certificate for plain addresses", { HEDDLE_RPC_TLS_CERT: file }, "RPC", neither],
  ["a certificate", { HEDDLE_RPC_TLS_CERT: file, HEDDLE_PROFILE_URL: "dns+https://profile:9101" }, "RPC", both],
])("with %s, %j: what is said of %s", (_, settings, check, answers) => {
  const { all } = readConfig({ ...bare, ...settings }, (reader) => ({ all: readReaches(reader) }));
  expect(all.find((reach) => reach.check === check)).toMatchObject(answers);
});
