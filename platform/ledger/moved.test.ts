/** Moved chains cut into writes. */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { chained, type ChainHead, emptyChain, type LedgerEntry } from "./ledger.ts";
import { inWrites } from "./moved.ts";

function chainOf(subject: string, length: number): { entries: LedgerEntry[]; head: ChainHead } {
  let head = emptyChain;
  const entries: LedgerEntry[] = [];
  for (let sequence = 1; sequence <= length; sequence += 1) {
    const change = {
      subject,
      what: "g",
      kind: "set",
      before: null,
      after: "subscribed",
      at: 0,
      actor: "a",
      requestId: "r",
      sequence,
      part: 0,
    };
    const next = chained({ workspaceId: "w", head }, change);
    head = next.head;
    entries.push(next.entry);
  }
  return { entries, head };
}

test("inWrites() gives every subject and every entry once, in order, and no more of one subject than a write takes", () => {
  const chains = { none: chainOf("none", 0), short: chainOf("short", 3), long: chainOf("long", 2 * limits.movedEntriesPerWrite + 1) };
  const states = new Map(Object.keys(chains).map((subject) => [subject, `state of ${subject}`]));
  const ends = new Map(Object.entries(chains).map(([subject, { head }]) => [subject, head]));
  const entries = Object.values(chains).flatMap((chain) => chain.entries);
  const writes = [...inWrites({ workspaceId: "w", states, entries, ends })];
  expect(new Map(writes.flatMap((write) => [...write.states]))).toEqual(states);
  expect(writes.flatMap((write) => write.entries)).toEqual(entries);
  for (const write of writes) {
    const bySubject = Map.groupBy(write.entries, ({ subject }) => subject);
    for (const some of bySubject.values()) expect(some.length).toBeLessThanOrEqual(limits.movedEntriesPerWrite);
    for (const subject of bySubject.keys()) expect([...write.states.keys()]).toContain(subject);
  }
});
