/** What heddle start says of a data folder that it must not touch, and of a port that it cannot have: a sentence, and nothing to be reported. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { openDatabase } from "../../platform/sqlite/database.ts";
import { migrate } from "../../platform/sqlite/migrate.ts";
import { outcomeOf, runCommand } from "../../test/command-line.ts";
import { denoStart } from "../../test/deno-start.ts";
import { repository } from "../../test/heddle.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-refused-"));

afterAll(() => rmSync(folder, { recursive: true }));

function heddle(args: readonly string[], dataDir: string, variables: Readonly<Record<string, string>> = {}) {
  return runCommand(args, { HEDDLE_DATA_DIR: dataDir, HEDDLE_HTTP_PORT: "0", HEDDLE_LOG_LEVEL: "silent", ...variables });
}

async function onDeno(args: readonly string[], dataDir: string) {
  const variables = { HEDDLE_DATA_DIR: dataDir, HEDDLE_HTTP_PORT: "0", HEDDLE_LOG_LEVEL: "silent" };
  const { program, args: words } = denoStart({ repository, dataDir, rest: args, env: variables });
  return await outcomeOf(spawn(program, words, { cwd: repository, env: { PATH: process.env["PATH"], NO_COLOR: "1", ...variables } }));
}

test("a folder with tables of a newer build, by start and by commands", async () => {
  const dataDir = join(folder, "newer");
  mkdirSync(dataDir);
  const database = openDatabase({ path: join(dataDir, "heddle.db") });
  await migrate(database, "documents", Array.from({ length: 99 }, () => "SELECT 1"));
  await database.close();
  for (const args of [["start"], ["keys", "list"]]) {
    expect(await heddle(args, dataDir)).toEqual({
      code: 1,
      output: "",
      errors: expect.stringMatching(/^The tables of "documents" have version 99, this build knows \d+: start a newer build\n$/),
    });
  }
});

test("changes that lie there without their database", async () => {
  const dataDir = join(folder, "left-over");
  const wal = join(dataDir, "heddle.db-wal");
  mkdirSync(dataDir);
  writeFileSync(wal, "changes");
  expect(await heddle(["start"], dataDir)).toEqual({
    code: 1,
    output: "",
    errors: expect.stringMatching(/^".*heddle\.db-wal" has changes of a database that was here, .* or move the file away\n$/),
  });
  expect(readFileSync(wal, "utf8")).toBe("changes");
});

test.each([["Node", heddle], ["Deno", onDeno]] as const)("a database that is damaged, on %s", { timeout: 60_000 }, async (runtime, run) => {
  const dataDir = join(folder, `${runtime}-damaged`);
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "heddle.db"), "no database ".repeat(1_000));
  expect(await run(["start"], dataDir)).toEqual({
    code: 1,
    output: "",
    errors: expect.stringMatching(/^Cannot use the data folder ".*damaged": .*not a database\. .*restore a backup .*check the disk\n$/),
  });
});

test.each(
  [
    ["Node", heddle],
    ["Deno", onDeno],
  ] as const,
)("a database that another program keeps locked, on %s", { timeout: 60_000 }, async (runtime, run) => {
  const dataDir = join(folder, `${runtime}-locked`);
  mkdirSync(dataDir);
  const other = new DatabaseSync(join(dataDir, "heddle.db"));
  other.exec("CREATE TABLE t (a); BEGIN EXCLUSIVE");
  const { code, errors } = await run(["start"], dataDir);
  other.close();
  expect(errors).toMatch(/^Cannot use the data folder ".*locked": .*locked\. Another program has its database open: .*\n$/);
  expect(code).toBe(1);
});

test("a folder that this user may not write", ({ skip }) => {
  if (asAnother(["--version"]).status !== 0) return skip("Another user cannot read these sources");
  const dataDir = join(folder, "not-writable");
  mkdirSync(dataDir);
  for (const path of [folder, dataDir]) chmodSync(path, 0o555);
  const { status, stderr } = asAnother(["start"], { HEDDLE_DATA_DIR: dataDir, HEDDLE_HTTP_PORT: "0" });
  for (const path of [folder, dataDir]) chmodSync(path, 0o700);
  expect(stderr).toMatch(/^Cannot use the data folder ".*not-writable": EACCES: .* set HEDDLE_DATA_DIR\n$/);
  expect(status).toBe(1);
});

test("a database that cannot be opened, by commands", async () => {
  const dataDir = join(folder, "no-file");
  mkdirSync(join(dataDir, "heddle.db"), { recursive: true });
  expect(await heddle(["keys", "list"], dataDir)).toEqual({
    code: 1,
    output: "",
    errors: expect.stringMatching(/^Cannot open the database ".*heddle\.db": EISDIR: .*\n$/),
  });
});

test.runIf(existsSync("/proc/self"))("a folder that cannot be made", async () => {
  const { code, errors } = await heddle(["start"], "/proc/heddle/data");
  expect([code, errors]).toEqual([1, expect.stringContaining('Cannot use the data folder "/proc/heddle/data": ENOENT')]);
});

test.each(["HEDDLE_HTTP", "HEDDLE_RPC", "HEDDLE_METRICS"])("the port of %s that is in use", async (variable) => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  const { port } = other.address() as { port: number };
  const { code, errors } = await heddle(["start"], join(folder, `port-of-${variable}`), { [`${variable}_PORT`]: String(port) });
  await new Promise((done) => other.close(done));
  expect(code).toBe(1);
  expect(errors).toMatch(new RegExp(`^Port ${port} of 127.0.0.1 is in use: .*${variable}_PORT.*\n$`));
});

/** Root may write everywhere, so then it is somebody else who tries. */
function asAnother(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const command = resolve(import.meta.dirname, "../heddle.mjs");
  return spawnSync(process.execPath, [command, ...args], { ...user, env: { NO_COLOR: "1", ...variables }, encoding: "utf8" });
}
