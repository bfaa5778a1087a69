/** An export reads on only as long as a client waits for it (reliability S24). */
import { expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import { allApplied } from "./applied.fixture.ts";
import type { ReadDeps } from "./catch-up.ts";
import { exportUsers } from "./export-users.ts";
import type { IdentityKey } from "../identity/identity.ts";
import type { StoredUser } from "../ports.ts";
import type { UserId } from "../record/user-key.ts";

const sharers = Array.from({ length: limits.exportUsersPerRead * 3 + 1 }, (_, at) => ({
  id: at.toString(16).padStart(24, "0"),
  identified: true,
  updated: [0, 0],
}));
const request = { workspaceId: "w", readAfter: undefined, users: [{ by: "email" as const, address: "a@x.org" }] };

/** Everybody has the same address; `onRead` runs in every read of users. */
function depsOf(onRead: (ids: readonly UserId[]) => void, applied = allApplied()): ReadDeps {
  return {
    intake: { tail: async () => ({ partition: 0, sequence: 1 }) },
    applied,
    identities: {
      load: async (_workspace: string, keys: readonly IdentityKey[]) =>
        new Map<IdentityKey, unknown>(keys.map((key) => [key, key.startsWith("e:") ? sharers : { id: key.slice(2) }])),
    },
    profiles: {
      async loadUsers(_workspace: string, ids: readonly UserId[]) {
        onRead(ids);
        return new Map(ids.map((id) => [id, { profile: { id }, blocked: false } as StoredUser]));
      },
    },
  } as unknown as ReadDeps;
}

test("users are read some at a time, each once", async () => {
  const reads: number[] = [];
  const { profiles } = await exportUsers(depsOf((ids) => reads.push(ids.length)), request);
  const each = limits.exportUsersPerRead;
  expect(reads).toEqual([each, each, each, 1]);
  expect(new Set(profiles.map(({ id }) => id)).size).toBe(sharers.length);
});

test("a client that hangs up during a read has the last one", async () => {
  const client = new AbortController();
  let reads = 0;
  const exported = exportUsers(
    depsOf(() => {
      reads += 1;
      if (reads === 2) client.abort(new Error("nobody waits"));
    }),
    { ...request, signal: client.signal },
  );
  await expect(exported).rejects.toThrow("nobody waits");
  expect(reads).toBe(2);
});

test("an export waits until what was decided is applied to the users that it names, and to nobody else; where that takes too long it is behind", async () => {
  const asked: unknown[] = [];
  let isApplied = true;
  const applied = allApplied({
    wait: () => Promise.resolve(false),
    waitUsers(position, { workspaceId, ids }, ms) {
      asked.push([position, workspaceId, ids.length, ms]);
      return Promise.resolve(isApplied ? ms - 1 : undefined);
    },
  });
  expect((await exportUsers(depsOf(() => {}, applied), request)).behind).toBe(false);
  expect(asked).toEqual([[{ partition: 0, sequence: 1 }, "w", sharers.length, limits.readWaitMs]]);
  isApplied = false;
  expect((await exportUsers(depsOf(() => {}, applied), request)).behind).toBe(true);
});

test("a user who was merged into another between the reads of names and of users is found in that one, also while others' lanes are behind", async () => {
  const asked: number[] = [];
  let isMerged = false;
  const applied = allApplied({
    through: () => 0,
    decidedThrough: () => (isMerged ? 7 : 1),
    waitDecided({ sequence }, ms) {
      asked.push(sequence);
      isMerged ||= sequence === 7;
      return Promise.resolve(ms);
    },
  });
  const world = {
    ...depsOf(() => {}, applied),
    identities: {
      load: async (_workspace: string, keys: readonly IdentityKey[]) =>
        new Map<IdentityKey, unknown>(keys.map((key) => [key, key.startsWith("x:") ? (isMerged ? "u2" : "u1") : { id: key.slice(2) }])),
    },
    profiles: {
      loadUsers: async (_workspace: string, ids: readonly UserId[]) =>
        new Map(
          ids.map((id) => [id, { profile: id === "u1" ? undefined : { id }, blocked: false, mark: [7, 0] } as unknown as StoredUser]),
        ),
    },
  } as unknown as ReadDeps;
  const { profiles, unknown, behind } = await exportUsers(world, { workspaceId: "w", users: [{ by: "externalId", id: "ann" }] });
  expect([profiles.map(({ id }) => id), unknown, behind, asked]).toEqual([["u2"], [], false, [1, 7]]);
});
