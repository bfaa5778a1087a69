/** heddle backup beside a running server, and what heddle restore makes of it. Of one process: see mesh-move.test.ts for the mesh. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { startHeddle } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite();
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-backup-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a copy that is made under load has all that was answered before it, and serves as the first did", { timeout: 60_000 }, async () => {
  const ids = Array.from({ length: 20 }, () => fresh());
  for (const id of ids) await suite.track({ attributes: [{ external_id: id, color: "red" }], events: [eventOf(id)] });
  const load = { over: false };
  const loading = (async () => {
    while (!load.over) await suite.heddle.request("POST", "/users/track", { events: [eventOf("busy")] });
  })();
  const file = join(folder, "copy.db");
  const made = await runCommand(["backup", file], suite.heddle.commandEnv);
  load.over = true;
  await loading;
  expect(made.code, made.errors).toBe(0);
  const dataDir = join(folder, "restored");
  expect(await runCommand(["restore", file, "--data-dir", dataDir])).toMatchObject({ code: 0 });
  const again = await startHeddle({ dataDir });
  const [before, after] = await Promise.all(
    [suite.heddle, again].map((heddle) => heddle.request("POST", "/users/export/ids", { external_ids: ids })),
  );
  expect(after?.body.users).toHaveLength(ids.length);
  expect(after?.body.users).toEqual(before?.body.users);
  expect(await again.close()).toBe(0);
});

test("heddle backup and restore overwrite nothing, and take nothing for a copy that is none", async () => {
  const file = join(folder, "text.db");
  writeFileSync(file, "no database at all, but long enough to be taken for one ".repeat(100));
  expect(await runCommand(["backup", file], suite.heddle.commandEnv)).toMatchObject({
    code: 1,
    errors: expect.stringContaining("is there already"),
  });
  const dataDir = join(folder, "never");
  expect(await runCommand(["restore", file, "--data-dir", dataDir])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("no sound copy"),
  });
  expect(existsSync(dataDir)).toBe(false);
  const copy = join(folder, "sound.db");
  await runCommand(["backup", copy], suite.heddle.commandEnv);
  const onto = await runCommand(["restore", copy], suite.heddle.commandEnv);
  expect(onto.code).toBe(1);
});

function eventOf(external_id: string): object {
  return { external_id, name: "e", time: "2026-03-01T12:00:00Z" };
}
