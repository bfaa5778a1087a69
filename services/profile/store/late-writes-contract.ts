/** What a store without transactions must do when writes are repeated, late, or overtaken. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { CassandraProfileStore } from "./cassandra.ts";
import { blockedFrom, changes, goneAt, profileOf, recordOf, stateOf } from "./rows-contract.ts";

export function describeLateWrites(
  driver: string,
  open: () => Promise<{ store: CassandraProfileStore; now: number; close(): Promise<void> }>,
  hookMs = 20_000,
): void {
  describe(`late writes on ${driver}`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let profiles: CassandraProfileStore["profiles"];
    beforeAll(async () => {
      opened = await open();
      profiles = opened.store.profiles;
    }, hookMs);
    afterAll(() => opened.close(), hookMs);

    test("an identity of an older step never takes the place of a newer one, nor of its deletion", async () => {
      const { identities } = opened.store;
      const keys: IdentityKey[] = ["x:a", "x:b"];
      await identities.save("late1", new Map<IdentityKey, unknown>([["x:a", "new"], ["x:b", undefined]]), 9);
      await identities.save("late1", new Map<IdentityKey, unknown>([["x:a", "old"], ["x:b", "old"]]), 8);
      expect([...await identities.load("late1", keys)]).toEqual([["x:a", "new"]]);
      await identities.save("late1", new Map<IdentityKey, unknown>([["x:a", "new"], ["x:b", undefined]]), 9);
      expect([...await identities.load("late1", keys)]).toEqual([["x:a", "new"]]);
    });

    test("a state with a lower mark never takes the place of one with a higher, and a repeat changes nothing", async () => {
      const [older, newer] = [profileOf("u1", [7, 65]), profileOf("u1", [7, 66])];
      newer.email = "new@x.org";
      for (const profile of [newer, older, newer]) {
        await profiles.save(changes("late2", { users: new Map([["u1", stateOf(profile)]]) }));
        expect((await profiles.load("late2", ["u1"])).get("u1")).toEqual(newer);
      }
    });

    test("a late writer brings no deleted user back, and the mark is left", async () => {
      const late = changes("late3", { users: new Map([["u1", stateOf(profileOf("u1", [5, 0]))]]) });
      await profiles.save(late);
      await profiles.save(changes("late3", { users: new Map([["u1", goneAt([6, 2])]]) }));
      await profiles.save(late);
      expect((await profiles.loadUsers("late3", ["u1"])).get("u1")).toEqual({
        profile: undefined,
        row: "",
        blocked: false,
        openMerges: [],
        mark: [6, 2],
      });
    });

    test("a late writer holds nobody who was let go, and gives back no record that is in the state", async () => {
      const late = changes("late4", { blocked: new Map([["u1", blockedFrom([2, 0], [recordOf(2, 0), recordOf(3, 0)])]]) });
      const free = changes("late4", { users: new Map([["u1", stateOf(profileOf("u1", [3, 0]))]]), blocked: new Map([["u1", null]]) });
      for (const step of [late, free, late]) await profiles.save(step);
      expect((await profiles.loadBlocked("late4", ["u1"])).size).toBe(0);
      expect((await profiles.listBlocked(50)).filter((entry) => entry.workspaceId === "late4")).toEqual([]);
      await profiles.save(changes("late4", { blocked: new Map([["u1", blockedFrom([4, 0], [recordOf(4, 0)])]]) }));
      for (const step of [late, free]) await profiles.save(step);
      expect((await profiles.loadBlocked("late4", ["u1"])).get("u1")?.records).toEqual([recordOf(4, 0)]);
    });

    test("a handoff is there until it is forgotten, and never comes back", async () => {
      const handoff = { source: profileOf("s", [3, 0]), undoUntil: opened.now + 1000 };
      const put = changes("late5", { handoffs: new Map([["m1", handoff]]) });
      await profiles.save(put);
      expect([...await profiles.loadHandoffs("late5", ["m1", "none"])]).toEqual([["m1", handoff]]);
      await profiles.forgetHandoffs("late5", ["m1"]);
      await profiles.save(put);
      expect((await profiles.loadHandoffs("late5", ["m1"])).size).toBe(0);
    });

    test("a merge that was forgotten never comes back", async () => {
      const frozen = {
        source: profileOf("s", [3, 0]),
        targetBefore: profileOf("t", [3, 0]),
        journal: [recordOf(4, 0)],
        undoUntil: opened.now + 1000,
      };
      const put = changes("late6", { frozen: new Map([["m1", frozen]]), journal: new Map([["m1", [recordOf(5, 0)]]]) });
      await profiles.save(put);
      expect((await profiles.loadFrozen("late6", ["m1"])).get("m1")).toEqual({ ...frozen, journal: [recordOf(4, 0), recordOf(5, 0)] });
      await profiles.forgetMerges("late6", ["m1"]);
      await profiles.save(put);
      expect((await profiles.loadFrozen("late6", ["m1"])).size).toBe(0);
    });
  });
}
