/** The names of settings: what a server says of those that nothing reads, and what Deno may read. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type ConfigReader, keysOf } from "../../platform/config.ts";
import { silentLogger } from "../../platform/logger.ts";
import { startCommand } from "../../test/command-line.ts";
import { meshParts } from "./mesh-parts.ts";
import { readMeshGatewayConfig } from "../run/serve-gateway.ts";
import { warnOfMistyped } from "./settings.ts";
import { readStartConfig } from "./start-config.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Where no server listens. */
const nowhere = "127.0.0.1:9";
const mesh = {
  HEDDLE_NATS_URL: `nats://${nowhere}`,
  HEDDLE_CASSANDRA_CONTACT_POINTS: nowhere,
  HEDDLE_CASSANDRA_DATACENTER: "datacenter1",
  HEDDLE_REDIS_URL: `redis://${nowhere}`,
  HEDDLE_PROFILE_URL: `http://${nowhere}`,
};

test.each([
  {
    args: ["start", "--no-demo"],
    variables: { HEDDLE_DATA_DIR: folder, HEDDLE_HTTP_PORT: "0", HEDDLE_METRIC_PORT: "0" },
    meant: "METRICS_PORT",
  },
  { args: ["serve", "gateway"], variables: { ...mesh, HEDDLE_METRIC_PORT: "0" }, meant: "METRICS_PORT" },
  { args: ["serve", "profile"], variables: { ...mesh, HEDDLE_METRIC_PORT: "0" }, meant: "METRICS_PORT" },
])("heddle $args names a mistyped variable, and serves", async ({ args, variables, meant }) => {
  const { child, ended } = startCommand(args, variables);
  let printed = "";
  child.stderr?.on("data", (chunk) => printed += String(chunk));
  await expect.poll(() => printed).toMatch(/"event":"(listening|waiting)"/);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
  const lines = printed.split("\n").filter((line) => line.includes("settings_not_read"));
  const message = `The environment has HEDDLE_METRIC_PORT, which nothing reads: did you mean HEDDLE_${meant}?`;
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ level: "warn", message }]);
});

test("the settings of all parts may stand in the environment of each: none is taken for another", async () => {
  const readers: ((reader: ConfigReader) => object)[] = [readStartConfig, readMeshGatewayConfig];
  for (const load of meshParts.values()) {
    const { serve } = await load();
    await serve((read) => {
      readers.push(read);
      return Promise.resolve(0);
    });
  }
  const all = Object.fromEntries(readers.flatMap((read) => [...keysOf(read)]).map((key) => [key, "x"]));
  const ofCommands = {
    HEDDLE_URL: "x",
    HEDDLE_KEY: "x",
    HEDDLE_API_KEY: "x",
    HEDDLE_NATS_MONITOR_URL: "x",
    HEDDLE_CASSANDRA_REPLICATION: "x",
  };
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: (_event: string, fields?: object) => warned.push(fields) };
  for (const read of readers) warnOfMistyped({ ...all, ...ofCommands }, read, logger);
  expect(Object.keys(all).length).toBeGreaterThan(50);
  expect(warned).toEqual([]);
});

test("Deno is granted every setting of one process", () => {
  for (const file of ["deno.json", "cli/deno.mjs"]) {
    const text = readFileSync(join(import.meta.dirname, "../..", file), "utf8");
    expect([...keysOf(readStartConfig)].filter((name) => !new RegExp(`\\b${name}\\b`).test(text)), file).toEqual([]);
  }
});
