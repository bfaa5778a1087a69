/** No CQL or SQL is put together from values; each way to do it is planted once and caught (reliability S7). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkStatements, partsOfStatements } from "../tools/statement-rule.ts";

test("every statement of the code is made of constants and of names that are listed", () => {
  expect(checkStatements(resolve(import.meta.dirname, ".."))).toEqual([]);
});

/** Source and the part of it that is no constant. */
const planted: readonly (readonly [source: string, part: string])[] = [
  ["database.prepare(`SELECT body FROM users WHERE id = '${id}'`).get();", "id"],
  ['database.prepare("SELECT body FROM users WHERE id = \'" + id + "\'").get();', "id"],
  ["const sql = `select body from users where id = ${ids.join()}`;", "ids.join()"],
  ['const cql = "DELETE FROM users WHERE id = " + String(id);', "String(id)"],
  ["session.execute({ cql: `UPDATE users SET body = '${body}' WHERE id = :id`, values: { id } });", "body"],
  ["session.execute({ cql: start + where, values });", "start"],
  ["session.batch([{ cql: `${start} id = :id`, values }]);", "start"],
  ["session.execute(plain(`${start}${id}`, {}));", "start"],
  ["handle.exec(`${start};`);", "start"],
  ['const sql = ["SELECT body FROM users WHERE id =", id].join(" ");', "id"],
  ['const sql = "SELECT body FROM users WHERE id = ?".replace("?", id);', "id"],
  ['const sql = "SELECT body FROM users WHERE id = ".concat(id as string);', "id"],
  ["let sql = start; sql += ` ORDER BY ${column}`;", "column"],
  ["const order = ` ORDER BY ${column as string} DESC`;", "column"],
  ["const sql = (`TRUNCATE ${table}`) satisfies string;", "table"],
  // A constant of the file under a name that means something else here
  ['const id = "1"; function read(id: string) { return `SELECT 1 FROM users WHERE id = ${id}`; }', "id"],
  ['const id = "1"; const read = ({ id }: User) => `SELECT 1 FROM users WHERE id = ${id}`;', "id"],
  ['const id = "1"; { const id = asked(); run(`SELECT 1 FROM users WHERE id = ${id}`); }', "id"],
  // Constant by name alone
  ["const id = asked(); const sql = `SELECT 1 FROM users WHERE id = ${id}`;", "id"],
  ['let id = "1"; const sql = `SELECT 1 FROM users WHERE id = ${id}`;', "id"],
];

test.each(planted)("caught: %s", (source, part) => {
  expect(partsOfStatements(source).map((found) => found.part)).toContain(part);
});

const clean: readonly string[] = [
  'database.prepare("SELECT body FROM users WHERE id = ?").get(id);',
  'session.execute({ cql: "SELECT body FROM users WHERE id = :id", values: { id: `user:${id}` } });',
  'const table = "users"; export const select = `SELECT body FROM ${table} WHERE id = :id`;',
  'const table = "users"; const of = `FROM ${table}` as const; const select = `SELECT body ${of} ` + "WHERE id = ?";',
  "throw new Error(`Expected a SELECT, got ${text}`);",
  "const found = /^SELECT (.+)/.exec(text); const told = `from ${place} where it was, update ${count} of them`;",
];

test.each(clean)("let through: %s", (source) => {
  expect(partsOfStatements(source)).toEqual([]);
});

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "heddle-statements-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("what is listed is let through in its own file only, and may not be listed for longer than it is needed", () => {
  const source = "export function select(table: string) {\n  return `SELECT 1 FROM ${table}`;\n}\n";
  for (const path of ["services/a/store/sqlite.ts", "services/b/store/sqlite.ts", "services/b/store/sqlite.test.ts", "tools/x.ts"]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), source);
  }
  const advice = "bind it (or say in tools/statement-rule.ts why not)";
  expect(checkStatements(root, new Set(["services/a/store/sqlite.ts: table"]))).toEqual([
    `services/b/store/sqlite.ts:2: "table" in a statement, ${advice}`,
  ]);
  expect(checkStatements(root, new Set(["services/a/store/sqlite.ts: table", "services/b/store/sqlite.ts: table", "gone.ts: x"]))).toEqual([
    'tools/statement-rule.ts: "gone.ts: x" is in no statement any more, take it out',
  ]);
});
