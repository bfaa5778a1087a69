/** Lists of people in the console: the newest, the blocked, and those no order of their own is kept for: changed last, or in a group. */
import { expect, test } from "vitest";
import { apiKey, declared } from "../declaration.ts";
import { fresh, heddleSuite } from "../suite.ts";

const viewer = "a-key-that-may-only-look";
const groupId = "group-of-people";
const heddle = heddleSuite({
  apply: declared({
    demo: { subscriptionGroups: [{ id: groupId, name: "Weekly", channel: "email" }] },
    keys: [apiKey("viewer", viewer, ["console.view"])],
  }),
});

async function track(...all: readonly object[]): Promise<void> {
  expect((await heddle.request("POST", "/users/track", { attributes: all })).status).toBe(201);
}

test("people are listed from the newest on, and who is blocked apart", async () => {
  const ids = Array.from({ length: 3 }, () => fresh());
  for (const id of ids) await track({ external_id: id });
  const listed = async (body: object) =>
    (await heddle.request("POST", "/console/people", body, { key: viewer })).body as unknown as {
      users: { external_id?: string }[];
      next_page_token?: string;
    };
  const { users } = await listed({ list: "newest" });
  expect(users.slice(0, 3).map(({ external_id: id }) => id)).toEqual(ids.toReversed());
  expect(await listed({ list: "blocked" })).toMatchObject({ users: [] });
  expect((await heddle.request("POST", "/console/people", { list: "best" }, { key: viewer })).status).toBe(400);
  const all = [new Set<string>(), new Set<string>()];
  for (const [at, list] of ["newest", "oldest"].entries()) {
    for (let token: string | undefined = ""; token !== undefined;) {
      const page: Awaited<ReturnType<typeof listed>> = await listed({ list, ...(token !== "" && { page_token: token }) });
      for (const { external_id: id } of page.users) all[at]?.add(id ?? "");
      token = page.next_page_token;
    }
  }
  expect(all[0]).toEqual(all[1]);
});

test("people are listed by who was changed last", async () => {
  const ids = Array.from({ length: 3 }, () => fresh());
  for (const id of ids) await track({ external_id: id });
  const [first = "", second = "", third = ""] = ids;
  const listed = async (body: object) => {
    const { users } = (await heddle.request("POST", "/console/people", body, { key: viewer })).body as unknown as {
      users: { external_id?: string; updated_at: string }[];
    };
    return { ids: users.map(({ external_id: id }) => id), times: users.map(({ updated_at: at }) => Date.parse(at)) };
  };
  await track({ external_id: second, a: 1 });
  // Events go out behind the changes that they report
  const lastThree = async () => (await listed({ list: "changed" })).ids.slice(0, 3);
  await expect.poll(lastThree).toEqual([second, third, first]);
  // One request is one moment: then the order of its objects says who came last
  await track({ external_id: first, a: 2 }, { external_id: third, a: 2 });
  await expect.poll(lastThree).toEqual([third, first, second]);
  await track({ external_id: third, a: 3 }, { external_id: first, a: 3 });
  await expect.poll(lastThree).toEqual([first, third, second]);
  const { times } = await listed({ list: "changed" });
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test("members of a group are found in pages, and what is no list is refused", async () => {
  const [first = "", second = "", third = ""] = [fresh(), fresh(), fresh()];
  const ids = [first, second, third];
  await track(...ids.map((id) => ({ external_id: id })));
  const setTo = (state: string, externalIds: readonly string[]) =>
    heddle.request("POST", "/subscription/status/set", {
      subscription_group_id: groupId,
      subscription_state: state,
      external_id: externalIds,
    });
  expect((await setTo("subscribed", [first, second])).status).toBe(201);
  expect((await setTo("unsubscribed", [third])).status).toBe(201);
  const members = async (list: string) => {
    const found: (string | undefined)[] = [];
    for (let token: string | undefined = ""; token !== undefined;) {
      const body: object = { list, group_id: groupId, ...(token !== "" && { page_token: token }) };
      const answer = await heddle.request("POST", "/console/people", body, { key: viewer });
      const page = answer.body as unknown as { users: { external_id?: string }[]; next_page_token?: string; looked_at: number };
      expect(page.looked_at).toBeGreaterThanOrEqual(page.users.length);
      found.push(...page.users.map(({ external_id: id }) => id));
      token = page.next_page_token;
    }
    return found.filter((id) => ids.includes(id ?? "")).toSorted();
  };
  await expect.poll(() => members("subscribed")).toEqual([first, second].toSorted());
  await expect.poll(() => members("unsubscribed")).toEqual([third]);
  expect((await heddle.request("GET", "/console/groups", undefined, { key: viewer })).body).toMatchObject({
    groups: expect.arrayContaining([expect.objectContaining({ id: groupId, archived: false })]) as unknown,
  });
  for (
    const bad of [
      { list: "subscribed" },
      { list: "newest", group_id: groupId },
      { list: "subscribed", group_id: "no-such-group" },
      { list: "subscribed", group_id: groupId, page_token: "x" },
    ]
  ) {
    expect((await heddle.request("POST", "/console/people", bad, { key: viewer })).status, JSON.stringify(bad)).toBe(400);
  }
});
