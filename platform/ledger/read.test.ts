/** A ledger is verified a page at a time, and no further than somebody waits for. */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { chained, emptyChain } from "./ledger.ts";
import { readLedger } from "./read.ts";

const count = limits.ledgerSubjectsPerPage + 10;
const subjects = Array.from({ length: count }, (_, at) => `user-${String(at).padStart(5, "0")}`);

/** Each subject has one entry. `onRead` hears of each chain that is read. */
function ledgerOf({ damaged, onRead = () => {} }: { readonly damaged?: string; readonly onRead?: (subject: string) => void }) {
  return readLedger({
    heads: () => Promise.resolve(new Map()),
    subjects(_, { from, max }) {
      const start = from === undefined ? 0 : subjects.indexOf(from) + 1;
      const page = subjects.slice(start, start + max);
      return Promise.resolve({ subjects: page, next: page.length < max ? undefined : page.at(-1) });
    },
    chain(_, subject) {
      onRead(subject);
      const change = { subject, what: "letter", kind: "set" as const, before: null, after: "subscribed" };
      const told = { at: 1, actor: "key", requestId: "r", sequence: 1, part: 0 };
      const { entry, head } = chained({ workspaceId: "w", head: emptyChain }, { ...change, ...told });
      return Promise.resolve({ head, entries: [subject === damaged ? { ...entry, after: "unsubscribed" } : entry] });
    },
  });
}

test("verify() checks every chain, and stops at the first that is damaged", async () => {
  expect(await ledgerOf({}).verify("w")).toEqual({ entries: count, damage: undefined });
  const found = await ledgerOf({ damaged: "user-00503" }).verify("w");
  expect(found).toMatchObject({ entries: 503, damage: { subject: "user-00503", index: 0 } });
});

test("verifyPage() checks one page and says where the next begins", async () => {
  const ledger = ledgerOf({ damaged: "user-00004" });
  const first = await ledger.verifyPage("w", { from: undefined, max: 3 });
  expect(first).toEqual({ entries: 3, damage: undefined, next: "user-00002" });
  expect(await ledger.verifyPage("w", { from: first.next, max: 3 })).toMatchObject({ entries: 1, damage: { subject: "user-00004" } });
  expect(await ledger.verifyPage("w", { from: "user-00507", max: 3 })).toEqual({ entries: 2, damage: undefined, next: undefined });
});

test("verify() reads no further chain once nobody waits any more", async () => {
  const waiting = new AbortController();
  const read: string[] = [];
  const ledger = ledgerOf({
    onRead(subject) {
      read.push(subject);
      if (read.length === 2) waiting.abort(new Error("gone"));
    },
  });
  await expect(ledger.verify("w", waiting.signal)).rejects.toThrow("gone");
  expect(read).toHaveLength(2);
});
