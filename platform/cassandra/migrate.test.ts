/** Tests of migrations over a session that knows the lock, the versions and what was created. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createKeyspace, currentVersion, migrate, type Migration, readMigrations, sealedBy } from "./migrate.ts";
import type { Row, Session, Statement } from "./session.ts";

const versions: Migration[] = [
  { version: 1, description: "one", statements: [table("a"), table("b")], digest: "d1" },
  { version: 2, description: "two", statements: ["ALTER TABLE a ADD IF NOT EXISTS c text", table("d")], digest: "d2" },
];
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

test("migrate() applies what is missing, in order, and nothing the second time", async () => {
  const { session, ran } = fakeSession();
  expect(await migrate({ session, migrations: versions.slice(0, 1), owner: "me" })).toEqual([1]);
  expect(await migrate({ session, migrations: versions, owner: "me" })).toEqual([2]);
  expect(ran).toEqual(versions.flatMap(({ statements }) => statements));
  expect(await migrate({ session, migrations: versions, owner: "me" })).toEqual([]);
  expect(ran).toHaveLength(4);
  expect(await currentVersion(session, versions)).toBe(2);
});

test("tables are sealed as they are made, or on demand, and builds before refuse them then", async () => {
  const sealing: Migration[] = [...versions, { version: 3, description: "three", statements: [table("e")], digest: "d3", seals: true }];
  const fresh = fakeSession().session;
  await migrate({ session: fresh, migrations: sealing, owner: "me" });
  expect([await sealedBy(fresh, sealing), await currentVersion(fresh, sealing)]).toEqual([3, 3]);
  await expect(currentVersion(fresh, versions)).rejects.toThrow("Version 1 of the tables was another one");
  const old = fakeSession().session;
  await migrate({ session: old, migrations: versions, owner: "me" });
  expect(await migrate({ session: old, migrations: sealing, owner: "me" })).toEqual([3]);
  expect([await sealedBy(old, sealing), await currentVersion(old, versions)]).toEqual([0, 3]);
  expect(await migrate({ session: old, migrations: sealing, owner: "me", seal: true })).toEqual([]);
  expect([await sealedBy(old, sealing), await currentVersion(old, sealing)]).toEqual([3, 3]);
  await expect(currentVersion(old, versions)).rejects.toThrow("Version 1 of the tables was another one");
});

test("a build that seals with a further version goes on with tables that were sealed by an earlier one", async () => {
  const third: Migration = { version: 3, description: "three", statements: [table("e")], digest: "d3", seals: true };
  const before = [...versions, third];
  const now = [...before, { ...third, version: 4, digest: "d4" }];
  const { session } = fakeSession();
  await migrate({ session, migrations: before, owner: "me" });
  expect(await migrate({ session, migrations: now, owner: "me" })).toEqual([4]);
  // What the fourth brought may not be used yet, and what the third did may still be
  expect(await sealedBy(session, now)).toBe(3);
  await migrate({ session, migrations: now, owner: "me", seal: true });
  expect(await sealedBy(session, now)).toBe(4);
  await expect(currentVersion(session, before)).rejects.toThrow("Version 1 of the tables was another one");
});

test("what only new tables are laid out for seals those alone, for good; older ones are used as they are, and by builds before", async () => {
  const any: Migration = { version: 3, description: "three", statements: [table("e")], digest: "d3", seals: true };
  const sealing: Migration[] = [...versions, any, { ...any, version: 4, digest: "d4", seals: "new" }];
  const [fresh, old] = [fakeSession().session, fakeSession().session];
  await migrate({ session: fresh, migrations: sealing, owner: "me" });
  await migrate({ session: old, migrations: versions, owner: "me" });
  for (const session of [fresh, old]) await migrate({ session, migrations: sealing, owner: "me", seal: true });
  expect([await sealedBy(fresh, sealing), await sealedBy(old, sealing)]).toEqual([4, 3]);
  await expect(currentVersion(fresh, [...versions, any])).rejects.toThrow("Version 1 of the tables was another one");
  expect(await currentVersion(old, [...versions, any])).toBe(4);
});

test("migrate() that stopped half way goes on with the version that was begun", async () => {
  const { session, ran, failOn } = fakeSession();
  failOn(versions[1]?.statements[1] ?? "");
  await expect(migrate({ session, migrations: versions, owner: "me" })).rejects.toThrow("planted");
  expect(await currentVersion(session, versions)).toBe(1);
  expect(await migrate({ session, migrations: versions, owner: "other" })).toEqual([2]);
  expect(ran.slice(3)).toEqual(versions[1]?.statements);
});

test("migrate() refuses while another run holds the lock, and does nothing", async () => {
  const { session, ran, lock } = fakeSession();
  lock.owner = "other";
  await expect(migrate({ session, migrations: versions, owner: "me" })).rejects.toMatchObject({
    reason: "STATE_CONFLICT",
    message: expect.stringContaining('"other"'),
  });
  expect(ran).toEqual([]);
  expect(lock.owner).toBe("other");
});

test("migrate() takes the lock where it got it and was not told", async () => {
  const { session, lock } = fakeSession();
  lock.owner = "me";
  expect(await migrate({ session, migrations: versions, owner: "me" })).toEqual([1, 2]);
  expect(lock.owner).toBeUndefined();
});

test("migrate() stops when its lock ended, before the next statement", async () => {
  const { session, ran, lock, after } = fakeSession();
  after(table("b"), () => {
    lock.owner = "other";
  });
  await expect(migrate({ session, migrations: versions, owner: "me" })).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
  expect(ran).toEqual([table("a"), table("b")]);
  expect(lock.owner).toBe("other");
});

test("migrate() of an older build does nothing where a newer one was", async () => {
  const { session, ran } = fakeSession();
  await migrate({ session, migrations: versions, owner: "me" });
  expect(await migrate({ session, migrations: versions.slice(0, 1), owner: "me" })).toEqual([]);
  expect(await currentVersion(session, versions.slice(0, 1))).toBe(2);
  expect(ran).toHaveLength(4);
});

test("migrate() throws where a version is not what it was", async () => {
  const { session } = fakeSession();
  await migrate({ session, migrations: versions, owner: "me" });
  const changed = [{ ...versions[0] as Migration, digest: "else" }, versions[1] as Migration];
  await expect(migrate({ session, migrations: changed, owner: "me" })).rejects.toThrow("Version 1 of the tables was another one");
});

test("readMigrations() reads versions in order, and refuses gaps and anything that is no addition", () => {
  const good = folderOf({ v0001: [1, `${table("a")};\n-- why\n${table("b")};`], v0002: [2, "ALTER TABLE a ADD IF NOT EXISTS c text;"] });
  expect(readMigrations(good).map(({ version, statements }) => [version, statements])).toEqual([
    [1, [table("a"), table("b")]],
    [2, ["ALTER TABLE a ADD IF NOT EXISTS c text"]],
  ]);
  expect(new Set(readMigrations(good).map(({ digest }) => digest)).size).toBe(2);
  expect(() => readMigrations(folderOf({ v0002: [2, table("a")] }))).toThrow("Expected version 1");
  expect(() => readMigrations(folderOf({ v0001: [2, table("a")] }))).toThrow("Expected version 1");
  expect(() => readMigrations(folderOf({ v0001: [1, "DROP TABLE a"] }))).toThrow("Expected CREATE TABLE IF NOT EXISTS");
  expect(() => readMigrations(folderOf({ v0001: [1, `${table("a")}; TRUNCATE a;`] }))).toThrow("Expected CREATE TABLE IF NOT EXISTS");
});

test("createKeyspace() quotes the replication and refuses a name that is none", async () => {
  const { session, ran } = fakeSession();
  await createKeyspace(session, "profile", { class: "NetworkTopologyStrategy", "dc'1": 3 });
  expect(ran).toEqual(["CREATE KEYSPACE IF NOT EXISTS profile WITH replication = {'class': 'NetworkTopologyStrategy', 'dc''1': '3'}"]);
  await expect(createKeyspace(session, "a; DROP KEYSPACE b", {})).rejects.toThrow("Expected a keyspace");
});

function fakeSession() {
  const ran: string[] = [];
  const lock: { owner: unknown } = { owner: undefined };
  const rows: Row[] = [];
  const failures = new Set<string>();
  const listeners = new Map<string, () => void>();
  const conditional: [start: string, run: (values: Statement["values"]) => Row][] = [
    ["INSERT INTO schema_lock", ({ owner }) => {
      if (lock.owner !== undefined) return { "[applied]": false, owner: lock.owner };
      lock.owner = owner;
      return { "[applied]": true };
    }],
    ["UPDATE schema_lock", ({ owner }) => ({ "[applied]": lock.owner === owner })],
    ["DELETE FROM schema_lock", ({ owner }) => {
      const isOwn = lock.owner === owner;
      if (isOwn) lock.owner = undefined;
      return { "[applied]": isOwn };
    }],
  ];
  const session: Session = {
    execute: async ({ cql, values, isConditional }) => {
      await Promise.resolve();
      const found = conditional.find(([start]) => cql.startsWith(start));
      expect(isConditional ?? false).toBe(found !== undefined);
      if (found) return [found[1](values)];
      if (cql.startsWith("SELECT")) return rows;
      if (cql.startsWith("INSERT INTO schema_versions")) rows[Number(values["version"]) - 1] = values;
      else if (!/schema_(lock|versions)/.test(cql)) {
        if (failures.delete(cql)) throw new Error("planted");
        ran.push(cql);
        listeners.get(cql)?.();
      }
      return [];
    },
    batch: () => Promise.reject(new Error("Expected no batch")),
    conditional: () => Promise.reject(new Error("Expected no conditional batch")),
    page: () => Promise.reject(new Error("Expected no page")),
    close: () => Promise.resolve(),
  };
  return {
    session,
    ran,
    lock,
    failOn: (cql: string) => void failures.add(cql),
    after: (cql: string, listener: () => void) => void listeners.set(cql, listener),
  };
}

function folderOf(versions: Record<string, [version: number, cql: string]>): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-migrations-"));
  folders.push(folder);
  for (const [name, [version, cql]] of Object.entries(versions)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "manifest.json"), JSON.stringify({ version, description: "", files: ["all.cql"] }));
    writeFileSync(join(folder, name, "all.cql"), cql);
  }
  return folder;
}

function table(name: string): string {
  return `CREATE TABLE IF NOT EXISTS ${name} (k text, PRIMARY KEY ((k)))`;
}
