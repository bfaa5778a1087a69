/** Access over SQLite: the contract, and what only a file promises. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import { describeAccess } from "./access-contract.ts";
import { parseDeclaration } from "../declaration/declaration.ts";
import { declare } from "../declare/declare.ts";
import { earlierTables } from "./earlier-tables.ts";
import { digestOf } from "../secret.ts";
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
  expect(database.prepare("SELECT value ->> 'name' AS name FROM documents").all()).toContainEqual({ name: "acme" });
  access.close();
  await database.close();
});

test("openAccess() takes over the tables of the build before, each row as it was", async () => {
  const database = openDatabase({ path: ":memory:" });
  await migrate(database, "access", earlierTables.slice(0, -1));
  database.handle.exec(`
    INSERT INTO access_companies VALUES ('c', 'acme', '2021-01-02', '{"scim":9}');
    INSERT INTO access_workspaces VALUES ('w', 'c', 'demo', '{"kind":"standard"}', '{"EUR":"1.08"}', '[{"id":"a","name":"Wéb"}]', '{"track":5}',
      '["https://x.example"]');
    INSERT INTO access_keys VALUES ('k', 'w', 'web', '["*"]', '["10.0.0.0/8"]', '${digestOf("a-key-clients-already-have")}', 7, NULL);
    INSERT INTO access_keys VALUES ('k2', 'w', 'gone', '[]', '[]', 'd2', 8, 9);
    INSERT INTO access_scim_tokens VALUES ('t', 'c', 'idp', 'okta', '[]', 'd3', 5, NULL, 'optional', 'w', 'optional');
    INSERT INTO access_declared VALUES ('w', 'team', 'team-1', '{"name":"sales"}');
  `);
  const access = await openAccess({ database, clock: fakeClock() });
  const key = {
    id: "k",
    name: "web",
    ipAllow: ["10.0.0.0/8"],
    digest: digestOf("a-key-clients-already-have"),
    createdAt: 7,
    revokedAt: null,
  };
  const holder = { ipAllow: [], revokedAt: null };
  expect(access.rows()).toEqual({
    companies: [{ id: "c", name: "acme", onboardedAt: "2021-01-02", limits: { scim: 9 } }],
    workspaces: [{
      id: "w",
      companyId: "c",
      name: "demo",
      plan: { kind: "standard" },
      currencyRates: { EUR: "1.08" },
      apps: [{ id: "a", name: "Wéb" }],
      corsOrigins: ["https://x.example"],
      limits: { track: 5 },
    }],
    keys: [
      { ...key, workspaceId: "w", permissions: ["*"] },
      { ...holder, id: "k2", name: "gone", digest: "d2", createdAt: 8, revokedAt: 9, workspaceId: "w", permissions: [] },
    ],
    tokens: [{
      ...holder,
      id: "t",
      name: "idp",
      digest: "d3",
      createdAt: 5,
      companyId: "c",
      origin: "okta",
      originHeader: "optional",
      permissionsOnCreate: "optional",
      defaultWorkspaceId: "w",
    }],
    declared: [{ workspaceId: "w", kind: "team", id: "team-1", content: { name: "sales" } }],
  });
  expect(access.findApiKey("a-key-clients-already-have")?.key.id).toBe("k");
  access.close();
  await database.close();
});
