/** The permission and the limit that the service description publishes for each route, written down here a second time. */
import { expect, test } from "vitest";
import { apiKey, declared, keyPerPermission, operatorPermissions, workspace } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { heddleSuite } from "../suite.ts";

const [second, minute, hour, day] = [1, 60, 3_600, 86_400];

/** Route, permission, requests, and the seconds in which they may come. */
const routes: readonly (readonly [route: string, permission: string, requests: number, seconds: number])[] = [
  ["POST /users/track", "users.track", 3_000, 3 * second],
  ["POST /v2/subscription/status/set", "subscription.status.set", 5_000, minute],
  ["POST /subscription/status/set", "subscription.status.set", 5_000, minute],
  ["GET /subscription/status/get", "subscription.status.get", 250_000, hour],
  ["POST /users/merge", "users.merge", 20_000, minute],
  ["POST /users/alias/new", "users.alias.new", 20_000, minute],
  ["POST /users/alias/update", "users.alias.update", 20_000, minute],
  ["POST /users/identify", "users.identify", 20_000, minute],
  ["POST /users/delete", "users.delete", 20_000, minute],
  ["POST /email/status", "email.status", 250_000, hour],
  ["POST /email/blocklist", "email.blacklist", 250_000, hour],
  ["POST /sms/invalid_phone_numbers/remove", "sms.invalid_phone_numbers.remove", 250_000, hour],
  ["PUT /preference_center/v1/{id}", "preference_center.update", 10, minute],
  ["GET /preference_center/v1/{id}", "preference_center.get", 1_000, minute],
  ["GET /campaign/translations", "campaigns.translations.get", 250_000, day],
  ["GET /canvas/translations", "canvas.translations.get", 250_000, day],
  ["POST /users/track/sync", "users.track.sync", 500, minute],
  ["POST /users/track/bulk", "users.track.bulk", 50, second],
  ["POST /users/export/ids", "users.export.ids", 250, minute],
  ["POST /users/external_ids/rename", "users.external_ids.rename", 1_000, minute],
  ["POST /users/external_ids/remove", "users.external_ids.remove", 1_000, minute],
  ["GET /subscription/user/status", "subscription.groups.get", 250_000, hour],
  ["GET /email/unsubscribes", "email.unsubscribe", 250_000, hour],
  ["GET /email/hard_bounces", "email.hard_bounces", 250_000, hour],
  ["POST /email/blacklist", "email.blacklist", 250_000, hour],
  ["POST /email/bounce/remove", "email.bounce.remove", 250_000, hour],
  ["POST /email/spam/remove", "email.spam.remove", 250_000, hour],
  ["GET /sms/invalid_phone_numbers", "sms.invalid_phone_numbers", 250_000, hour],
  ["POST /preference_center/v1", "preference_center.update", 10, minute],
  ["GET /preference_center/v1/list", "preference_center.list", 1_000, minute],
  ["GET /preference_center/v1/{id}/url/ann", "preference_center.user.get", 1_000, minute],
  ["PUT /campaigns/translations", "campaigns.translations.update", 250_000, day],
  ["PUT /canvas/translations", "canvas.translations.update", 250_000, day],
];
const permissions = [...new Set(routes.map(([, permission]) => permission))];

const heddle = heddleSuite({
  apply: declared({
    company: { onboardedAt: "2024-08-22" },
    demo: { apiKeys: [apiKey("all", demoKey, [...operatorPermissions, "console.bodies"]), ...keyPerPermission(permissions)] },
    others: [workspace("few", [apiKey("all", "key-of-few-requests")], {
      limits: { subscription_status_set: 4, email_status: 4, email_blocklist: 4, sms_invalid_phone_numbers_remove: 4, translations: 4 },
    })],
    companies: [
      { name: "older", onboardedAt: "2021-09-15", workspaces: [workspace("demo", [apiKey("all", "key-of-an-older-customer")])] },
      { name: "younger", onboardedAt: "2021-09-16", workspaces: [workspace("demo", [apiKey("all", "key-of-a-younger-customer")])] },
    ],
  }),
});

