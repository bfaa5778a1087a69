/** What lists of users and their names must be on every store: names by how they begin, users from the newest on, who is blocked. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IdentityKey } from "../domain/identity/identity.ts";
import { blockedFrom, changes, goneAt, type OpenedRows, profileOf, stateOf } from "./rows-contract.ts";

/** One store for the whole suite: every test has a workspace of its own. */
export function describeLists(driver: string, open: () => Promise<OpenedRows>, hookMs = 20_000): void {
  describe(`lists on ${driver}`, () => {
    let store: OpenedRows;
    let tests = 0;
    let w = "";
    beforeAll(async () => {
      store = await open();
    }, hookMs);
    afterAll(() => store.close(), hookMs);
    function fresh(): void {
      tests += 1;
      w = `lists-${tests}`;
    }

    test("pageBack() walks all profiles from the last on", async () => {
      fresh();
      const ids = Array.from({ length: 300 }, (_, at) => (at * 7919).toString(16).padStart(24, "0"));
      await store.profiles.save(changes(w, { users: new Map(ids.map((id) => [id, stateOf(profileOf(id, [1, 0]))])) }));
      const gone = ids.filter((_, at) => at % 3 === 0);
      await store.profiles.save(changes(w, { users: new Map(gone.map((id) => [id, goneAt([2, 0])])) }));
      const living = ids.filter((id) => !gone.includes(id)).toReversed();
      for (const size of [7, 64, 1_000]) {
        const seen: string[] = [];
        for (let last = ""; seen.length < living.length;) {
          const page = await store.profiles.pageBack(w, last, size);
          expect(page.length).toBe(Math.min(size, living.length - seen.length));
          seen.push(...page.map(({ id }) => id));
          last = seen.at(-1) ?? "";
        }
        expect(seen).toEqual(living);
        expect(await store.profiles.pageBack(w, living.at(-1) ?? "", size)).toEqual([]);
      }
      expect(await store.profiles.pageBack("nobody's", "", 9)).toEqual([]);
    });

    test("listNames() gives names with a prefix in the order of their bytes, page by page", async () => {
      fresh();
      const names = ["", "a", "a b", "aa", "ab", "a\u00e4", "a\u{1f600}", "b", "A"];
      const rows = names.map((name): [IdentityKey, unknown] => [`x:${name}`, "u1"]);
      const others: [IdentityKey, unknown][] = [
        ["e:ab@example.com", [{ id: "u1", identified: true, updated: [1, 0] }]],
        ["p:+49123", []],
        ["a:label\u0000abc", "u1"],
        ["a:label\u0000abd", "u1"],
        ["a:labels\u0000abc", "u1"],
        ["u:ab", { id: "ab" }],
        ["w:x:ab", { memberships: [] }],
      ];
      await store.identities.save(w, new Map([...rows, ...others]), 1);
      const found = ["a", "a b", "aa", "ab", "a\u00e4", "a\u{1f600}"];
      expect(await store.identities.listNames(w, "x", { prefix: "a", max: 99 })).toEqual(found);
      for (const size of [1, 3]) {
        const seen: string[] = [];
        for (let page: string[] = [""]; page.length > 0;) {
          const after = seen.at(-1);
          page = await store.identities.listNames(w, "x", { prefix: "a", max: size, ...(after !== undefined && { after }) });
          expect(page.length).toBeLessThanOrEqual(size);
          seen.push(...page);
        }
        expect(seen).toEqual(found);
      }
      expect(await store.identities.listNames(w, "e", { prefix: "ab@", max: 9 })).toEqual(["ab@example.com"]);
      expect(await store.identities.listNames(w, "p", { prefix: "+49", max: 9 })).toEqual(["+49123"]);
      expect(await store.identities.listNames(w, "a", { prefix: "label\u0000ab", max: 9 })).toEqual(["label\u0000abc", "label\u0000abd"]);
      expect(await store.identities.listNames(w, "x", { prefix: "", max: 99 })).toHaveLength(names.length);
      expect(await store.identities.listNames("other", "x", { prefix: "", max: 9 })).toEqual([]);
      await store.identities.save(w, new Map<IdentityKey, unknown>([["x:aa", undefined], ["e:ab@example.com", undefined]]), 2);
      expect(await store.identities.listNames(w, "x", { prefix: "aa", max: 9 })).toEqual([]);
      expect(await store.identities.listNames(w, "e", { prefix: "", max: 9 })).toEqual([]);
      await store.identities.save(w, new Map<IdentityKey, unknown>([["x:aa", "u2"]]), 3);
      expect(await store.identities.listNames(w, "x", { prefix: "aa", max: 9 })).toEqual(["aa"]);
    });

    test("listSetAside() goes on behind a place, by partition and place", async () => {
      const records = [[0, 7], [0, 9], [2, 3], [2, 2 ** 40], [3, 1]].map(([partition = 0, sequence = 0]) => {
        return { partition, sequence, reason: "why", body: Uint8Array.of(1) };
      });
      await store.identities.setAside(records);
      const places = records.map(({ partition, sequence }) => ({ partition, sequence }));
      const behind = async (after?: { partition: number; sequence: number }) => {
        return (await store.profiles.listSetAside(2, after)).map(({ partition, sequence }) => ({ partition, sequence }));
      };
      expect(await behind()).toEqual(places.slice(0, 2));
      expect(await behind(places[1])).toEqual(places.slice(2, 4));
      expect(await behind(places[3])).toEqual(places.slice(4));
      expect(await behind({ partition: 2, sequence: 2 })).toEqual(places.slice(2, 4));
      expect(await behind(places[4])).toEqual([]);
      for (const place of places) await store.identities.forgetSetAside(place);
    });

    test("pageBlocked() gives who is blocked in the workspace, by id", async () => {
      fresh();
      const ids = Array.from({ length: 9 }, (_, at) => `u${at}`);
      const blocked = new Map(ids.map((id) => [id, blockedFrom([4, 0], [])]));
      await store.profiles.save(changes(w, { blocked }));
      await store.profiles.save(changes(`${w}-other`, { blocked: new Map([["u1", blockedFrom([4, 0], [])]]) }));
      const first = await store.profiles.pageBlocked(w, "", 5);
      expect(first.map(({ userId }) => userId)).toEqual(ids.slice(0, 5));
      expect((await store.profiles.pageBlocked(w, "u4", 5)).map(({ userId, reason }) => [userId, reason])).toEqual(
        ids.slice(5).map((id) => [id, "why"]),
      );
    });
  });
}
