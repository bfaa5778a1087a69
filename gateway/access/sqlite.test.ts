/** Access over SQLite: what is kept, who is found, and how soon another process's change is seen. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";

import { fakeClock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import { openDatabase } from "../../platform/sqlite/database.ts";
import { parseDeclaration } from "./declaration.ts";
import { declare } from "./declare.ts";
import { createKey, revokeKey, rotateKey } from "./keys.ts";
import { openAccess } from "./sqlite.ts";

const opened: { close(): void | Promise<void> }[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const file = `
companies:
  - name: acme
    scimTokens: [{ name: idp, origin: okta, secret: a-token-we-already-hand-out }]
    workspaces:
      - { name: demo, id: ws-demo, apiKeys: [{ name: all, permissions: ["*"], secret: a-key-clients-already-have }] }
`;

async function openOn(path: string, clock = fakeClock()) {
  const database = openDatabase({ path });
  const access = await openAccess({ database, clock });
  opened.push(database, access);
  return { database, access, clock };
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-access-"));
  folders.push(folder);
  return join(folder, "heddle.db");
}

test("findApiKey() finds a declared secret with its workspace and company, and nothing for another text", async () => {
  const { access } = await openOn(":memory:");
  await declare(access, parseDeclaration(file));
  const holder = access.findApiKey("a-key-clients-already-have");
  expect(holder?.workspace.id).toBe("ws-demo");
  expect(holder?.company.name).toBe("acme");
  expect(holder?.key.permissions).toEqual(["*"]);
  for (const wrong of ["", "a-key-clients-already-hav", "A-KEY-CLIENTS-ALREADY-HAVE", "a-token-we-already-hand-out", "__proto__"]) {
    expect(access.findApiKey(wrong)).toBeUndefined();
  }
  expect(access.findScimToken("a-token-we-already-hand-out")?.token.origin).toBe("okta");
  expect(access.workspace("ws-demo")?.name).toBe("demo");
});

test("openAccess() keeps no secret in any file, only its SHA-256", async () => {
  const path = newFile();
  const { database, access } = await openOn(path);
  await declare(access, parseDeclaration(file));
  const { secret } = await createKey(access, { workspaceId: "ws-demo", name: "made", permissions: ["users.track"], ipAllow: [] });
  database.handle.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const bytes = readFileSync(path, "latin1");
  expect(bytes).toContain("ws-demo");
  for (const hidden of [secret, "a-key-clients-already-have", "a-token-we-already-hand-out"]) expect(bytes).not.toContain(hidden);
});

test("openAccess() sees what another connection wrote within the refresh time, also a revocation", async () => {
  const path = newFile();
  const server = await openOn(path);
  const command = await openOn(path, fakeClock());
  await declare(command.access, parseDeclaration(file));
  expect(server.access.findApiKey("a-key-clients-already-have")).toBeUndefined();
  server.clock.advance(limits.accessRefreshMs);
  const holder = server.access.findApiKey("a-key-clients-already-have");
  expect(holder).toBeDefined();
  await revokeKey(command.access, holder?.key.id ?? "");
  server.clock.advance(limits.accessRefreshMs);
  expect(server.access.findApiKey("a-key-clients-already-have")).toBeUndefined();
  expect(limits.accessRefreshMs).toBeLessThan(1000);
});

test("openAccess() serves the last known set while the store is away", async () => {
  const { access, clock, database } = await openOn(":memory:");
  await declare(access, parseDeclaration(file));
  await database.close();
  clock.advance(limits.accessRefreshMs * 4);
  expect(access.findApiKey("a-key-clients-already-have")).toBeDefined();
});

test("close() stops looking for changes", async () => {
  const path = newFile();
  const server = await openOn(path);
  const command = await openOn(path);
  server.access.close();
  await declare(command.access, parseDeclaration(file));
  server.clock.advance(limits.accessRefreshMs * 4);
  expect(server.access.findApiKey("a-key-clients-already-have")).toBeUndefined();
});

test("createKey() makes a key with our prefix that works at once, and refuses a name twice", async () => {
  const { access } = await openOn(":memory:");
  await declare(access, parseDeclaration(file));
  const wanted = { workspaceId: "ws-demo", name: "web", permissions: ["users.track"], ipAllow: ["10.0.0.0/8"] };
  const { key, secret } = await createKey(access, wanted);
  expect(secret).toMatch(/^hdl_[0-9A-Za-z]{36}$/);
  expect(access.findApiKey(secret)?.key).toEqual(key);
  expect(access.findApiKey(`${secret.slice(0, -1)}${secret.endsWith("a") ? "b" : "a"}`)).toBeUndefined();
  await expect(createKey(access, wanted)).rejects.toThrow(/named "web" already/);
  await expect(createKey(access, { ...wanted, workspaceId: "none" })).rejects.toThrow(/No workspace/);
});

test("rotateKey() lets the old key live for the overlap and no longer", async () => {
  const { access, clock } = await openOn(":memory:");
  await declare(access, parseDeclaration(file));
  const first = await createKey(access, { workspaceId: "ws-demo", name: "web", permissions: ["users.track"], ipAllow: ["::1"] });
  const second = await rotateKey(access, first.key.id, 60_000);
  expect(second.key).toMatchObject({ name: "web", permissions: ["users.track"], ipAllow: ["::1"] });
  clock.advance(59_999);
  expect(access.findApiKey(first.secret)).toBeDefined();
  clock.advance(1);
  expect(access.findApiKey(first.secret)).toBeUndefined();
  expect(access.findApiKey(second.secret)).toBeDefined();
  const third = await rotateKey(access, second.key.id);
  clock.advance(600_000);
  expect(access.findApiKey(second.secret)).toBeDefined();
  await revokeKey(access, second.key.id);
  expect(access.findApiKey(second.secret)).toBeUndefined();
  expect(access.findApiKey(third.secret)).toBeDefined();
  await expect(rotateKey(access, second.key.id)).rejects.toThrow(/revoked/);
});

test("transact() writes all or nothing", async () => {
  const { access } = await openOn(":memory:");
  await declare(access, parseDeclaration(file));
  const before = access.rows();
  const company = { id: "c2", name: "other", onboardedAt: "2026-01-01" };
  const twin = { id: "c3", name: "acme", onboardedAt: "2026-01-01" };
  const writes = [{ put: "company", row: company }, { put: "company", row: twin }] as const;
  await expect(access.transact(() => ({ writes, result: undefined }))).rejects.toThrow(/exists already/);
  expect(access.rows()).toEqual(before);
});
