/** What operators are answered of a ledger as a whole. */
import { expect, test } from "vitest";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { limits } from "../../../platform/limits.ts";
import { type OperatorDeps, operatorRoutes } from "./operator.ts";

const scope = { workspaceId: "w", requestId: "r", actor: "key", receivedAt: 1n, idempotencyKey: "" };

const entry: Omit<LedgerEntry, "subject" | "what"> = {
  index: 0,
  kind: "set",
  before: null,
  after: "subscribed",
  at: 1,
  actor: "key",
  requestId: "r",
  sequence: 1,
  part: 0,
  previous: "",
  hash: "h",
};

/** One chain a name, of one entry of so many bytes. */
function ledgerOf(bytes: Readonly<Record<string, number>>): OperatorDeps {
  const names = Object.keys(bytes);
  const ledger: Partial<OperatorDeps["ledger"]> = {
    async subjects(_, { from, max }) {
      const start = from === undefined ? 0 : Number(from);
      const next = start + max < names.length ? `${start + max}` : undefined;
      return { subjects: names.slice(start, start + max), next };
    },
    async history(_, subject) {
      return [{ ...entry, subject, what: "x".repeat(bytes[subject] ?? 0) }];
    },
  };
  return { ledger } as unknown as OperatorDeps;
}

async function pagesOf(bytes: Readonly<Record<string, number>>): Promise<string[][]> {
  const { exportLedger } = operatorRoutes(ledgerOf(bytes));
  const pages: string[][] = [];
  for (let from = "";;) {
    const { entries, next } = await exportLedger({ scope, from } as never);
    pages.push(entries.map(({ subject = "" }) => subject));
    if (next === "") return pages;
    from = next;
  }
}

test("exportLedger() ends a page before it is too large for an answer, and goes on with the next chain", async () => {
  const large = limits.ledgerAnswerBytes * 0.4;
  expect(await pagesOf({ a: large, b: large, c: large, d: 3 * large, e: 1, f: 1 })).toEqual([["a", "b"], ["c"], ["d"], ["e", "f"]]);
});

test("exportLedger() ends a page after so many chains", async () => {
  const many = Object.fromEntries(Array.from({ length: limits.ledgerSubjectsPerAnswer + 5 }, (_, at) => [`s${at}`, 1]));
  expect((await pagesOf(many)).map(({ length }) => length)).toEqual([limits.ledgerSubjectsPerAnswer, 5]);
});
