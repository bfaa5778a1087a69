/** Access over SQLite: the contract, and what only a file promises. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { fakeClock } from "../../platform/clock.fixture.ts";
import { openDatabase } from "../../platform/sqlite/database.ts";
import { describeAccess } from "./access-contract.ts";
import { parseDeclaration } from "./declaration.ts";
import { declare } from "./declare.ts";
import { openAccess } from "./sqlite.ts";

describeAccess("SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-access-"));
  const path = join(folder, "heddle.db");
  const clock = fakeClock();
  const opened: { close(): void | Promise<void> }[] = [];
  const databases: ReturnType<typeof openDatabase>[] = [];
  return {
    clock,
    async open() {
      const database = openDatabase({ path });
      const access = await openAccess({ database, clock });
      databases.push(database);
      opened.push(database, access);
      return access;
    },
    async atRest() {
      databases[0]?.handle.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return readFileSync(path, "latin1");
    },
    async lose() {
      for (const database of databases.splice(0)) await database.close();
    },
    async dispose() {
      for (const one of opened.reverse()) await one.close();
      rmSync(folder, { recursive: true });
    },
  };
});

test("openAccess() makes its tables in a database that other parts share", async () => {
  const database = openDatabase({ path: ":memory:" });
  const access = await openAccess({ database, clock: fakeClock() });
  await declare(access, parseDeclaration("companies: [{ name: acme, workspaces: [] }]"));
  expect(database.prepare("SELECT name FROM access_companies").get()).toEqual({ name: "acme" });
  access.close();
  await database.close();
});
