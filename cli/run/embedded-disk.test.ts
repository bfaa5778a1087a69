/** Heddle in one process whose disk fails: what only a restart ends is said where readiness is asked. */
import type * as fs from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseDeclaration } from "../../gateway/access/declaration/declaration.ts";
import { declare } from "../../gateway/access/declare/declare.ts";
import { readConfig } from "../../platform/config.ts";
import { silentLogger } from "../../platform/logger.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { demoDeclaration, demoKey } from "../../test/declaration.ts";
import { openEmbedded } from "./embedded.ts";
import { readStartConfig } from "../target/start-config.ts";

const disk = vi.hoisted(() => ({ fails: false }));

vi.mock("node:fs", async (original) => {
  const real = await original<typeof fs>();
  function fdatasync(file: number, done: (error: Error | null) => void): void {
    if (disk.fails) done(new Error("planted"));
    else real.fdatasync(file, done);
  }
  return { ...real, fdatasync };
});

interface Started {
  readonly url: string;
  readonly database: Database;
}

async function start(): Promise<Started> {
  const dataDir = mkdtempSync(join(tmpdir(), "heddle-disk-"));
  const config = readConfig({ HEDDLE_DATA_DIR: dataDir, HEDDLE_HTTP_PORT: "0" }, readStartConfig);
  const opened = Promise.withResolvers<Database>();
  const heddle = await openEmbedded(config, silentLogger, async (access, database) => {
    await declare(access, parseDeclaration(demoDeclaration));
    opened.resolve(database);
  });
  onTestFinished(async () => {
    disk.fails = false;
    await heddle.close();
    rmSync(dataDir, { recursive: true });
  });
  return { ...await heddle.listen(), database: await opened.promise };
}

test("a disk that failed is named where readiness is asked, also where no part has anything to do", async () => {
  const { url, database } = await start();
  async function readiness(): Promise<unknown> {
    const answer = await fetch(`${url}/readyz`);
    return [answer.status, (await answer.json() as { message: string }).message];
  }
  await expect.poll(readiness).toEqual([200, "success"]);
  disk.fails = true;
  await database.write(() => {}, { repeatable: true });
  await expect(database.durable()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  disk.fails = false;
  const headers = { authorization: `Bearer ${demoKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ attributes: [{ external_id: "ann", color: "red" }] });
  expect((await fetch(`${url}/users/track`, { method: "POST", headers, body })).status).toBe(503);
  expect(await readiness()).toEqual([503, "store: The disk failed: restart once it is well"]);
});
