/** heddle log status beside no server: how far the lanes of consent are behind, as their folder says it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { putLaneMessage } from "../platform/lane/sqlite.ts";
import { packRecords } from "../platform/log/packed-records.ts";
import { runCommand } from "../test/command-line.ts";
import { launchHeddle } from "../test/heddle-process.ts";
import { databaseFile } from "./data-folder.ts";

test("messages that no process has applied stand in the row of their lane", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-lags-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const args = [resolve(import.meta.dirname, "heddle.mjs"), "start"];
  const env = { HEDDLE_DATA_DIR: join(folder, "data"), HEDDLE_HTTP_PORT: "0" };
  const server = await launchHeddle({ program: process.execPath, args, folder, env });
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  const database = new DatabaseSync(join(env.HEDDLE_DATA_DIR, databaseFile));
  for (let count = 0; count < 3; count += 1) database.prepare(putLaneMessage).run("subscription", packRecords([Uint8Array.of(1)]));
  database.close();
  const { output, errors } = await runCommand(["log", "status", "--json"], env);
  expect(JSON.parse(output), errors).toMatchObject({
    lags: [{ lane: "intake-0", records: 0 }, { lane: "subscription", records: 3 }, { lane: "messaging-status" }],
  });
  expect((await runCommand(["log", "status"], env)).output).toMatch(/^intake-0 +0[^]*^subscription +3/m);
});
