/** What a backup may rely on with every profile store. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { FrozenMerge, IdentityStore, ProfileStore } from "../domain/ports.ts";
import type { ProfileMove, ProfileRows } from "./moved-rows.ts";
import { profileOf, recordOf } from "./rows-contract.ts";

/** One store for the whole suite: every test has workspaces of its own. */
export interface ProfileMoveDriver {
  readonly move: ProfileMove;
  readonly identities: IdentityStore;
  readonly profiles: ProfileStore;
  /** Unix milliseconds; undo windows of the suite end an hour later. */
  readonly now: number;
  /** Leaves a user whose records wait. */
  hold(workspaceId: string): Promise<void>;
  close(): Promise<void>;
}

export function describeProfileMove(driver: string, open: () => Promise<ProfileMoveDriver>, hookMs = 20_000): void {
  describe(`a move of profiles (${driver})`, () => {
    let store: ProfileMoveDriver;
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

    async function read(...workspaceIds: string[]) {
      const pieces: ProfileRows[] = [];
      for await (const rows of store.move.read(new Set(workspaceIds))) pieces.push(rows);
      const keys = pieces.flatMap(({ identities = new Map() }) => [...identities.keys()]);
      expect(new Set(keys).size, "a name comes once").toBe(keys.length);
      return {
        identities: new Map(pieces.flatMap(({ identities = new Map() }) => [...identities])),
        users: pieces.flatMap(({ users = [] }) => users).toSorted((one, other) => (one.profile.id < other.profile.id ? -1 : 1)),
        frozen: new Map(pieces.flatMap(({ frozen = new Map() }) => [...frozen])),
      };
    }
    function rowsOf(workspaceId: string): Required<ProfileRows> {
      const identities = new Map<IdentityKey, unknown>([
        ["x:ä \u{1f600}", "u1"],
        ["a:label\u0000name", "u1"],
        ["a:label\u0000Name", "u2"],
        ["u:u1", { id: "u1", aliases: [{ label: "l", name: "n" }], email: null }],
        ["e:a@x.org", [{ id: "u1", identified: true, updated: [2 ** 41, 1] }]],
        ["p:+4912345678", []],
        ["r:hash", { bodyHash: "h", answer: "{}", sequence: 1, expiresAt: store.now + 3_600_000 }],
        ["m:merge", { mergeId: "merge", state: "open" }],
        ["t:u9", "u1"],
        ["d:ä device", "u1"],
        ["n:users", 2 ** 31],
        ["n:newest", { names: ["objects:"], slots: [[29_000_000, [7]]] }],
      ]);
      const users = [
        { profile: profileOf("u1", [2 ** 41, 3]), openMerges: ["merge"] },
        { profile: profileOf("u2", [5, 0]), openMerges: [] },
      ];
      const frozen = new Map<string, FrozenMerge>([["merge", {
        source: profileOf("source", [4, 0]),
        targetBefore: profileOf("u1", [4, 1]),
        journal: [recordOf(6, 0)],
        undoUntil: store.now + 3_600_000,
      }]]);
      return { workspaceId, identities, users, frozen };
    }
    const through = 2 ** 41 + 10;

    test("read() gives names, users and frozen merges as write() brought them, of the workspaces that were asked for", async () => {
      const rows = rowsOf(w);
      await store.move.write(rows, through);
      await store.move.write({ workspaceId: v, users: [{ profile: profileOf("u9", [1, 0]), openMerges: [] }] }, through);
      const { users, identities, frozen } = rows;
      expect(await read(w)).toEqual({ users, identities, frozen });
      expect((await read(w, v)).users.map(({ profile }) => profile.id)).toEqual(["u1", "u2", "u9"]);
      expect(await store.profiles.load(w, ["u1"])).toEqual(new Map([["u1", users[0]?.profile]]));
      expect(await store.identities.load(w, ["x:ä \u{1f600}"])).toEqual(new Map([["x:ä \u{1f600}", "u1"]]));
    });

    test("write() again changes nothing, also where it brought a part before", async () => {
      const rows = rowsOf(w);
      const { users, frozen: _frozen, ...part } = rows;
      await store.move.write({ ...part, users: users.slice(1) }, through);
      await store.move.write(rows, through);
      const before = await read(w);
      await store.move.write(rows, through);
      expect(await read(w)).toEqual(before);
      expect(before.users).toEqual(users);
    });

    test("read() gives every user of several pages", { timeout: 60_000 }, async () => {
      const ids = Array.from({ length: 2 * limits.movedRowsPerPage + 1 }, (_, at) => `u${String(at).padStart(4, "0")}`);
      const users = ids.map((id) => ({ profile: profileOf(id, [3, 0]), openMerges: [] }));
      for (let at = 0; at < users.length; at += 100) await store.move.write({ workspaceId: w, users: users.slice(at, at + 100) }, through);
      expect((await read(w)).users).toEqual(users);
    });

    test("waiting() says who is blocked, and nothing before", async () => {
      expect(await store.move.waiting()).toEqual([]);
      await store.hold(w);
      expect(await store.move.waiting()).toEqual([expect.stringContaining("users are blocked")]);
    });
  });
}
