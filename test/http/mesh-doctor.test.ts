/** heddle doctor before the servers of the mesh. */
import process, { env } from "node:process";
import { expect, test } from "vitest";
import { connectJetStream } from "../../platform/log/jetstream-connection.ts";
import { createStream, deleteStream } from "../../platform/log/jetstream-stream.ts";
import { silentLogger } from "../../platform/logger.ts";
import { runCommand } from "../command-line.ts";

const settings: Record<string, string> = JSON.parse(env.HEDDLE_TEST_MESH ?? "{}");

test("heddle doctor finds the servers and the tables of the mesh well, and says what it could not ask", async () => {
  const { code, output, errors } = await runCommand(["doctor", "--json"], settings);
  expect(code, `${output}${errors}`).toBe(0);
  const findings = JSON.parse(output) as { check: string; level: string; text: string }[];
  const levels = new Map(findings.map(({ check, level }) => [check, level]));
  expect(Object.fromEntries(levels)).toMatchObject({
    "NATS": "ok",
    "NATS sync_interval": "warn",
    "Cassandra": "ok",
    "Cassandra copies": "warn",
    "Cassandra commitlog_sync": "ok",
    "Cassandra gc_grace_seconds": "ok",
    "heddle_profile": "ok",
    "Redis": "ok",
    "Redis maxmemory-policy": "ok",
    "Redis appendonly": "ok",
  });
});

test("heddle doctor names the server that is away", async () => {
  const away = { ...settings, HEDDLE_NATS_URL: "nats://127.0.0.1:1" };
  const { code, output } = await runCommand(["doctor"], away);
  expect(code).toBe(1);
  expect(output).toMatch(/^NATS +fail +could not be asked/m);
});

test("heddle doctor names a stream that was changed by hand so that no part would open it", async () => {
  const logName = `doctor_${process.pid}`;
  const connection = await connectJetStream({ servers: [settings["HEDDLE_NATS_URL"] ?? ""], logger: silentLogger });
  const name = `${logName}_intake`;
  try {
    await createStream(connection, { name, subjects: [`${name}.>`], max_age: 3_600e9 });
    const { code, output } = await runCommand(["doctor"], { ...settings, HEDDLE_LOG_NAME: logName });
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^${name} +fail +cannot be used: it has a max_age, which drops records silently;`, "m"));
  } finally {
    await deleteStream(connection, name);
    await connection.close();
  }
});
