/** What is said where a data folder is not at rest: what only a server has to apply, and what waits for a human. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { beginSqliteLogAbove } from "../../../platform/log/sqlite.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { folderSide } from "./move-sides.ts";
import { backupWorkspace } from "./move.ts";

const unapplied = "UPDATE log_tails SET sequence = sequence + 1";
const deadLetter = "INSERT INTO profile_set_aside (log_partition, sequence, reason, body) VALUES (0, 1, 'none', x'')";

/** What a backup of one workspace says of a database with this in it. */
async function saidOf(...statements: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-waiting-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "heddle.db");
  const database = openDatabase({ path });
  await folderSide(database);
  await beginSqliteLogAbove(database, 0, 1);
  await database.write(() => statements.forEach((sql) => database.prepare(sql).run()));
  await database.close();
  return await backupWorkspace(join(folder, "one.db"), path, { workspace: "demo" }).then(() => "", (error: unknown) => String(error));
}

test("records that a server would apply: it is to run until they are, as nothing can be redriven", async () => {
  const said = await saidOf(unapplied);
  expect(said).toMatch(
    /1 records of the log are not applied: .*start one until heddle log status shows nothing behind.* and back up again$/,
  );
  expect(said).not.toContain("redrive");
});

test("dead letters: they are to be redriven or passed over", async () => {
  const said = await saidOf(deadLetter);
  expect(said).toMatch(/1 dead letters wait: see heddle log status; .* redrive it or pass over it first$/);
  expect(said).not.toContain("start one");
});

test("both at once are both said", async () => {
  const said = await saidOf(unapplied, deadLetter);
  expect(said).toMatch(/are not applied: .*\n1 dead letters wait: /);
});
