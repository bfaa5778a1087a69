/** Limits as callers meet them: declared ones, exact counts, honest headers, and each API's own form of 429. */
import { afterAll, expect, test } from "vitest";
import { type Answer, callHeddle } from "../client.ts";
import { apiKey, declared, scimTokens, workspace } from "../declaration.ts";
import { demoKey, testShape } from "../heddle.ts";
import type { HeddleProcess } from "../heddle-process.ts";
import { heddleSuite } from "../suite.ts";

const token = "scim-token-of-the-limits";
/** So few in windows so long that hardly one comes back while a test runs. */
const heddle = heddleSuite({
  apply: declared({
    company: { onboardedAt: "2026-01-01", limits: { scim: 4 }, scimTokens: scimTokens(token) },
    demo: {
      limits: {
        users_export_ids: 3,
        users_identity: 4,
        users_merge_read: 5,
        subscription_status_get: 2,
        translations: 2,
        unknown_routes: 2,
      },
    },
    keys: [apiKey("second", "second-key-of-demo")],
    others: [
      workspace("plan", [apiKey("all", "key-of-the-plan-1")], {
        plan: { kind: "monthly_active_users", requestsPerHour: 6, requestsPerSecondBurst: 1_000 },
      }),
      workspace("burst", [apiKey("all", "key-of-the-burst")], {
        plan: { kind: "monthly_active_users", requestsPerHour: 1_000, requestsPerSecondBurst: 1 },
      }),
      workspace("tracked", [apiKey("all", "key-of-the-tracked"), apiKey("reader", "key-that-may-not-track", ["users.export.ids"])], {
        limits: { users_track: 1, users_track_sync: 1, users_track_bulk: 1 },
      }),
      workspace("fresh", [apiKey("all", "key-of-the-fresh")]),
    ],
  }),
});
let second: HeddleProcess | undefined;
afterAll(async () => {
  second?.kill("SIGTERM");
  await second?.ended;
});

const limitHeaders = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

type Send = (at: number) => Promise<Answer>;

/** Sends until the first refusal; gives what was admitted, and the refusal. At most a token may have come back meanwhile. */
async function untilRefused(send: Send, capacity: number): Promise<{ admitted: Answer[]; refusal: Answer }> {
  const admitted: Answer[] = [];
  for (let at = 0; at <= capacity + 2; at += 1) {
    const answer = await send(at);
    if (answer.status === 429) {
      expect([capacity, capacity + 1]).toContain(admitted.length);
      return { admitted, refusal: answer };
    }
    admitted.push(answer);
  }
  throw new Error(`Expected a refusal after ${capacity}, got none`);
}

function mustBeRefused({ headers, status }: Answer, capacity: number): void {
  expect(status).toBe(429);
  const seconds = Number(headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(headers.get("x-ratelimit-retry-after")).toBe(String(seconds));
  expect(headers.get("x-ratelimit-limit")).toBe(String(capacity));
  expect(headers.get("x-ratelimit-remaining")).toBe("0");
  expect(Number(headers.get("x-ratelimit-reset"))).toBeGreaterThan(Date.now() / 1_000);
  expect(headers.get("ratelimit")).toMatch(/^"\w+";r=0;t=\d+/);
}

test("limits: a declared number is what is admitted, and the headers count it down", async () => {
  const { admitted, refusal } = await untilRefused(() => heddle.post("/users/export/ids", { external_ids: ["a"] }), 3);
  expect(admitted.slice(0, 3).map(({ headers }) => headers.get("x-ratelimit-remaining"))).toEqual(["2", "1", "0"]);
  expect(admitted[0]?.headers.get("ratelimit-policy")).toBe('"users_export_ids";q=3;w=60');
  mustBeRefused(refusal, 3);
  expect(refusal.body).toEqual({ message: "You have exceeded the maximum number of requests. Please try again later." });
});

test("limits: routes that share a bucket take from it together, whichever key of the workspace asks", async () => {
  const routes = ["/users/alias/new", "/users/alias/update", "/users/merge", "/users/identify", "/users/delete"];
  const keys = [demoKey, "second-key-of-demo"];
  // Nothing valid is asked for: what is refused afterwards was counted all the same
  const { admitted, refusal } = await untilRefused((at) => heddle.post(routes[at % routes.length] ?? "", {}, { key: keys[at % 2] }), 4);
  for (const { status } of admitted) expect(status).toBe(400);
  mustBeRefused(refusal, 4);
  const elsewhere = await heddle.post("/users/identify", {}, { key: "key-of-the-fresh" });
  expect([elsewhere.status, elsewhere.headers.get("x-ratelimit-limit"), elsewhere.headers.get("x-ratelimit-remaining")]).toEqual([
    400,
    "20000",
    "19999",
  ]);
});

test("limits: a plan's hour and its burst both hold", async () => {
  const body = { attributes: [{ external_id: "a", b: 1 }] };
  const hour = await untilRefused(() => heddle.post("/users/track", body, { key: "key-of-the-plan-1" }), 6);
  mustBeRefused(hour.refusal, 6);
  expect(hour.admitted[0]?.headers.get("ratelimit-policy")).toBe('"users_track_second";q=1000;w=1, "users_track_hour";q=6;w=3600');
  const many = await Promise.all(
    Array.from({ length: 40 }, () => heddle.request("POST", "/users/track", body, { key: "key-of-the-burst" })),
  );
  const refused = many.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers.get("x-ratelimit-limit")).toBe("1");
  expect(refused[0]?.headers.get("retry-after")).toBe("1");
  // What the burst refused was not taken from the hour
  const last = await heddle.post("/users/track/bulk", {}, { key: "key-of-the-burst" });
  expect(last.status).toBe(400);
});