function call(route: string, key = demoKey) {
  const [method = "", path = ""] = route.split(" ");
  const body = method === "GET" ? undefined : {};
  return heddle.request(method, path.replace("{id}", "019c0000-0000-7000-8000-00000000ffff"), body, { key });
}

for (const [route, permission, requests, seconds] of routes) {
  test(`${route} needs '${permission}'`, async () => {
    const missing = `Access Denied: the API key does not have the permission '${permission}'`;
    const other = permissions.find((name) => name !== permission) ?? "";
    expect([(await call(route, `only-${other}`)).status, (await call(route, `only-${other}`)).body.message]).toEqual([403, missing]);
    expect((await call(route, `only-${permission}`)).body.message).not.toBe(missing);
  });

  test(`${route} shows ${requests} in ${seconds} seconds`, async () => {
    const { headers } = await call(route);
    expect([headers.get("x-ratelimit-limit"), headers.get("ratelimit-policy")]).toEqual([
      String(requests),
      expect.stringMatching(new RegExp(`^"\\w+";q=${requests};w=${seconds}$`)),
    ]);
    expect(headers.get("x-ratelimit-reset")).toMatch(/^\d{10}$/);
  });
}

test("customers of before September 16, 2021 have the hourly default on the routes of users", async () => {
  for (
    const route of ["POST /users/merge", "POST /users/alias/new", "POST /users/alias/update", "POST /users/identify", "POST /users/delete"]
  ) {
    const [older, younger] = [await call(route, "key-of-an-older-customer"), await call(route, "key-of-a-younger-customer")];
    expect([older, younger].map(({ headers }) => headers.get("x-ratelimit-limit"))).toEqual(["250000", "20000"]);
  }
});

/** What is left after each request, in a workspace where few may be made. */
async function leftAfter(calls: readonly string[]): Promise<number[]> {
  const left: number[] = [];
  for (const route of calls) left.push(Number((await call(route, "key-of-few-requests")).headers.get("x-ratelimit-remaining")));
  return left;
}

test("both versions of the subscription set take from one budget", async () => {
  const calls = ["POST /subscription/status/set", "POST /v2/subscription/status/set", "POST /subscription/status/set"];
  expect(await leftAfter(calls)).toEqual([3, 2, 1]);
});

test("the three routes of addresses have a budget each", async () => {
  const calls = ["POST /email/status", "POST /email/blocklist", "POST /sms/invalid_phone_numbers/remove"];
  expect(await leftAfter([...calls, ...calls])).toEqual([3, 3, 3, 2, 2, 2]);
});

test("viewing and listing translations of campaigns and canvases take from one budget", async () => {
  const calls = ["GET /campaign/translations", "GET /canvas/translations", "GET /campaign/translations/", "GET /canvas/translations/"];
  expect(await leftAfter(calls)).toEqual([3, 2, 1, 0]);
});

test("customers of before August 22, 2024 have ten times as many exports", async () => {
  const [older, younger] = [await call("POST /users/export/ids", "key-of-a-younger-customer"), await call("POST /users/export/ids")];
  expect([older, younger].map(({ headers }) => headers.get("x-ratelimit-limit"))).toEqual(["2500", "250"]);
});

test("401 is kept by nobody, and its three headers of the limit are empty", async () => {
  const { status, headers } = await call("POST /users/track", "nobody-has-this-key");
  expect([status, headers.get("cache-control")]).toEqual([401, "no-store"]);
  expect(["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`))).toEqual(["", "", ""]);
});

test("the bucket of a limit is full again when X-RateLimit-Reset says", async () => {
  await call("POST /email/blocklist", "key-of-few-requests");
  const { headers } = await call("POST /email/blocklist", "key-of-few-requests");
  const [left, reset] = [Number(headers.get("x-ratelimit-remaining")), Number(headers.get("x-ratelimit-reset"))];
  expect(left).toBeLessThanOrEqual(2);
  // Four an hour: each that was taken is back in a quarter of an hour
  const minutes = (reset - Date.now() / 1_000) / 60;
  expect(Math.abs(minutes - (4 - left) * 15)).toBeLessThan(2);
});
