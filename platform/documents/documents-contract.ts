/** What every store of documents promises, whatever it stands on: in a table with a head that counts, and kinds of each form. */
import { beforeEach, describe, expect, test } from "vitest";
import { type Documents, head, type Key, nextHead, type Write } from "./documents.ts";
import { readDocuments, writeDocuments } from "./move.ts";

export interface OpenDocuments {
  readonly documents: Documents;
  /** Of its clock, Unix milliseconds. */
  readonly now: number;
}

const one: Key = { kind: "note", id: "one" };

/** Kinds: `note` (JSON), `word` (text), `once` (written once), `large` (cut into chunks, ids of one part). */
export function describeDocuments(driver: string, open: () => Promise<OpenDocuments>): void {
  describe(`documents (${driver})`, () => {
    let documents: Documents;
    let now = 0;
    let partition = "";
    let made = 0;
    beforeEach(async () => {
      ({ documents, now } = await open());
      partition = `p-${made += 1}`;
    });

    async function put(...writes: Write[]): Promise<void> {
      const large = writes.filter(({ key: { kind }, value }) => value !== undefined && (kind === "once" || kind === "large"));
      expect(await documents.changeIf(partition, { reads: [head], large, plan: ([found]) => [nextHead(found), ...writes] })).toBe(
        "committed",
      );
    }
    function note(id: string, value: unknown = { id }): Write {
      return { key: { kind: "note", id }, value };
    }

    test("get() gives what was written, in its own partition and kind only", async () => {
      const value = { text: "\u{1F9F5} \u0000 ñ", list: [1, null, { __proto: 1 }] };
      await put(note("one", value), { key: { kind: "word", id: "one" }, value: "a b" });
      expect(await documents.get(partition, one)).toEqual(value);
      expect(await documents.get(partition, { kind: "word", id: "one" })).toBe("a b");
      expect(await documents.get(`${partition}-other`, one)).toBeUndefined();
      expect(await documents.get(partition, { kind: "note", id: "two" })).toBeUndefined();
      expect(await documents.get(partition, head)).toEqual({ revision: 1 });
      expect(await documents.get(`${partition}-other`, head)).toBeUndefined();
    });

    test("list(), ids() and between() give ids in the order of their bytes", async () => {
      await put(...["b", "a", "é", "d", "c", "\u{1F600}"].map((id) => note(id)), { key: { kind: "word", id: "z" }, value: "z" });
      expect((await documents.list(partition, "note")).map(({ id }) => id)).toEqual(["a", "b", "c", "d", "é", "\u{1F600}"]);
      expect(await documents.ids(partition, "note")).toEqual(["a", "b", "c", "d", "é", "\u{1F600}"]);
      async function between(range: Parameters<Documents["between"]>[2]) {
        return (await documents.between(partition, "note", range)).map(({ id, value }) => [id, (value as { id: string }).id].join());
      }
      expect(await between({ limit: 2 })).toEqual(["a,a", "b,b"]);
      expect(await between({ above: "b", below: "é", limit: 9 })).toEqual(["c,c", "d,d"]);
      expect(await between({ below: "c", limit: 2, descending: true })).toEqual(["b,b", "a,a"]);
      expect(await between({ limit: 1, descending: true })).toEqual(["\u{1F600},\u{1F600}"]);
      expect(await between({ above: "\u{1F600}", limit: 9 })).toEqual([]);
    });

    test("an id that begins with the last character of all is listed, and moved, as others are", async () => {
      const [first, last] = ["\u{10ffff}", `${"\u{10ffff}".repeat(127)}\u0001z`];
      await put(note("a"), note(first), note(last));
      expect((await documents.list(partition, "note")).map(({ id }) => id)).toEqual(["a", first, last]);
      const down = await documents.between(partition, "note", { limit: 2, descending: true });
      expect(down.map(({ id }) => id)).toEqual([last, first]);
      const moved = await Array.fromAsync(readDocuments(documents, partition, { kinds: ["note"], now }));
      expect(moved.flatMap(({ writes }) => writes).map(({ key: { id } }) => id)).toEqual(["a", first, last, head.id]);
    });

    test("changeIf() writes all of a change, or nothing where its plan says why", async () => {
      await put(note("one", 1));
      const outcome = await documents.changeIf<"taken">(partition, {
        reads: [head, one],
        plan: ([, found]) => found === undefined ? [note("one", 2), note("two", 2)] : "taken",
      });
      expect(outcome).toBe("taken");
      expect(await documents.ids(partition, "note")).toEqual(["one"]);
      await put(note("two", 2), { key: one, value: undefined });
      expect(await documents.ids(partition, "note")).toEqual(["two"]);
      expect(await documents.get(partition, one)).toBeUndefined();
    });

    test("changeIf() gives a name once, also to many at one moment, with the head and without it", async () => {
      const claims = Array.from({ length: 12 }, (_, at) => at);
      for (const heads of [[head], []]) {
        const key = { kind: "note", id: `name ${heads.length}` };
        const outcomes = await Promise.all(claims.map((at) =>
          documents.changeIf<"taken">(partition, {
            reads: [...heads, key],
            plan(found) {
              if (found.at(-1) !== undefined) return "taken";
              return [...heads.map(() => nextHead(found[0])), { key, value: at }];
            },
          })
        ));
        expect(outcomes.filter((outcome) => outcome === "committed")).toHaveLength(1);
        expect(await documents.get(partition, key)).toBe(outcomes.indexOf("committed"));
      }
    });

    test("changeIf() loses none of many changes of one document", async () => {
      await Promise.all(Array.from({ length: 30 }, (_, at) =>
        documents.changeIf(partition, {
          reads: at % 3 === 0 ? [head, one] : [one],
          plan: (found) => [
            ...(at % 3 === 0 ? [nextHead(found[0])] : []),
            { key: one, value: Number(found.at(-1) ?? 0) + 1 },
          ],
        })));
      expect(await documents.get(partition, one)).toBe(30);
      expect(await documents.get(partition, head)).toEqual({ revision: 10 });
    });

    test("changeIf() replaces and drops what it read, without the head", async () => {
      for (const value of [1, 2, undefined, 3]) {
        expect(await documents.changeIf(partition, { reads: [one], plan: () => [{ key: one, value }] })).toBe("committed");
        expect(await documents.get(partition, one)).toBe(value);
      }
    });

    test("changeIf() that reads nothing puts what it is given, once more too", async () => {
      for (const _ of [1, 2]) {
        const writes = [note("loose"), note("other"), {
          key: { kind: "note", id: "brief" },
          value: { expiresAt: now + 60_000 },
        }];
        expect(await documents.changeIf(partition, { reads: [], plan: () => writes })).toBe("committed");
      }
      expect((await documents.list(partition, "note")).map(({ id }) => id)).toEqual(["brief", "loose", "other"]);
      expect(await documents.get(partition, head)).toBeUndefined();
      expect(await documents.changeIf<"nothing">(partition, { reads: [], plan: () => "nothing" })).toBe("nothing");
    });

    test("changeIf() writes nothing of a plan that throws, and goes on", async () => {
      const failing = documents.changeIf(partition, {
        reads: [one],
        plan() {
          throw new Error("planted");
        },
      });
      await expect(failing).rejects.toThrow("planted");
      await put(note("one"));
      expect(await documents.ids(partition, "note")).toEqual(["one"]);
    });

    test("large values are there whole, replaced and dropped", async () => {
      const keys = { large: { kind: "large", id: "a" }, once: { kind: "once", id: "b" } };
      for (const bytes of [10, 3_000_000, 100]) {
        const value = { text: Buffer.from(Array.from({ length: bytes }, (_, at) => (at * at * 31 + (at >> 3)) & 0xff)).toString("base64") };
        await put({ key: keys.large, value });
        expect(await documents.get(partition, keys.large)).toEqual(value);
      }
      const whole = { text: "ä".repeat(600_000) };
      await put({ key: keys.once, value: whole });
      expect(await documents.get(partition, keys.once)).toEqual(whole);
      expect(await documents.ids(partition, "large")).toEqual(["a"]);
      await put({ key: keys.large, value: undefined });
      expect(await documents.get(partition, keys.large)).toBeUndefined();
    });

    test("many large values that come at once are all there, and of two with one key one of them", async () => {
      const writes = Array.from({ length: 40 }, (_, at): Write => ({ key: { kind: "large", id: `k${at % 20}` }, value: { at } }));
      const outcomes = await Promise.all(
        writes.map((write) => documents.changeIf(partition, { reads: [], large: [write], plan: () => [write] })),
      );
      expect(new Set(outcomes)).toEqual(new Set(["committed"]));
      for (let at = 0; at < 20; at += 1) {
        expect([{ at }, { at: at + 20 }]).toContainEqual(await documents.get(partition, { kind: "large", id: `k${at}` }));
      }
    });

    test("a move gives what was read, once more too, and revisions only grow", async () => {
      const moved = {
        kinds: ["note"],
        large: ["large"],
        named: (_: string, { id }: { id: string }) => id === "one" ? { kind: "once", id } : undefined,
      };
      const passing = { key: { kind: "note", id: "passing" }, value: { expiresAt: now + 60_000 } };
      await put({ key: { kind: "once", id: "one" }, value: { text: "named" } }, { key: { kind: "large", id: "l" }, value: ["large"] });
      await put(...Array.from({ length: 450 }, (_, at) => note(String(at).padStart(4, "0"))), note("one"), passing);
      await put(note("over", { expiresAt: now - 1 }));
      const target = `${partition}-target`;
      for (const _ of [1, 2]) {
        for await (const { writes } of readDocuments(documents, partition, { ...moved, now })) {
          await writeDocuments(documents, { partition: target, writes }, (kind) => kind === "once" || kind === "large");
        }
      }
      const [before, after] = await Promise.all([partition, target].map(async (place) => await documents.list(place, "note")));
      expect(after).toEqual(before?.filter(({ id }) => id !== "over"));
      expect(await documents.get(target, { kind: "once", id: "one" })).toEqual({ text: "named" });
      expect(await documents.get(target, { kind: "large", id: "l" })).toEqual(["large"]);
      const { revision } = await documents.get(target, head) as { revision: number };
      expect(revision).toBeGreaterThanOrEqual(3);
    });
  });
}
