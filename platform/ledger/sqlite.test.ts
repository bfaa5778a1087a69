/** The embedded ledger: a file of an earlier build keeps all that it says. */
import { expect, test } from "vitest";
import { openDatabase } from "../sqlite/database.ts";
import { chained, type ChainHead, emptyChain, type LedgerEntry } from "./ledger.ts";
import { ledgerTables, sqliteLedger } from "./sqlite.ts";

const workspaceId = "w";

/** So many entries of each subject, one subject after the other. */
function entriesOf(subjects: readonly string[], each: number, heads = new Map<string, ChainHead>()): LedgerEntry[] {
  return Array.from({ length: each }, (_, sequence) =>
    subjects.map((subject) => {
      const change = {
        subject,
        what: "g",
        kind: "set",
        before: "",
        after: "subscribed",
        at: 1,
        actor: "k",
        requestId: "r",
        sequence,
        part: 0,
      };
      const { head, entry } = chained({ workspaceId, head: heads.get(subject) ?? emptyChain }, change as Parameters<typeof chained>[1]);
      heads.set(subject, head);
      return entry;
    })).flat();
}

test("entries of an earlier build are there, in their order, and more follow them", async () => {
  const database = openDatabase({ path: ":memory:" });
  const tables = ledgerTables("subscription");
  const heads = new Map<string, ChainHead>();
  const before = entriesOf(["a", "b", "c"], 3, heads);
  await database.write(() => {
    database.handle.exec(tables.schema);
    tables.append(database, workspaceId, before);
    database.handle.exec(tables.inOrder);
  });
  const after = entriesOf(["c", "a"], 2, heads);
  await database.write(() => tables.append(database, workspaceId, after));
  for (const subject of ["a", "b", "c"]) {
    const own = [...before, ...after].filter((entry) => entry.subject === subject);
    expect(tables.history(database, workspaceId, subject)).toEqual(own);
  }
  expect(tables.heads(database, workspaceId, ["a", "b", "c"])).toEqual(heads);
  expect(tables.subjects(database, workspaceId, { after: "a", max: 9 })).toEqual(["b", "c"]);
  await database.write(() => tables.erase(database, workspaceId, "a"));
  expect(tables.history(database, workspaceId, "a")).toEqual([]);
  await expect(database.write(() => tables.append(database, workspaceId, after))).rejects.toThrow("UNIQUE");
  await database.close();
});

test("a chain that another process adds to while it is read is as it was written", async () => {
  const database = openDatabase({ path: ":memory:" });
  const tables = ledgerTables("subscription");
  const heads = new Map<string, ChainHead>();
  await database.write(() => {
    database.handle.exec(tables.schema);
    database.handle.exec(tables.inOrder);
    tables.append(database, workspaceId, entriesOf(["a"], 2, heads));
  });
  const later = entriesOf(["a"], 1, heads);
  let reads = 0;
  const beside: typeof database = {
    ...database,
    prepare(sql) {
      reads += 1;
      if (reads === 2) tables.append(database, workspaceId, later);
      return database.prepare(sql);
    },
  };
  const { entries, damage } = await sqliteLedger(beside, tables).checked(workspaceId, "a");
  expect([entries.length, damage]).toEqual([3, undefined]);
  await database.close();
});
