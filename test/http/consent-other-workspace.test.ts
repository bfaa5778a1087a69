/** Consent of another workspace is not there: neither its groups nor who is in them. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Answer } from "../client.ts";
import { apiKey, declared, workspace } from "../declaration.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const ownGroup = "5c7a6c1e-1111-4c6b-9d0a-000000000001";
const theirGroup = "5c7a6c1e-2222-4c6b-9d0a-000000000002";
const theirKey = "key-of-another-workspace";
const heddle = heddleSuite({
  apply: declared({
    demo: { subscriptionGroups: [{ id: ownGroup, name: "own", channel: "email" }] },
    others: [workspace("other", [apiKey("all", theirKey)], { subscriptionGroups: [{ id: theirGroup, name: "theirs", channel: "email" }] })],
  }),
});
const user = { external_id: fresh(), email: freshEmail() };

function theirs(method: string, path: string, body?: unknown): Promise<Answer> {
  return heddle.request(method, path, body, { key: theirKey });
}

/** An answer without what is of one request alone. */
function told({ status, text }: Answer, name: string): string {
  return `${status} ${text.replaceAll(name, "NAME")}`;
}

test("a subscription group of theirs is one that we do not have", async () => {
  const set = (group: string) =>
    heddle.post("/subscription/status/set", {
      subscription_group_id: group,
      subscription_state: "subscribed",
      external_id: [user.external_id],
    });
  const nobodys = randomUUID();
  expect(told(await set(theirGroup), theirGroup)).toBe(told(await set(nobodys), nobodys));
  const get = (group: string) => heddle.get(`/subscription/status/get?subscription_group_id=${group}&external_id=${user.external_id}`);
  expect(told(await get(theirGroup), theirGroup)).toBe(told(await get(nobodys), nobodys));
});

test("consent of ours is unknown to them", async () => {
  await heddle.track({ attributes: [user] });
  await heddle.accept("/subscription/status/set", {
    subscription_group_id: ownGroup,
    subscription_state: "unsubscribed",
    external_id: [user.external_id],
  });
  await heddle.accept("/email/blocklist", { email: [user.email] });
  const since = "start_date=2020-01-01&end_date=2099-01-01";
  expect((await theirs("GET", `/email/unsubscribes?${since}`)).text).not.toContain(user.email);
  expect((await theirs("GET", `/email/unsubscribes?email=${user.email}&end_date=2099-01-01`)).text).not.toContain("unsubscribed_at");
  const answer = await theirs("GET", `/subscription/user/status?external_id=${user.external_id}`);
  expect(answer.body).toEqual({ users: [], total_count: 0, message: "success" });
});