test("limits: 429 of translations and of SCIM have their own forms", async () => {
  const put = () => heddle.request("PUT", "/canvas/translations", { translation_map: {} });
  const ways = [() => heddle.get("/campaigns/translations/?campaign_id=x"), () => heddle.get("/canvas/translations/source?step_id=x"), put];
  const translations = await untilRefused((at) => (ways[at % ways.length] ?? put)(), 2);
  mustBeRefused(translations.refusal, 2);
  expect(translations.refusal.body).toMatchObject({
    errors: [{ message: "You have exceeded the maximum number of requests. Please try again later." }],
  });
  const call = { key: token, headers: { "x-request-origin": "okta" } };
  const scim = await untilRefused((at) => heddle.request("GET", at % 2 ? "/scim/v2/Users" : "/scim/v2/Schemas", undefined, call), 4);
  mustBeRefused(scim.refusal, 4);
  expect(scim.refusal.body).toMatchObject({ schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: 429 });
});

test("limits: 429 and 403 of /users/track and its variants have their text in errors too", async () => {
  for (const path of ["/users/track", "/users/track/sync", "/users/track/bulk"]) {
    const { refusal } = await untilRefused(() => heddle.post(path, { attributes: [] }, { key: "key-of-the-tracked" }), 1);
    const denied = await heddle.post(path, {}, { key: "key-that-may-not-track" });
    for (const [{ status, body }, expected] of [[refusal, 429], [denied, 403]] as const) {
      expect([status, body], path).toEqual([expected, { message: expect.stringMatching(/\w/), errors: [body.message] }]);
    }
  }
});

test("limits: 404 and 405 are counted and told to who is known, and to nobody else are the headers empty", async () => {
  const { admitted, refusal } = await untilRefused((at) => heddle.get(at === 0 ? "/users/track" : "/no/such/route"), 2);
  expect(admitted.slice(0, 2).map(({ status, headers }) => [status, headers.get("x-ratelimit-remaining")])).toEqual([[405, "1"], [
    404,
    "0",
  ]]);
  mustBeRefused(refusal, 2);
  for (const key of [undefined, "nobody-has-this-key"]) {
    const stranger = await heddle.get("/no/such/route", { key });
    expect([stranger.status, ...limitHeaders.map((name) => stranger.headers.get(name))]).toEqual([404, "", "", ""]);
  }
});

test("limits: who may not call spends nothing and is told what is left", async () => {
  const before = await heddle.get("/subscription/status/get", { key: demoKey });
  for (let at = 0; at < 5; at += 1) await heddle.get("/subscription/status/get", { key: "nobody-has-this-key" });
  expect(before.headers.get("x-ratelimit-remaining")).toBe("1");
  expect((await heddle.get("/subscription/status/get")).headers.get("x-ratelimit-remaining")).toBe("0");
  const unknown = await heddle.get("/subscription/status/get", { key: "nobody-has-this-key" });
  expect(limitHeaders.map((name) => unknown.headers.get(name))).toEqual(["", "", ""]);
});

if (testShape === "mesh") {
  test("limits: many requests at once, at two gateways, are admitted as often as the bucket says", async () => {
    second = await heddle.heddle.startGateway();
    const urls = [heddle.heddle.url, second.url];
    const call = { method: "POST", path: "/users/merge/preview", body: {}, key: demoKey };
    const many = await Promise.all(Array.from({ length: 60 }, (_, at) => callHeddle(urls[at % 2] ?? "", call)));
    const admitted = many.filter(({ status }) => status !== 429);
    expect([5, 6]).toContain(admitted.length);
    const left = admitted.map(({ headers }) => Number(headers.get("x-ratelimit-remaining"))).sort((a, b) => b - a);
    expect(left.slice(0, 5)).toEqual([4, 3, 2, 1, 0]);
    // Five an hour: each that was taken is back in 12 minutes
    for (const { headers } of admitted) {
      const minutes = (Number(headers.get("x-ratelimit-reset")) - Date.now() / 1_000) / 60;
      expect(Math.abs(minutes - 12 * (5 - Number(headers.get("x-ratelimit-remaining"))))).toBeLessThan(2);
    }
  });
}
