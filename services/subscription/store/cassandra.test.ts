/** The schema's versions, every statement against the schema, and how many statements a read and a step cost. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { splitStatements, tablesOf } from "../../../platform/cassandra/cql.ts";
import { readMigrations } from "../../../platform/cassandra/migrate.ts";
import { checkPlan, recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { openReplicas } from "../../../platform/cassandra/replicas.fixture.ts";
import { deadLetterStatements } from "../../consent/store/dead-letter-cassandra.ts";
import { subjectStatements } from "../../../platform/ledger/cassandra.ts";
import { chained, emptyChain } from "../../../platform/ledger/ledger.ts";
import { changedInOrder } from "../domain/group-order.ts";
import { noMemberships } from "../domain/memberships.ts";
import { bucketOfMember } from "../../../platform/user-number.ts";
import { numberedUsers } from "./buckets.fixture.ts";
import { openCassandraSubscriptionStore } from "./cassandra.ts";
import { limits } from "../../../platform/limits.ts";
import * as statements from "./statements.ts";
import { usersAlone, usersTogether } from "./statements.ts";

const folder = join(import.meta.dirname, "schema");
const schema = readFileSync(join(folder, "schema.cql"), "utf8");

test("schema: all versions applied, one after the other, are schema.cql", () => {
  const applied = tablesOf(readMigrations(folder).flatMap((migration) => migration.statements));
  expect(applied).toEqual(tablesOf(splitStatements(schema)));
});

test("statements: each goes to few partitions, has an age, and names only columns of its table", () => {
  const tables = tablesOf(splitStatements(schema));
  const { usersAlone, usersTogether, memberColumns: _, ...others } = statements;
  const rows = [usersAlone, usersTogether].flatMap(({ select, put, ledger }) => [select, put, ...Object.values(ledger)]);
  const all = [...rows, ...[others, subjectStatements, deadLetterStatements].flatMap((one) => Object.values(one))];
  const touched = new Set<string>();
  for (const cql of all) {
    const values = Object.fromEntries([...cql.matchAll(/:(\w+)/g)].map((match) => [match[1] ?? "", ""]));
    checkPlan(tables, { cql, values });
    const table = /(?:FROM|INTO|UPDATE) (\w+)/.exec(cql)?.[1] ?? "";
    touched.add(table);
    const columns = tables.get(table)?.columns ?? new Map();
    for (const name of cql.matchAll(/(\w+) (?:=|>|<|>=|IN) :/g)) expect(columns.has(name[1] ?? ""), cql).toBe(true);
  }
  // Every keyspace whose rows come from the log has the two of epochs (platform/epoch/watermarks.ts)
  expect([...touched, "log_epochs", "log_marks"].sort()).toEqual([...tables.keys()].sort());
});

const alone = Array.from({ length: 51 }, (_, at) => `u${at}`);
const together = numberedUsers("w", 51);

test.each([["alone", alone, usersAlone], ["together", together, usersTogether]])(
  "a read of 50 users who lie %s is one statement, and of one more two",
  async (_, ids, { select }) => {
    const session = recordingSession([schema]);
    const { store } = openCassandraSubscriptionStore(session, bucketOfMember);
    await store.load("w", ids.slice(0, 50));
    await store.load("w", ids);
    expect(session.calls.map((call) => call.map(({ cql }) => cql))).toEqual([[select], [select], [select]]);
  },
);

test("users of some buckets are read together, and of many in several statements", async () => {
  const session = recordingSession([schema]);
  const spread = Array.from({ length: 50 }, (_, at) => numberedUsers("w", 1, limits.membersPerBucket * (1 + at))[0] ?? "");
  await openCassandraSubscriptionStore(session, bucketOfMember).store.load("w", spread);
  expect(session.calls.map(([read]) => [read?.values["buckets"], read?.values["some"]])).toEqual(
    [[range(17, 1), spread.slice(0, 17)], [range(17, 18), spread.slice(17, 34)], [range(16, 35), spread.slice(34)]],
  );
  const few = [...numberedUsers("w", 20, limits.membersPerBucket), ...numberedUsers("w", 5, 2 * limits.membersPerBucket), "alone"];
  const other = recordingSession([schema]);
  await openCassandraSubscriptionStore(other, bucketOfMember).store.load("w", few);
  expect(other.calls.map(([read]) => read?.values["some"])).toEqual([few.slice(0, 25), ["alone"]]);
});

function range(count: number, from: number): number[] {
  return Array.from({ length: count }, (_, at) => from + at);
}

test("a set of users is one write a user who lies alone, and one of all who lie together, rows with their entries", async () => {
  const calls = [alone, together].map(async (ids) => await setOf(ids.slice(0, 50)));
  const [own, shared] = await Promise.all(calls);
  const ofOne = ({ put, ledger }: typeof usersAlone) => [put, ledger.putEntry];
  expect(own).toEqual(Array.from({ length: 50 }, () => ofOne(usersAlone)));
  expect(shared).toEqual([Array.from({ length: 50 }, () => ofOne(usersTogether)).flat()]);
});

/** The statements of each write, where all of the users are known. */
async function setOf(ids: readonly string[]): Promise<string[][]> {
  const session = recordingSession([schema]);
  const head = chained({ workspaceId: "w", head: emptyChain }, change("u0")).head;
  const entries = ids.map((subject) => chained({ workspaceId: "w", head }, change(subject)).entry);
  const users = new Map(ids.map((id) => [id, { ...noMemberships(id), mark: [7, 0] as const }]));
  const ends = new Map(entries.map(({ subject, index, hash }) => [subject, { count: index + 1, hash }]));
  const step = { workspaceId: "w", states: users, entries, ends, erased: new Map() };
  await openCassandraSubscriptionStore(session, bucketOfMember).commit({ workspaces: [step], deadLetters: [] });
  return session.calls.map((call) => call.map(({ cql }) => cql));
}

test("what a build before declared holds from the beginning of the order, until something is declared in it", async () => {
  const session = recordingSession([schema], openReplicas({ schema: [schema] }).session());
  const { store, readGroups, writeGroups } = openCassandraSubscriptionStore(session, bucketOfMember);
  const groups = [{ id: "g", name: "G", channel: "email" as const, archived: false }];
  const cql =
    "INSERT INTO groups_by_workspace (workspace_id, version, body) VALUES (:workspace_id, :version, :body) USING TIMESTAMP :stamp";
  await session.execute({ cql, values: { workspace_id: "w", version: 1, body: JSON.stringify(groups), stamp: 1n } });
  expect([await store.groups("w"), await store.groups("v")]).toEqual([groups.map((group) => ({ ...group, turns: [0] })), []]);
  const archived = changedInOrder(await readGroups("w"), { type: "archive", id: "g" }, [2 ** 41, 0]);
  if (archived !== undefined) await writeGroups("w", archived);
  expect(await readGroups("w")).toEqual(archived);
  await writeGroups("w", { mark: [2 ** 41 - 1, 0], groups: [], refused: [] });
  expect(await readGroups("w"), "an applier that is behind").toEqual(archived);
});

function change(subject: string) {
  const cause = { at: 1, actor: "k", requestId: "r", sequence: 7, part: 0 };
  return { subject, what: "g", kind: "set", before: null, after: "subscribed", ...cause };
}
