/** Tests of the CQL reader: every shape Heddle writes, and a no to every other. */
import { expect, test } from "vitest";
import { splitStatements, tablesOf } from "./cql.ts";
import { parseStatement } from "./cql-statement.fixture.ts";

test("splitStatements() leaves out comments and what is empty", () => {
  expect(splitStatements("-- one; two\nCREATE  TABLE\n a;;\n/* three; */ SELECT 1;")).toEqual(["CREATE TABLE a", "SELECT 1"]);
});

test("tablesOf() reads columns, both parts of the key, options, and columns that were added", () => {
  const [table] = [
    ...tablesOf(splitStatements(`
    CREATE TABLE IF NOT EXISTS t (a text, b int, c frozen<map<text, int>>, d blob, PRIMARY KEY ((a, b), d))
      WITH comment = 'x' AND gc_grace_seconds = 5;
    ALTER TABLE t ADD IF NOT EXISTS e bigint;
  `)).values(),
  ];
  expect(table).toEqual({
    name: "t",
    columns: new Map([["a", "text"], ["b", "int"], ["c", "frozen<map<text, int>>"], ["d", "blob"], ["e", "bigint"]]),
    partitionKey: ["a", "b"],
    clusteringKey: ["d"],
    options: new Map([["comment", "'x'"], ["gc_grace_seconds", "5"]]),
  });
});

test.each([
  "DROP TABLE t",
  "TRUNCATE t",
  "ALTER TABLE t DROP a",
  "ALTER TABLE t ADD a text",
  "ALTER TABLE t RENAME a TO b",
  "CREATE TABLE t (a text, PRIMARY KEY ((a)))",
  "DELETE FROM t WHERE a = 1",
  "CREATE INDEX i ON t (a)",
])('tablesOf() refuses "%s", which is no addition that can be repeated', (statement) => {
  expect(() => tablesOf([statement])).toThrow("Expected CREATE TABLE IF NOT EXISTS");
});

test("tablesOf() refuses a column for a table that nobody made", () => {
  expect(() => tablesOf(["ALTER TABLE t ADD IF NOT EXISTS a text"])).toThrow('got "t"');
});

test("parseStatement() reads selects", () => {
  expect(parseStatement("SELECT a, b FROM t WHERE a = :a AND b > :b LIMIT :max")).toMatchObject({
    kind: "select",
    table: "t",
    columns: ["a", "b"],
    where: [{ column: "a", operator: "=", value: ":a" }, { column: "b", operator: ">", value: ":b" }],
    limit: ":max",
    allowsFiltering: false,
  });
  expect(parseStatement("SELECT a FROM t WHERE b = 1 ALLOW FILTERING")).toMatchObject({ allowsFiltering: true });
  expect(parseStatement("SELECT a FROM t")).toMatchObject({ where: [], limit: undefined });
});

test("parseStatement() reads inserts, deletes and updates, with their age and end", () => {
  expect(parseStatement("INSERT INTO t (a, b) VALUES (:a, 1) USING TIMESTAMP :stamp AND TTL :ttl")).toMatchObject({
    kind: "insert",
    columns: ["a", "b"],
    values: new Map([["a", ":a"], ["b", "1"]]),
    using: new Map([["timestamp", ":stamp"], ["ttl", ":ttl"]]),
    isConditional: false,
  });
  expect(parseStatement("INSERT INTO t (a) VALUES (:a) IF NOT EXISTS USING TTL :ttl")).toMatchObject({ isConditional: true });
  expect(parseStatement("DELETE c FROM t USING TIMESTAMP :stamp WHERE a = :a")).toMatchObject({ kind: "delete", columns: ["c"] });
  expect(parseStatement("DELETE FROM t WHERE a = :a IF b = :b")).toMatchObject({ columns: [], isConditional: true });
  expect(parseStatement("UPDATE t USING TTL :ttl SET b = :b WHERE a = :a IF b = :c")).toMatchObject({
    kind: "update",
    isConditional: true,
  });
});

test.each(["BEGIN BATCH APPLY BATCH", "SELECT a FROM t WHERE token(a) > 1", "SELECT a FROM t WHERE (a, b) = (1, 2)", ""])(
  'parseStatement() refuses "%s", which it does not know',
  (cql) => {
    expect(() => parseStatement(cql)).toThrow("Expected");
  },
);
