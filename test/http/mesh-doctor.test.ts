/** heddle doctor before the servers of the mesh. */
import { env } from "node:process";
import { expect, test } from "vitest";
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
