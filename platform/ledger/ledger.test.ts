/** The chain shows every kind of damage, and where it begins. */
import { expect, test } from "vitest";
import { chained, type ChainHead, damageOf, emptyChain, type LedgerChange, type LedgerEntry } from "./ledger.ts";

const change: LedgerChange = {
  subject: "a@b.org",
  what: "email_status",
  kind: "set",
  before: null,
  after: "unsubscribed",
  at: 1,
  actor: "key",
  requestId: "r",
  sequence: 1,
  part: 0,
};

function chainOf(count: number): { entries: LedgerEntry[]; head: ChainHead } {
  const entries: LedgerEntry[] = [];
  let head = emptyChain;
  for (let at = 0; at < count; at += 1) {
    const next = chained({ workspaceId: "w", head }, { ...change, at });
    entries.push(next.entry);
    head = next.head;
  }
  return { entries, head };
}

function check(entries: readonly LedgerEntry[], head: ChainHead, workspaceId = "w") {
  return damageOf({ workspaceId, head }, entries, "a@b.org");
}

test("damageOf() finds nothing in a chain as it was written", () => {
  const { entries, head } = chainOf(5);
  expect(check(entries, head)).toBeUndefined();
  expect(check([], emptyChain)).toBeUndefined();
});

const damages: [string, (entries: LedgerEntry[]) => LedgerEntry[], number][] = [
  ["a changed state", (all) => all.with(2, { ...all[2], after: "opted_in" } as LedgerEntry), 2],
  ["a changed time", (all) => all.with(0, { ...all[0], at: 99 } as LedgerEntry), 0],
  ["a changed actor", (all) => all.with(4, { ...all[4], actor: "other" } as LedgerEntry), 4],
  ["a changed hash", (all) => all.with(3, { ...all[3], hash: "00" } as LedgerEntry), 3],
  ["an entry taken out", (all) => all.toSpliced(1, 1), 1],
  ["the last entry cut off", (all) => all.slice(0, -1), 4],
  ["the first entry cut off", (all) => all.slice(1), 0],
  ["two entries exchanged", (all) => [all[1], all[0], ...all.slice(2)] as LedgerEntry[], 0],
  [
    "an entry of another chain",
    (all) => all.with(1, chained({ workspaceId: "w", head: emptyChain }, { ...change, subject: "x" }).entry),
    1,
  ],
];

test.each(damages)("damageOf() names the first entry: %s", (_, damage, index) => {
  const { entries, head } = chainOf(5);
  expect(check(damage(entries), head)).toMatchObject({ subject: "a@b.org", index, reason: expect.stringMatching(/\w/) });
});

test("damageOf() knows a copy in another workspace", () => {
  const { entries, head } = chainOf(2);
  expect(check(entries, head, "other")).toMatchObject({ index: 0 });
});
