/** Limits of who shows no good key: wrong keys, what a key may not do, and links; who has a good key notices none of it. */
import { expect, test } from "vitest";
import { addressLimits } from "../../gateway/access/limits-table.ts";
import { apiKey, declared, scimTokens } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const tracker = "a-key-that-may-only-track-things";
const suite = heddleSuite({
  env: { HEDDLE_TRUSTED_PROXIES: "127.0.0.1" },
  apply: declared({
    company: { scimTokens: scimTokens("scim-token-of-the-limits") },
    keys: [apiKey("tracker", tracker, ["users.track"])],
  }),
});
const { refused_requests: refused, link_uses: link } = addressLimits;

async function send(path: string, address: string, init: RequestInit = {}): Promise<Response> {
  const headers = { "x-forwarded-for": address, "content-type": "application/json", ...init.headers as Record<string, string> };
  const answer = await fetch(suite.heddle.url + path, { redirect: "manual", ...init, headers });
  await answer.arrayBuffer();
  return answer;
}

/** Sends until an answer is 429, some at a time; the counts of others and that answer. */
async function untilLimited(
  one: (at: number) => Promise<Response>,
  most: number,
): Promise<{ before: number; statuses: number[]; limited: Response }> {
  const statuses: number[] = [];
  for (let start = 0; start < most; start += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => one(start + at)));
    const limited = answers.find(({ status }) => status === 429);
    statuses.push(...answers.filter(({ status }) => status !== 429).map(({ status }) => status));
    if (limited) return { before: statuses.length, statuses, limited };
  }
  throw new Error(`Expected a 429 within ${most} requests`);
}

const body = (id: string) => JSON.stringify({ attributes: [{ external_id: id, a: 1 }] });

test("wrong keys, missing ones and what a key may not do are counted by address, and a good key from there is served", async () => {
  const address = "198.51.100.7";
  const keyless = () => send("/users/track", address, { method: "POST", body: "{}" });
  const wrong = [
    keyless,
    () => send("/users/track", address, { method: "POST", body: "{}", headers: { authorization: "Bearer a-key-that-nobody-has" } }),
    () => send("/email/status", address, { method: "POST", body: "{}", headers: { authorization: `Bearer ${tracker}` } }),
    () => send("/scim/v2/Users", address, { headers: { authorization: "Bearer no-token" } }),
  ];
  const { before, statuses, limited } = await untilLimited((at) => (wrong[at % wrong.length] ?? keyless)(), refused.capacity * 8);
  // A bucket fills again while it is emptied, and each of several gateways has one
  expect(before).toBeGreaterThanOrEqual(refused.capacity);
  expect(new Set(statuses)).toEqual(new Set([401, 403]));
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(limited.headers.get("x-heddle-reason")).toBe("RATE_LIMITED");
  const good = { method: "POST", body: body(fresh()), headers: { authorization: `Bearer ${demoKey}` } };
  for (let at = 0; at < 5; at += 1) expect((await send("/users/track", address, good)).status).toBe(201);
  // Another address is another client
  expect((await send("/users/track", "198.51.100.8", { method: "POST", body: "{}" })).status).toBe(401);
}, 180_000);

test("one link is used so often and no more, by pages and by one-click unsubscribes", async () => {
  for (
    const [path, init] of [
      ["/preferences/no-such-link", { method: "POST", body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } }],
      ["/preferences/no-other-link", {}],
      ["/unsubscribe/no-third-link", { method: "POST", body: "" }],
    ] as const
  ) {
    const { before, limited } = await untilLimited((at) => send(path, `203.0.113.${at % 200}`, init), link.capacity * 8);
    expect(before).toBeGreaterThanOrEqual(link.capacity);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await send(path.replace("no-", "quite-"), "203.0.113.1", init)).status).not.toBe(429);
  }
}, 180_000);
