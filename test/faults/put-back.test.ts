/** A data folder whose file was put back from an older copy: no position and no id is given twice, and no answer says that a lost write is there. */
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { type Heddle, startHeddle } from "../heddle.ts";
import { fresh } from "../suite.ts";

interface Written {
  readonly position: string;
  readonly userId: unknown;
}

async function write(heddle: Heddle): Promise<Written> {
  const id = fresh();
  const answer = await heddle.request("POST", "/users/track", { attributes: [{ external_id: id, color: "red" }] });
  expect(answer.status).toBe(201);
  const position = answer.headers.get("x-heddle-position") ?? "";
  const { body } = await heddle.request("POST", "/users/export/ids", { external_ids: [id] }, {
    headers: { "x-heddle-position": position },
  });
  expect(body.users).toHaveLength(1);
  return { position, userId: body.users?.[0]?.["braze_id"] };
}

async function writeSome(heddle: Heddle, count = 5): Promise<Written[]> {
  const all: Written[] = [];
  for (let at = 0; at < count; at += 1) all.push(await write(heddle));
  return all;
}

async function readWith(heddle: Heddle, { position }: Written) {
  const { status, body } = await heddle.request("POST", "/users/export/ids", { external_ids: ["x"] }, {
    headers: { "x-heddle-position": position },
  });
  return [status, body.message];
}

async function placesOfEvents(heddle: Heddle): Promise<number[]> {
  const { code, output, errors } = await runCommand(["events", "--limit", "10000"], heddle.commandEnv);
  expect(code, errors).toBe(0);
  return output.split("\n").filter((line) => line !== "").map((line) => (JSON.parse(line) as { sequence: number }).sequence);
}

function expectApart(...all: readonly (readonly Written[])[]): void {
  const written = all.flat();
  expect(new Set(written.map(({ position }) => position)).size).toBe(written.length);
  expect(new Set(written.map(({ userId }) => userId)).size).toBe(written.length);
}

const refused = [400, expect.stringContaining("an earlier epoch of the log")];
const files = ["heddle.db", "heddle.db-wal", "heddle.db-shm"];

async function withFolder(work: (heddle: Heddle, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-put-back-"));
  const heddle = await startHeddle({ dataDir: join(folder, "data") });
  try {
    await work(heddle, folder);
  } finally {
    await heddle.close();
    rmSync(folder, { recursive: true });
  }
}

/** As one does by hand: what lies beside it stays. */
function putBack(folder: string): void {
  for (const file of files) rmSync(join(folder, "data", file), { force: true });
  for (const file of files) if (existsSync(join(folder, file))) cpSync(join(folder, file), join(folder, "data", file));
}

function keep(folder: string): void {
  for (const file of files) if (existsSync(join(folder, "data", file))) cpSync(join(folder, "data", file), join(folder, file));
}

test.each(["SIGTERM", "SIGKILL"] as const)("an older file that is put back under a server that ended by %s", async (signal) => {
  await withFolder(async (heddle, folder) => {
    const before = await writeSome(heddle);
    await heddle.stop();
    keep(folder);
    await heddle.restart();
    const lost = await writeSome(heddle);
    const told = await placesOfEvents(heddle);
    // What is noted while the server runs is noted once a second
    await expect.poll(async () => (await write(heddle)).position !== "" && existsSync(join(folder, "data/heddle.reach-noted"))).toBe(true);
    await heddle.kill(signal);
    putBack(folder);
    expect((await runCommand(["doctor"], heddle.commandEnv)).output).toMatch(/^log +warn +the database is older/m);
    await heddle.restart();
    const after = await writeSome(heddle);
    expectApart(before, lost, after);
    for (const one of [before[0], lost[0], lost[4]]) expect(await readWith(heddle, one ?? { position: "", userId: "" })).toEqual(refused);
    expect(await readWith(heddle, after[4] ?? { position: "", userId: "" })).toEqual([201, "success"]);
    const places = await placesOfEvents(heddle);
    expect(places.filter((place) => place > (told.at(-1) ?? 0)).length).toBeGreaterThanOrEqual(after.length);
    expect(heddle.output()).toContain("log_put_back");
    // From now on it is as any other folder
    await heddle.restart();
    expect(await readWith(heddle, after[4] ?? { position: "", userId: "" })).toEqual([201, "success"]);
    expectApart(before, lost, after, await writeSome(heddle));
  });
});

test("a server that is killed goes on in its epoch, whose positions stay good", async () => {
  await withFolder(async (heddle) => {
    const before = await writeSome(heddle);
    await heddle.restart("SIGKILL");
    expect(await readWith(heddle, before[4] ?? { position: "", userId: "" })).toEqual([201, "success"]);
    expectApart(before, await writeSome(heddle));
    expect(heddle.output()).not.toContain("log_put_back");
  });
});

test("a backup that is restored, twice too, begins behind what was given out since it was made", async () => {
  await withFolder(async (heddle, folder) => {
    const before = await writeSome(heddle);
    const file = join(folder, "backup.db");
    expect(await runCommand(["backup", file], heddle.commandEnv)).toMatchObject({ code: 0 });
    const lost = await writeSome(heddle);
    const all: Written[][] = [before, lost];
    for (const name of ["first", "second"]) {
      const dataDir = join(folder, name);
      expect(await runCommand(["restore", file, "--data-dir", dataDir])).toMatchObject({ code: 0 });
      const restored = await startHeddle({ dataDir });
      all.push(await writeSome(restored));
      expect(await readWith(restored, lost[4] ?? { position: "", userId: "" })).toEqual(refused);
      expect(await restored.close()).toBe(0);
    }
    expectApart(...all);
  });
});
