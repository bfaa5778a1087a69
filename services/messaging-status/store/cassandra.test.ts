/** The schema's versions, every statement against the schema, and how many statements a read and a step cost. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { splitStatements, tablesOf } from "../../../platform/cassandra/cql.ts";
import { readMigrations } from "../../../platform/cassandra/migrate.ts";
import { memorySession } from "../../../platform/cassandra/memory-session.fixture.ts";
import { checkPlan, recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { deadLetterStatements } from "../../consent/store/dead-letter-cassandra.ts";
import { subjectStatements } from "../../../platform/ledger/cassandra.ts";
import { openCassandraStatusStore } from "./cassandra.ts";
import * as statements from "./statements.ts";

const folder = join(import.meta.dirname, "schema");
const schema = readFileSync(join(folder, "schema.cql"), "utf8");

test("schema: all versions applied, one after the other, are schema.cql", () => {
  const applied = tablesOf(readMigrations(folder).flatMap((migration) => migration.statements));
  expect(applied).toEqual(tablesOf(splitStatements(schema)));
});

test("statements: each goes to few partitions, has an age, and names only columns of its table", () => {
  const tables = tablesOf(splitStatements(schema));
  const { states: { select, put, ledger }, ...others } = statements;
  const all = [select, put, ...[ledger, others, subjectStatements, deadLetterStatements].flatMap((one) => Object.values(one))];
  const touched = new Set<string>();
  for (const cql of all) {
    const values = Object.fromEntries([...cql.matchAll(/:(\w+)/g)].map((match) => [match[1] ?? "", ""]));
    checkPlan(tables, { cql, values });
    const table = /(?:FROM|INTO|UPDATE) (\w+)/.exec(cql)?.[1] ?? "";
    touched.add(table);
    const columns = tables.get(table)?.columns ?? new Map();
    for (const name of cql.matchAll(/(\w+) (?:=|>|<|>=|IN) :/g)) expect(columns.has(name[1] ?? ""), cql).toBe(true);
  }
  // Every keyspace whose rows come from the log has the two of epochs (platform/epoch/watermarks.ts); keys of links are documents
  expect([...touched, "link_keys", "log_epochs", "log_marks"].sort()).toEqual([...tables.keys()].sort());
});

test("a read of 50 addresses is one statement", async () => {
  const session = recordingSession([schema]);
  await openCassandraStatusStore(session, fakeClock()).store.load("w", Array.from({ length: 50 }, (_, at) => `a${at}@b.org`));
  expect(session.calls).toHaveLength(1);
});

test("a list whose client hangs up reads no further year", async () => {
  const client = new AbortController();
  const session = recordingSession([schema], {
    ...recordingSession([schema]),
    async execute(statement) {
      if (statement.cql === statements.selectYears) return [2024, 2025, 2026].map((year) => ({ year }));
      client.abort(new Error("nobody waits"));
      return [];
    },
  });
  const filter = { from: 0, to: Date.UTC(2030), limit: 10, offset: 0, ascending: false, signal: client.signal };
  await expect(openCassandraStatusStore(session, fakeClock()).store.list("w", "unsubscribed", filter)).rejects.toThrow("nobody waits");
  expect(session.calls).toHaveLength(2);
});

test("keys of links that were there before documents are read, and others come after them", async () => {
  const session = recordingSession([schema], memorySession([schema]).session);
  const put = "INSERT INTO link_keys (name, id, bytes) VALUES (:name, :id, :bytes) IF NOT EXISTS";
  for (const [name, id] of [["links", 1], ["links", 2], ["links roots", 1]] as const) {
    await session.conditional([{ cql: put, values: { name, id, bytes: Uint8Array.of(id, 255) } }]);
  }
  const { linkKeys } = openCassandraStatusStore(session, fakeClock());
  expect((await linkKeys.all("")).map(({ id, bytes }) => [id, ...bytes])).toEqual([[2, 2, 255], [1, 1, 255]]);
  await linkKeys.add("roots", (id) => ({ id, bytes: Uint8Array.of(9) }), { unlessAny: false });
  expect((await linkKeys.all("roots")).map(({ id, bytes }) => [id, ...bytes])).toEqual([[2, 9], [1, 1, 255]]);
  expect(await linkKeys.all("of w")).toEqual([]);
});
