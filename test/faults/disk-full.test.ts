/** A full disk: writes are refused in words, reads go on, nothing answered is lost, and it ends when there is room again. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startHeddle } from "../heddle.ts";
import type { Heddle } from "../heddle.ts";
import { fresh } from "../suite.ts";

const place = mountSmallDisk();

test("a full disk refuses writes with 503 or 507, keeps reads, and takes writes again when there is room", async ({ skip }) => {
  if (place === undefined) return skip("Only root can mount the small disk that this test fills");
  const heddle = await startHeddle({ dataDir: join(place, "data") });
  try {
    const acked = [await write(heddle)].flatMap(({ id, status }) => status === 201 ? [id] : []);
    expect(acked).toHaveLength(1);
    fillUp(join(place, "filler"));
    const refused = await writeUntilRefused(heddle, acked);
    expect([503, 507], refused.text).toContain(refused.status);
    expect(refused.message).toMatch(/\S/);
    const read = await heddle.request("POST", "/users/export/ids", { external_ids: acked.slice(0, 1) });
    expect(read.body.users, read.text).toHaveLength(1);
    rmSync(join(place, "filler"));
    await expect.poll(async () => (await write(heddle)).status, { timeout: 5_000, interval: 100 }).toBe(201);
    await heddle.restart("SIGKILL");
    expect(await missing(heddle, acked)).toEqual([]);
  } finally {
    await heddle.close();
    execFileSync("umount", ["-l", place]);
    rmdirSync(place);
  }
});

async function write(heddle: Heddle) {
  const id = fresh();
  const big = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`a${at}`, "x".repeat(250)]));
  const answer = await heddle.request("POST", "/users/track", { attributes: [{ external_id: id, ...big }] });
  return { id, status: answer.status, text: answer.text, message: answer.body.message };
}

async function writeUntilRefused(heddle: Heddle, acked: string[]) {
  for (let sent = 0; sent < 5_000; sent += 1) {
    const outcome = await write(heddle);
    if (outcome.status !== 201) return outcome;
    acked.push(outcome.id);
  }
  throw new Error("The disk did not become full");
}

async function missing(heddle: Heddle, ids: readonly string[]): Promise<string[]> {
  const lost: string[] = [];
  for (let at = 0; at < ids.length; at += 50) {
    const read = await heddle.request("POST", "/users/export/ids", {
      external_ids: ids.slice(at, at + 50),
      fields_to_export: ["external_id"],
    });
    lost.push(...read.body.invalid_user_ids ?? []);
  }
  return lost;
}

/** Takes all room that is left; the last write fails. */
function fillUp(path: string): void {
  const block = Buffer.alloc(64 * 1024);
  try {
    for (let written = 0; written < 1024; written += 1) writeFileSync(path, block, { flag: "a" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}

function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "heddle-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=32m", "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmdirSync(folder);
    return undefined;
  }
}
