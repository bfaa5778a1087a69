/** Settings that parts of the mesh share. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConfigRecord, readConfig } from "./config.ts";
import { readEvents, readOptionalPeer, readOptionalRpcServer, readPeer, readRpcServer, readStore, readStreams } from "./mesh-config.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-config-"));
  for (const name of ["ca", "cert", "key"]) writeFileSync(join(folder, name), `the ${name}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

function files(prefix: string, names: readonly string[]): ConfigRecord {
  return Object.fromEntries(names.map((name) => [`${prefix}_TLS_${name.toUpperCase()}`, join(folder, name)]));
}

function problems(record: ConfigRecord, read: Parameters<typeof readConfig>[1]): string[] {
  try {
    readConfig(record, read);
    return [];
  } catch (error) {
    return (error as { problems: { key: string }[] }).problems.map(({ key }) => key);
  }
}

const all = { HEDDLE_PROFILE_URL: "https://a:1,https://b:2" };
const tls = { ca: "the ca", cert: "the cert", key: "the key" };

test("a part has one certificate, as a server and as a caller", () => {
  const record = { ...all, ...files("HEDDLE_RPC", ["ca", "cert", "key"]) };
  const config = readConfig(record, (reader) => ({
    server: readRpcServer(reader, "messaging-status", { port: 9103, callers: ["gateway"] }),
    peer: readPeer(reader, "profile"),
    none: readOptionalPeer(reader, "scim"),
  }));
  expect(config.server).toMatchObject({ port: 9103, callers: ["gateway", "operator"], tls });
  expect(config.peer).toEqual({ addresses: ["https://a:1", "https://b:2"], tls });
  expect(config.none).toBeUndefined();
});

test("operators call every part, whoever else does", () => {
  function callers(record: ConfigRecord): readonly string[] {
    const read: Parameters<typeof readConfig>[1] = (reader) => readRpcServer(reader, "scim", { port: 9104, callers: ["gateway"] });
    return (readConfig(record, read) as { callers: readonly string[] }).callers;
  }
  expect(callers({})).toEqual(["gateway", "operator"]);
  expect(callers({ HEDDLE_SCIM_CALLERS: "mailer", HEDDLE_OPERATORS: "ann,bob" })).toEqual(["mailer", "ann", "bob"]);
});

test("a certificate without its key is a problem, said once", () => {
  const read: Parameters<typeof readConfig>[1] = (reader) => ({ a: readPeer(reader, "profile"), b: readOptionalPeer(reader, "profile") });
  expect(problems({ ...all, ...files("HEDDLE_RPC", ["ca", "cert"]) }, read)).toEqual(["HEDDLE_RPC_TLS_KEY"]);
  expect(problems({ ...all, ...files("HEDDLE_RPC", ["ca", "cert", "gone"]), HEDDLE_RPC_TLS_KEY: join(folder, "gone") }, read))
    .toEqual(["HEDDLE_RPC_TLS_KEY"]);
});

test("servers are trusted by an authority, and shown a certificate where there is one", () => {
  const record = {
    HEDDLE_NATS_URL: "nats://n:4222",
    HEDDLE_CASSANDRA_CONTACT_POINTS: "c",
    HEDDLE_CASSANDRA_DATACENTER: "d",
    ...files("HEDDLE_NATS", ["ca", "cert", "key"]),
    ...files("HEDDLE_CASSANDRA", ["ca"]),
  };
  const config = readConfig(record, (reader) => ({
    streams: readStreams(reader),
    events: readEvents(reader),
    store: readStore(reader, "messaging-status"),
  }));
  expect(config.streams.nats.tls).toEqual(tls);
  expect(config.events).toMatchObject({ name: "heddle_events", tls });
  expect(config.store).toMatchObject({ keyspace: "heddle_messaging_status", cassandra: { tls: { ca: "the ca" } } });
});

test("RPCs without certificates are served beyond this machine only where that is said by name", () => {
  const read: Parameters<typeof readConfig>[1] = (reader) => ({
    part: readRpcServer(reader, "profile", { port: 9101, callers: ["gateway"] }),
    one: readOptionalRpcServer(reader),
  });
  for (const host of ["127.0.0.1", "localhost", "::1"]) {
    expect(problems({ HEDDLE_PROFILE_RPC_HOST: host, HEDDLE_RPC_HOST: host, HEDDLE_RPC_PORT: "0" }, read)).toEqual([]);
  }
  for (const host of ["0.0.0.0", "::", "10.1.2.3"]) {
    const part = { HEDDLE_PROFILE_RPC_HOST: host };
    const one = { HEDDLE_RPC_HOST: host, HEDDLE_RPC_PORT: "0" };
    for (const record of [part, one]) {
      expect(problems(record, read)).toEqual(["HEDDLE_RPC_INSECURE"]);
      expect(problems({ ...record, HEDDLE_RPC_INSECURE: "true" }, read)).toEqual(["HEDDLE_RPC_INSECURE"]);
      expect(problems({ ...record, HEDDLE_RPC_INSECURE: "private-network" }, read)).toEqual([]);
      expect(problems({ ...record, ...files("HEDDLE_RPC", ["ca", "cert", "key"]) }, read)).toEqual([]);
    }
    // What is not served needs nothing
    expect(problems({ HEDDLE_RPC_HOST: host }, read)).toEqual([]);
  }
});
