/** POST /users/track where one workspace sends more than can be applied: it is slowed, and no other workspace or call is. */
import { expect, test } from "vitest";
import type { Answer } from "../client.ts";
import { apiKey, declared, workspace } from "../declaration.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const otherKey = "other-key-of-the-tests";
const group = "0c2f3b1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e";
const heddle = heddleSuite({
  apply: declared({
    demo: {
      plan: { kind: "monthly_active_users", requestsPerHour: 1_000_000, requestsPerSecondBurst: 100_000 },
      subscriptionGroups: [{ id: group, name: "Letter", channel: "email" }],
    },
    others: [workspace("other", [apiKey("all", otherKey)])],
  }),
});

/** More than may wait in line, also where two processes take the requests of a workspace. */
const connections = 600;
const objects = 49;
const filling = Object.fromEntries(Array.from({ length: 3 }, (_, at) => [`text-${at}`, "x".repeat(250)]));

function call(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return heddle.request("POST", path, body, { headers });
}

test("what is too much is refused with its reason and when to come back, all else is taken, and what was taken is there once", async () => {
  const users = Array.from({ length: objects }, (_, at) => `${fresh()}-${at}`);
  const gone = fresh();
  const known = await call("/users/track", { attributes: [{ external_id: gone, first_name: "Ann" }] });
  await call("/users/export/ids", { external_ids: [gone] }, { "x-heddle-position": known.headers.get("x-heddle-position") ?? "" });

  const body = JSON.stringify({ attributes: users.map((external_id) => ({ external_id, visits: { inc: 1 }, ...filling })) });
  const refused: Answer[] = [];
  const others: Promise<Answer>[] = [];
  let taken = 0;
  async function flood(): Promise<void> {
    while (refused.length === 0) {
      const answer = await call("/users/track", body);
      if (answer.status === 201) taken += 1;
      else refused.push(answer);
    }
    if (others.length === 0) others.push(...besides(gone));
  }
  await Promise.all(Array.from({ length: connections }, flood));
  for (const answer of refused) {
    expect([answer.status, answer.headers.get("x-heddle-reason")], answer.text).toEqual([503, "BEHIND"]);
    expect(Number(answer.headers.get("retry-after"))).toBeOneOf(Array.from({ length: 30 }, (_, at) => at + 1));
    expect(answer.body.message).toMatch(/nothing was taken/);
  }
  expect((await Promise.all(others)).map(({ status, text }) => status < 300 ? "taken" : text)).toEqual(others.map(() => "taken"));

  await expect.poll(async () => (await call("/users/track", body)).status).toBe(201);
  const last = await call("/users/track", { attributes: [{ external_id: fresh(), first_name: "Ann" }] });
  const position = last.headers.get("x-heddle-position") ?? "";
  const { body: { users: found = [] } } = await call("/users/export/ids", { external_ids: [...users, gone] }, {
    "x-heddle-position": position,
  });
  expect(new Set(found.map((user) => user.custom_attributes?.["visits"]))).toEqual(new Set([taken + 1]));
  expect(found).toHaveLength(users.length);
});

/** What goes on meanwhile. */
function besides(gone: string): Promise<Answer>[] {
  return [
    call("/users/delete", { external_ids: [gone] }),
    call("/email/status", { email: freshEmail(), subscription_state: "unsubscribed" }),
    call("/subscription/status/set", { subscription_group_id: group, subscription_state: "subscribed", external_id: [fresh()] }),
    call("/users/alias/new", { user_aliases: [{ external_id: fresh(), alias_name: fresh(), alias_label: "crm" }] }),
    heddle.request("POST", "/users/track", { attributes: [{ external_id: fresh(), first_name: "Ben" }] }, { key: otherKey }),
  ];
}
