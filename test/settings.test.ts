/** The settings in the documents against those that the code reads: every one has a row, every row is read, and defaults are those of the code. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readMeshGatewayConfig } from "../cli/run/serve-gateway.ts";
import { readStartConfig } from "../cli/target/start-config.ts";
import { type ConfigReader, type ConfigRecord, readConfig } from "../platform/config.ts";
import { readMeshPart } from "../platform/mesh-config.ts";
import { readMeshContentConfig } from "../services/content/mesh-wire.ts";
import { readMeshProfileConfig } from "../services/profile/mesh-config.ts";
import { readMeshScimConfig } from "../services/scim/mesh-wire.ts";

const root = resolve(import.meta.dirname, "..");
const rows = ["README.md", "docs/mesh.md", "docs/observability.md"].flatMap(rowsOf);
const documented = new Set(rows.flatMap(({ names }) => names));

/** Without these nothing is read, or less than all. */
const given = {
  HEDDLE_CASSANDRA_CONTACT_POINTS: "10.0.0.3",
  HEDDLE_CASSANDRA_DATACENTER: "datacenter1",
  HEDDLE_CONTENT_URL: "http://10.0.0.1:9105",
  HEDDLE_MESSAGING_STATUS_URL: "http://10.0.0.1:9103",
  HEDDLE_NATS_URL: "nats://10.0.0.1:4222",
  HEDDLE_PROFILE_URL: "http://10.0.0.1:9101",
  HEDDLE_REDIS_URL: "redis://10.0.0.2:6379",
  HEDDLE_RPC_PORT: "0",
  HEDDLE_SCIM_URL: "http://10.0.0.1:9104",
  HEDDLE_SUBSCRIPTION_URL: "http://10.0.0.1:9102",
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://10.0.0.1:4318",
};

/** Read by `heddle migrate`, beyond the loopback, or where an authority is given. */
const readElsewhere = /^HEDDLE_(CASSANDRA_REPLICATION|RPC_INSECURE|(NATS|CASSANDRA|REDIS)_TLS_KEY)$/;

test("every setting that is read has a row, and every row is read", () => {
  const read = new Set<string>();
  readAll(
    new Proxy<ConfigRecord>(given, {
      getOwnPropertyDescriptor(target, key) {
        read.add(
          String(key).replace(/^HEDDLE_(?:SUBSCRIPTION|MESSAGING_STATUS|SCIM|CONTENT)_(KEYSPACE|RPC_|CALLERS)/, "HEDDLE_PROFILE_$1"),
        );
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    }),
  );
  expect([...read].filter((name) => !documented.has(name))).toEqual([]);
  expect([...documented].filter((name) => !read.has(name) && !readElsewhere.test(name))).toEqual([]);
});

test("a default that a row names is that of the code", () => {
  const defaults = Object.fromEntries(rows.flatMap(({ names, values }) => {
    if (names.length === 1 && values.length > 0) return [[names[0] ?? "", values.join(",")]];
    return names.length === values.length ? names.map((name, at) => [name, values[at] ?? ""]) : [];
  }));
  expect(Object.keys(defaults).length).toBeGreaterThan(25);
  expect(readAll({ ...given, ...defaults })).toEqual(readAll(given));
});

test("what docs/mesh.md sets to run the mesh is all that its parts ask for", () => {
  const [, block = ""] = /^## Run it$.*?^```sh\n(.*?)^```$/ms.exec(readFileSync(join(root, "docs/mesh.md"), "utf8")) ?? [];
  const lines = block.split("\n");
  const exported = settingsIn(lines.filter((line) => line.startsWith("export ")).join("\n"));
  function settingsOf(part: string): ConfigRecord {
    return { ...exported, ...settingsIn(lines.find((line) => line.includes(` serve ${part}`)) ?? "") };
  }
  expect(readConfig(settingsOf("profile"), readMeshProfileConfig)).toMatchObject({ rpc: { host: "10.0.1.1" } });
  expect(readConfig(settingsOf("gateway"), readMeshGatewayConfig)).toMatchObject({ gateway: { host: "0.0.0.0" } });
});

function settingsIn(text: string): ConfigRecord {
  return Object.fromEntries([...text.matchAll(/\b(HEDDLE_\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]));
}

function readAll(record: ConfigRecord): object {
  const mesh = readConfig(record, (reader: ConfigReader) => ({
    gateway: readMeshGatewayConfig(reader),
    profile: readMeshProfileConfig(reader),
    consent: ["subscription", "messaging-status"].map((part) => readMeshPart(reader, part, { port: 0, callers: [] })),
    scim: readMeshScimConfig(reader),
    content: readMeshContentConfig(reader),
  }));
  return { mesh, start: readConfig(record, readStartConfig) };
}

interface Row {
  readonly names: readonly string[];
  /** In the column `default`; none where the table has no such column, or it depends on another setting or the process. */
  readonly values: readonly string[];
}

function rowsOf(path: string): Row[] {
  let hasDefaults = false;
  return readFileSync(join(root, path), "utf8").split("\n").flatMap((line) => {
    const [, first = "", second = ""] = line.split(/ *(?<!\\)\| */);
    if (first === "environment") hasDefaults = second === "default";
    if (!/^`(HEDDLE|OTEL)_/.test(first)) return [];
    const values = hasDefaults ? [...second.matchAll(/`([^`]*)`/g)].map(([, value = ""]) => value) : [];
    const isOfAnother = values.some((value) => /^HEDDLE_|<part>|^heddle start$/.test(value));
    return { names: namesIn(first), values: isOfAnother ? [] : values };
  });
}

/** `HEDDLE_NATS_USER`, `_PASSWORD`: the second is HEDDLE_NATS_PASSWORD. */
function namesIn(cell: string): string[] {
  const names: string[] = [];
  for (const [, name = ""] of cell.matchAll(/`([A-Z_]+)`/g)) {
    names.push(name.startsWith("_") ? (names.at(-1) ?? "").replace(/_[A-Z]+$/, name) : name);
  }
  return names;
}
