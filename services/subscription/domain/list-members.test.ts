/** Who is in a group: pages bounded by who is found and by who is looked at. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { listMembers } from "./list-members.ts";
import { type MembershipState, noMemberships, type UserMemberships } from "./memberships.ts";

const group = { id: "g", name: "G", channel: "email" as const, archived: false, turns: [0] };

/** `count` users, of whom those have a state in `g` whom `stateOf` gives one. */
function depsOf(count: number, stateOf: (at: number) => MembershipState | undefined) {
  const ids = Array.from({ length: count }, (_, at) => `u${String(at).padStart(6, "0")}`);
  const rows = new Map(ids.map((id, at): [string, UserMemberships] => {
    const state = stateOf(at);
    return [id, { ...noMemberships(id), groups: new Map(state === undefined ? [] : [["g", state]]) }];
  }));
  return {
    store: {
      groups: () => Promise.resolve([group]),
      load: (_: string, asked: readonly string[]) =>
        Promise.resolve(
          new Map(asked.flatMap((id) => {
            const row = rows.get(id);
            return row === undefined ? [] : [[id, row] as const];
          })),
        ),
    },
    ledger: {
      subjects(_: string, { from, max }: { from: string | undefined; max: number }) {
        const start = from === undefined ? 0 : Number(from);
        const subjects = ids.slice(start, start + max);
        return Promise.resolve({ subjects, next: start + max < ids.length ? String(start + max) : undefined });
      },
    },
  };
}

const asked = { workspaceId: "w", groupId: "g", state: "subscribed" as const, from: undefined };

test("members of one state are found, each once, over all pages", async () => {
  const of = depsOf(5_000, (at) => at % 7 === 0 ? "subscribed" : at % 7 === 1 ? "unsubscribed" : undefined);
  const found: string[] = [];
  let from: string | undefined;
  let looked = 0;
  do {
    const page = await listMembers(of, { ...asked, from });
    expect(page.users.length).toBeLessThan(2 * limits.membersPerPage);
    found.push(...page.users);
    looked += page.lookedAt;
    from = page.next;
  } while (from !== undefined);
  expect(found).toHaveLength(Math.ceil(5_000 / 7));
  expect(new Set(found).size).toBe(found.length);
  expect(looked).toBe(5_000);
});

test("a page of a group with few members is bounded by who is looked at, and has a next one", async () => {
  const page = await listMembers(depsOf(10_000, (at) => at === 9_999 ? "subscribed" : undefined), asked);
  expect(page).toMatchObject({ users: [], lookedAt: limits.membersLookedAtMax, next: String(limits.membersLookedAtMax) });
});

test("a page that is full looks no further", async () => {
  const page = await listMembers(depsOf(10_000, () => "subscribed"), asked);
  expect(page).toMatchObject({ lookedAt: limits.membersPerPage, next: String(limits.membersPerPage) });
  expect(page.users).toHaveLength(limits.membersPerPage);
});

test("an unknown group is refused", async () => {
  await expect(listMembers(depsOf(1, () => "subscribed"), { ...asked, groupId: "none" })).rejects.toMatchObject({
    reason: "INPUT_INVALID",
  });
});
