/** What a backup may rely on with every store of consent: states and chains go over whole, again and again. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../limits.ts";
import { chained, type ChainHead, emptyChain, type LedgerEntry } from "./ledger.ts";
import type { ConsentMove, MovedConsent } from "./moved.ts";
import type { Ledger } from "./read.ts";

/** One store for the whole suite: every test has workspaces of its own. */
export interface ConsentMoveDriver<State> {
  readonly move: ConsentMove<State>;
  readonly ledger: Pick<Ledger, "history" | "verify">;
  /** A state of the subject, distinguished by `place`. */
  stateOf(subject: string, place: number): State;
  /** Leaves a record that could not be applied. */
  setAside(): Promise<void>;
  close(): Promise<void>;
}

export function describeConsentMove<State>(driver: string, open: () => Promise<ConsentMoveDriver<State>>, hookMs = 20_000): void {
  describe(`a move of consent (${driver})`, () => {
    let store: ConsentMoveDriver<State>;
    let tests = 0;
    let [w, v] = ["", ""];
    beforeAll(async () => {
      store = await open();
    }, hookMs);
    beforeEach(() => {
      tests += 1;
      [w, v] = [`w${tests}`, `v${tests}`];
    });
    afterAll(() => store?.close(), hookMs);

    function rowsOf(workspaceId: string, ...lengths: readonly (readonly [subject: string, length: number])[]): MovedConsent<State> {
      const chains = lengths.map(([subject, length]) => chainOf({ workspaceId, subject }, length));
      return {
        workspaceId,
        states: new Map(lengths.map(([subject], place) => [subject, store.stateOf(subject, place)])),
        entries: chains.flatMap(({ entries }) => entries),
        ends: new Map(chains.filter(({ head }) => head.count > 0).map(({ subject, head }) => [subject, head])),
      };
    }
    async function read(...workspaceIds: string[]) {
      const pieces: MovedConsent<State>[] = [];
      for await (const rows of store.move.read(new Set(workspaceIds))) pieces.push(rows);
      const subjects = pieces.flatMap(({ states }) => [...states.keys()]);
      expect(new Set(subjects).size, "a subject comes once").toBe(subjects.length);
      return {
        states: new Map(pieces.flatMap(({ states }) => [...states])),
        chains: Map.groupBy(pieces.flatMap(({ entries }) => entries), ({ subject }) => subject),
        ends: new Map(pieces.flatMap(({ ends }) => [...ends]).filter(([, { count }]) => count > 0)),
      };
    }
    function expected({ states, entries, ends }: MovedConsent<State>) {
      return { states, chains: Map.groupBy(entries, ({ subject }) => subject), ends };
    }

    test("read() gives states, chains and their ends as write() brought them, of the workspaces that were asked for", async () => {
      const long = 2 * limits.movedEntriesPerWrite + 1;
      const rows = rowsOf(w, ["none", 0], ["short", 3], ["long", long], ["__proto__", 1]);
      await store.move.write(rows);
      await store.move.write(rowsOf(v, ["other", 2]));
      expect(await read(w)).toEqual(expected(rows));
      expect([...(await read(w, v)).states.keys()].toSorted()).toEqual(["__proto__", "long", "none", "other", "short"]);
      expect(await store.ledger.verify(w)).toEqual({ entries: long + 4, damage: undefined });
    });

    test("write() again changes nothing, also where it brought a part before", async () => {
      const rows = rowsOf(w, ["one", 3], ["long", limits.movedEntriesPerWrite + 5]);
      const part = { ...rows, entries: rows.entries.slice(0, 10) };
      for (const some of [part, rows, rows]) await store.move.write(some);
      expect(await read(w)).toEqual(expected(rows));
      expect((await store.ledger.history(w, "one")).map(({ hash }) => hash)).toEqual(rows.entries.slice(0, 3).map(({ hash }) => hash));
    });

    test("read() gives every subject of several pages", { timeout: 60_000 }, async () => {
      const names = Array.from({ length: 2 * limits.movedRowsPerPage + 1 }, (_, at) => `s${String(at).padStart(4, "0")}`);
      const rows = rowsOf(w, ...names.map((name) => [name, 0] as const));
      await store.move.write(rows);
      expect((await read(w)).states).toEqual(rows.states);
    });

    test("waiting() says what was set aside, and nothing before", async () => {
      expect(await store.move.waiting()).toEqual([]);
      await store.setAside();
      expect(await store.move.waiting()).toEqual([expect.stringContaining("dead letters")]);
    });
  });
}

function chainOf({ workspaceId, subject }: { readonly workspaceId: string; readonly subject: string }, length: number) {
  let head: ChainHead = emptyChain;
  const entries: LedgerEntry[] = [];
  const change = { subject, what: "g", kind: "set", before: null, after: "subscribed", at: 1, actor: "k", requestId: "r", part: 0 };
  for (let sequence = 1; sequence <= length; sequence += 1) {
    const next = chained({ workspaceId, head }, { ...change, sequence });
    head = next.head;
    entries.push(next.entry);
  }
  return { subject, head, entries };
}
