/** What every profile store must say of rejected users. */
import type { RecordId } from "../../../platform/age.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProfileStore, ProfileWriter } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { UserId } from "../domain/record/user-key.ts";
import { changes, profileOf } from "./rows-contract.ts";

/** One store for the whole suite: every test has a workspace of its own. */
export interface OpenedRejected {
  readonly profiles: Pick<ProfileStore, "listRejected">;
  /** null: the user is gone. */
  save(workspaceId: string, users: ReadonlyMap<UserId, Profile | null>, mark: RecordId): Promise<void>;
  close(): Promise<void>;
}

export function describeRejected(driver: string, open: () => Promise<OpenedRejected>, hookMs = 20_000): void {
  describe(`rejected users (${driver})`, () => {
    let store: OpenedRejected;
    let tests = 0;
    beforeAll(async () => {
      store = await open();
    }, hookMs);
    afterAll(() => store?.close(), hookMs);
    function fresh(): string {
      tests += 1;
      return `w${tests}`;
    }
    async function listed(workspaceId: string, max = 1_000) {
      const all = await store.profiles.listRejected(max);
      return all.filter((user) => user.workspaceId === workspaceId).toSorted((one, other) => one.id < other.id ? -1 : 1);
    }
    function save(workspaceId: string, profile: Profile): Promise<void> {
      return store.save(workspaceId, new Map([[profile.id, profile]]), profile.mark);
    }

    test("who is rejected is listed with its names and why, others are not", async () => {
      const w = fresh();
      await store.save(w, new Map([["u1", large("u1", [3, 0])], ["u2", profileOf("u2", [3, 0])]]), [3, 0]);
      expect(await listed(w)).toEqual([{
        workspaceId: w,
        id: "u1",
        externalId: "x-u1",
        aliases: [{ label: "l", name: "n" }],
        counted: "sessions",
        count: 5_000_001,
        max: 5_000_000,
      }]);
    });

    test("names are those of the last write", async () => {
      const w = fresh();
      await save(w, large("u1", [3, 0]));
      await save(w, { ...large("u1", [4, 0]), externalId: null, aliases: [] });
      expect(await listed(w)).toMatchObject([{ id: "u1", externalId: null, aliases: [] }]);
    });

    test("who is rejected no longer, or gone, is not listed, and can be again", async () => {
      const w = fresh();
      const all = ["u1", "u2", "u3", "u4"];
      await store.save(w, new Map(all.map((id) => [id, large(id, [3, 0])])), [3, 0]);
      expect(await listed(w)).toHaveLength(4);
      await save(w, profileOf("u2", [4, 0]));
      await store.save(w, new Map([["u3", null]]), [4, 0]);
      expect((await listed(w)).map(({ id }) => id)).toEqual(["u1", "u4"]);
      expect((await listed(w)).map(({ id }) => id)).toEqual(["u1", "u4"]);
      await save(w, large("u2", [5, 0]));
      expect((await listed(w)).map(({ id }) => id)).toEqual(["u1", "u2", "u4"]);
    });

    test("no more than asked for are listed, and aliases up to a number", async () => {
      const w = fresh();
      const aliases = Array.from({ length: 150 }, (_, at) => ({ label: "l", name: `n${at}` }));
      await store.save(w, new Map(["u1", "u2", "u3"].map((id) => [id, { ...large(id, [3, 0]), aliases }])), [3, 0]);
      expect(await store.profiles.listRejected(2)).toHaveLength(2);
      expect((await listed(w)).map((user) => user.aliases.length)).toEqual([100, 100, 100]);
    });
  });
}

export function large(id: UserId, mark: RecordId): Profile {
  const rejected = { counted: "sessions" as const, count: 5_000_001, max: 5_000_000 };
  return { ...profileOf(id, mark), externalId: `x-${id}`, aliases: [{ label: "l", name: "n" }], rejected };
}

/** A store as the suite of rejected users writes to it. */
export function rejecting(
  { store: { profiles }, close }: { readonly store: { readonly profiles: ProfileStore & ProfileWriter }; close(): Promise<void> },
): OpenedRejected {
  return {
    profiles,
    async save(workspaceId, users, mark) {
      const states = Array.from(users, ([id, profile]) => [id, { profile, mark, openMerges: [], isNew: false }] as const);
      await profiles.save(changes(workspaceId, { users: new Map(states) }));
    },
    close,
  };
}
