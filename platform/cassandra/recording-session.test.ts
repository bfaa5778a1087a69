/** Tests of the recording session: what it lets through, what it refuses, how it fails and blocks. */
import { expect, test } from "vitest";
import { recordingSession } from "./recording-session.fixture.ts";
import type { Statement } from "./session.ts";

const schema = [
  "CREATE TABLE IF NOT EXISTS t (a text, b text, c text, d text, PRIMARY KEY ((a, b), c));",
  "CREATE TABLE IF NOT EXISTS u (a text, b text, PRIMARY KEY ((a, b)));",
];
const put = "INSERT INTO t (a, b, c, d) VALUES (:a, :b, :c, :d) USING TIMESTAMP :stamp";

test.each([
  ["SELECT d FROM t WHERE a = :a", "the whole partition key"],
  ["SELECT d FROM t WHERE a = :a AND b > :b", "the whole partition key"],
  ["SELECT d FROM t", "the whole partition key"],
  ["SELECT d FROM t WHERE a = :a AND b = :b AND d = :d ALLOW FILTERING", "without ALLOW FILTERING"],
  ["DELETE FROM t USING TIMESTAMP :stamp WHERE a = :a", "the whole partition key"],
  ["INSERT INTO t (a, c) VALUES (:a, :c) USING TIMESTAMP :stamp", "the whole partition key"],
  ["INSERT INTO t (a, b, c) VALUES (:a, :b, :c)", "whose age a clock decides"],
  ["SELECT d FROM other WHERE a = :a", "a table of the schema"],
  ["SELECT d FROM t WHERE a = :a AND b = :none", "values for the markers"],
  ["INSERT INTO t (a, b, c) VALUES (:a, :b, :c) IF NOT EXISTS", "isConditional"],
])('refuses "%s"', async (cql, why) => {
  const session = recordingSession(schema);
  await expect(session.execute(statement(cql))).rejects.toThrow(why);
  await expect(session.page(statement(cql), { rowsMax: 1 })).rejects.toThrow(why);
  expect(session.calls).toEqual([]);
});

test("takes a batch of one partition over several tables, and refuses one of two", async () => {
  const session = recordingSession(schema);
  const other = "INSERT INTO u (a, b) VALUES (:a, :b) USING TIMESTAMP :stamp";
  await session.batch([statement(put), statement(other)]);
  await expect(session.batch([statement(put), statement(other, { b: "else" })])).rejects.toThrow("Expected a batch of one partition");
  expect(session.calls.map((call) => call.map(({ cql }) => cql))).toEqual([[put, other]]);
});

test("conditional() takes writes of one partition and table, one with a condition, none with an age", async () => {
  const session = recordingSession(schema);
  const first = statement("INSERT INTO t (a, b, c) VALUES (:a, :b, :c) IF NOT EXISTS");
  const second = statement("INSERT INTO t (a, b, c) VALUES (:a, :b, :d)");
  expect(await session.conditional([first, second])).toBe(true);
  expect(session.calls).toHaveLength(1);
  await expect(session.conditional([second])).rejects.toThrow("a condition in one of the statements");
  await expect(session.conditional([first, statement(put)])).rejects.toThrow("no USING TIMESTAMP");
  await expect(session.conditional([first, statement("INSERT INTO u (a, b) VALUES (:a, :b)")])).rejects.toThrow("one table");
  await expect(session.conditional([first, { ...second, values: { ...second.values, b: "else" } }])).rejects.toThrow("one partition");
});

test("failNext() fails one call that matches, before or after it is done", async () => {
  const done: string[] = [];
  const session = recordingSession(schema, { ...recordingSession(schema), execute: ({ cql }) => (done.push(cql), Promise.resolve([])) });
  session.failNext(({ cql }) => cql === put, new Error("before"));
  session.failNext(({ cql }) => cql === put, new Error("after"), "after");
  await session.execute(statement("SELECT d FROM t WHERE a = :a AND b = :b"));
  await expect(session.execute(statement(put))).rejects.toThrow("before");
  expect(done).toHaveLength(1);
  await expect(session.execute(statement(put))).rejects.toThrow("after");
  await session.execute(statement(put));
  expect(done).toHaveLength(3);
});

test("block() makes calls that match wait until they are let go", async () => {
  const session = recordingSession(schema);
  const letGo = session.block(({ cql }) => cql === put);
  const order: string[] = [];
  const blocked = session.execute(statement(put)).then(() => order.push("blocked"));
  await session.execute(statement("SELECT d FROM t WHERE a = :a AND b = :b"));
  order.push("free");
  letGo();
  await blocked;
  expect(order).toEqual(["free", "blocked"]);
});

function statement(cql: string, values: Statement["values"] = {}): Statement {
  return { cql, values: { a: "a", b: "b", c: "c", d: "d", stamp: 1n, ...values } };
}
