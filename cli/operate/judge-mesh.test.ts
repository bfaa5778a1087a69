/** What the doctor says of servers. */
import { expect, test } from "vitest";
import type { Finding } from "../../platform/finding.ts";
import { judgeCassandra, judgeNats, judgeRedis, judgeTables } from "./judge-mesh.ts";

const mib = 1024 ** 2;
const stream = { name: "heddle_lanes", bytes: 10 * mib, bytesMax: 100 * mib, replicas: 1, problems: [] };
const nats = { version: "2.12.1", messageBytesMax: mib, streams: [stream], sync: { always: true, everySeconds: 0 } };
const tenDays = [{ table: "heddle_profile.users_by_id", seconds: 864_000 }, { table: "heddle_gateway.keys", seconds: 864_000 }];
const cassandra = { version: "5.0.5", nodes: 3, commitlogSync: "periodic", copies: 3, graces: tenDays };
const redis = { version: "7.2.4", policy: "noeviction", appendOnly: true };

function levels(findings: readonly Finding[]): string {
  return findings.map(({ level }) => level).join(" ");
}

test.each([
  ["as it should be", {}, "ok ok ok ok"],
  ["too old", { version: "2.11.9" }, "fail ok ok ok"],
  ["one that publishes batches of events twice", { version: "2.12.0" }, "warn ok ok ok"],
  ["a later one", { version: "2.14.0" }, "ok ok ok ok"],
  ["a server that syncs now and then", { sync: { always: false, everySeconds: 120 } }, "ok ok fail ok"],
  ["three that do", { sync: { always: false, everySeconds: 120 }, streams: [{ ...stream, replicas: 3 }] }, "ok ok warn ok"],
  ["nobody to ask", { sync: undefined }, "ok ok warn ok"],
  ["nearly full", { streams: [{ ...stream, bytes: 85 * mib }] }, "ok ok ok warn"],
  ["events, which make room", { streams: [{ ...stream, name: "heddle_events", bytes: 100 * mib }] }, "ok ok ok"],
  ["a stream that was changed by hand", { streams: [{ ...stream, problems: ["it has a max_age"] }] }, "ok ok ok fail ok"],
  ["the least that it may take", { messageBytesMax: 64 * 1024 }, "ok ok ok ok"],
  ["one that takes less", { messageBytesMax: 64 * 1024 - 1 }, "ok fail ok ok"],
])("NATS: %s", (_, change, expected) => {
  expect(levels(judgeNats({ ...nats, ...change }))).toBe(expected);
});

test.each([
  ["as it should be", {}, "ok ok ok ok"],
  ["too old", { version: "4.1.3" }, "fail ok ok ok"],
  ["one node that syncs now and then", { nodes: 1, copies: 1 }, "ok warn fail ok"],
  ["one node that syncs in groups", { nodes: 1, copies: 1, commitlogSync: "group" }, "ok warn ok ok"],
  ["no keyspace", { copies: undefined, graces: [] }, "ok warn fail"],
])("Cassandra: %s", (_, change, expected) => {
  expect(levels(judgeCassandra({ ...cassandra, ...change }))).toBe(expected);
});

const hour = { table: "heddle_profile.users_by_id", seconds: 3_600 };

test.each([
  ["as Cassandra makes tables", 3, tenDays, "ok 864000: repair each node more often than every 10 d, or what was deleted may come back"],
  [
    "one table of two days",
    3,
    [...tenDays, { ...hour, seconds: 2 * 86_400 + 60 }],
    "ok 172860: repair each node more often than every 2 d, or what was deleted may come back",
  ],
  ["one day", 2, [{ ...hour, seconds: 86_400 }], "ok 86400: repair each node more often than every 1 d, or what was deleted may come back"],
  [
    "one table of an hour",
    2,
    [...tenDays, hour],
    "warn 3600 of heddle_profile.users_by_id: too short to repair each node within, so what was deleted may come back; set it to 864000",
  ],
  [
    "copies that are not known",
    undefined,
    [hour],
    "warn 3600 of heddle_profile.users_by_id: too short to repair each node within, so what was deleted may come back; set it to 864000",
  ],
  ["one copy, which misses no deletion", 1, [hour], "ok 3600: one copy needs no repair"],
])("Cassandra's tombstones: %s", (_, copies, graces, expected) => {
  const found = judgeCassandra({ ...cassandra, copies, graces }).find(({ check }) => check === "Cassandra gc_grace_seconds");
  expect(`${found?.level} ${found?.text}`).toBe(expected);
});

test.each([
  ["as it should be", {}, "ok ok ok"],
  ["too old", { version: "6.2.0" }, "fail ok ok"],
  ["one that forgets", { policy: "allkeys-lru" }, "ok warn ok"],
  ["one that says nothing", { policy: undefined, appendOnly: false }, "ok warn warn"],
])("Redis: %s", (_, change, expected) => {
  expect(levels(judgeRedis({ ...redis, ...change }))).toBe(expected);
});

test.each([
  ["as it should be", 3, "ok version 3"],
  ["before heddle migrate", 2, "fail version 2 of 3: run heddle migrate"],
  ["of a newer build, from which one went back", 4, "ok version 4, of a newer build; this one knows 3"],
])("tables: %s", (_, version, expected) => {
  const { level, text } = judgeTables(version, 3);
  expect(`${level} ${text}`).toBe(expected);
});
