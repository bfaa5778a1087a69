/** What the console reads of a user: with the request that set each field, which is noted behind the step. */
import { expect, test } from "vitest";
import { allApplied } from "./applied.fixture.ts";
import { applyRecord } from "../profile/apply-records.ts";
import type { ReadDeps } from "./catch-up.ts";
import type { IdentityKey } from "../identity/identity.ts";
import { inspectUsers } from "./inspect-users.ts";
import type { RequestOrigin } from "../ports.ts";
import type { ProfileChange } from "../profile/profile-record.ts";

const id = "0".repeat(24);

/** One user whose email was set by the record at 7; its origin is there `afterWait` only, or never. */
function openDeps(originIs: "afterWait" | "tooOld") {
  const changes: ProfileChange[] = [{ type: "create" }, { type: "identity", email: "a@x.org" }];
  const made = changes.map((change, at) => ({ userId: id, mark: [6 + at, 0] as const, now: 0, change }));
  const profile = made.reduce<ReturnType<typeof applyRecord>>((before, record) => applyRecord(before ?? undefined, record), null);
  const waited: number[] = [];
  const isThere = () => originIs === "afterWait" && waited.length > 0;
  const deps = {
    intake: { tail: () => Promise.resolve({ partition: 0, sequence: 9 }) },
    applied: allApplied({
      through: () => (originIs === "tooOld" || waited.length > 0 ? 9 : 6),
      wait: ({ sequence }) => Promise.resolve(waited.push(sequence) > 0),
    }),
    identities: { load: (_: string, keys: readonly IdentityKey[]) => Promise.resolve(new Map(keys.map((key) => [key, { id }]))) },
    profiles: {
      loadUsers: () => Promise.resolve(new Map([[id, { profile, blocked: false }]])),
      loadOrigins: (_workspace: string, _partition: number, places: readonly number[]) =>
        Promise.resolve(new Map(places.filter(isThere).map((sequence) => [sequence, { sequence, actor: "key 1" } as RequestOrigin]))),
    },
  } as unknown as ReadDeps;
  return { deps, waited };
}

test.each([
  { origin: "afterWait" as const, shown: { sequence: 7, actor: "key 1" }, waited: [7] },
  { origin: "tooOld" as const, shown: { sequence: 7 }, waited: [] },
])("inspectUsers() waits for who asked where that may be on its way: $origin", async ({ origin, shown, waited }) => {
  const opened = openDeps(origin);
  const { users } = await inspectUsers(opened.deps, { workspaceId: "w", user: { by: "platformId", id } });
  expect(users[0]?.fields.find(({ name }) => name === "email")?.origin).toEqual(shown);
  expect(opened.waited).toEqual(waited);
});
