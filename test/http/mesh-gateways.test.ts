/** Several gateways before the same parts: who may call is the same at all of them, and limits are shared. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { callHeddle } from "../client.ts";
import { runCommand } from "../command-line.ts";
import type { HeddleProcess } from "../heddle-process.ts";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
let second: HeddleProcess;
beforeAll(async () => {
  second = await heddle.heddle.startGateway();
});
afterAll(async () => {
  second.kill("SIGTERM");
  expect(await second.ended).toBe(0);
});

/** The statuses of one call at each gateway. */
async function statuses(key: string): Promise<number[]> {
  const call = { method: "POST", path: "/users/track", body: { attributes: [{ external_id: "a", b: 1 }] }, key };
  const answers = await Promise.all([heddle.heddle.url, second.url].map((url) => callHeddle(url, call)));
  return answers.map(({ status }) => status);
}

async function command(...words: string[]): Promise<{ id: string; secret: string }> {
  const result = await runCommand(words, heddle.heddle.commandEnv);
  expect(result.code, result.errors).toBe(0);
  return words.includes("--json") ? JSON.parse(result.output) : { id: "", secret: "" };
}

test("gateways: a key made by a command works at all within a second, and a revoked one at none", async () => {
  const { id, secret } = await command("keys", "create", "--name", "shared", "--permissions", "users.track", "--json");
  const made = performance.now();
  await expect.poll(() => statuses(secret), { interval: 50 }).toEqual([201, 201]);
  const madeAfter = performance.now() - made;
  await command("keys", "revoke", id);
  const revoked = performance.now();
  await expect.poll(() => statuses(secret), { interval: 50 }).toEqual([401, 401]);
  const revokedAfter = performance.now() - revoked;
  console.log(`seen at all gateways: made after ${Math.round(madeAfter)} ms, revoked after ${Math.round(revokedAfter)} ms`);
  // A second is the promise; the rest is for a machine that has other things to do
  expect(Math.max(madeAfter, revokedAfter)).toBeLessThan(5_000);
});

test("gateways: what a token of an identity provider may do is known at all, and that it was revoked", async () => {
  const { id, secret } = await command("scim-tokens", "create", "--name", "idp", "--origin", "okta", "--json");
  const call = { method: "GET", path: "/scim/v2/Users/none", key: secret, headers: { "x-request-origin": "okta" } };
  const known = async () =>
    (await Promise.all([heddle.heddle.url, second.url].map((url) => callHeddle(url, call)))).map(({ status }) => status);
  await expect.poll(known, { interval: 50 }).toEqual([404, 404]);
  await command("scim-tokens", "revoke", id);
  const revoked = performance.now();
  await expect.poll(known, { interval: 50 }).toEqual([401, 401]);
  // A second is the promise; the rest is for a machine that has other things to do
  expect(performance.now() - revoked).toBeLessThan(5_000);
});

test("gateways: one Idempotency-Key at all of them at once has one effect and one answer", async () => {
  const id = fresh();
  const body = { purchases: [{ external_id: id, product_id: "p", currency: "USD", price: 1, time: "2026-03-01T12:00:00Z" }] };
  const send = (at: number, sent: object, headers: Record<string, string>) => {
    const url = at % 2 === 0 ? heddle.heddle.url : second.url;
    return callHeddle(url, { method: "POST", path: "/users/track", body: sent, key: heddle.heddle.key, headers });
  };
  const headers = { "idempotency-key": fresh("key") };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => send(at, body, headers)));
  expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [201, answers[0]?.text]));
  expect(answers.filter((answer) => answer.headers.get("idempotency-replayed") === null)).toHaveLength(1);
  expect((await send(1, { ...body, attributes: [{ external_id: id, a: 1 }] }, headers)).status).toBe(422);
  // One with a key of this kind at each gateway, and another body each: one of them is taken
  const both = { "idempotency-key": fresh("key") };
  const taken = await Promise.all([0, 1].map((at) => send(at, { attributes: [{ external_id: id, gateway: at }] }, both)));
  expect(taken.map(({ status }) => status).toSorted()).toEqual([201, 422]);
  const last = await send(0, { attributes: [{ external_id: id, last: true }] }, {});
  const asked = { method: "POST", path: "/users/export/ids", body: { external_ids: [id] }, key: heddle.heddle.key };
  const position = last.headers.get("x-heddle-position") ?? "";
  const { body: found } = await callHeddle(second.url, { ...asked, headers: { "x-heddle-position": position } });
  expect(found.users).toMatchObject([{ purchases: [{ count: 1 }], total_revenue: 1, custom_attributes: { last: true } }]);
});

test("gateways: they take from one bucket", async () => {
  const call = { method: "POST", path: "/users/track", body: { attributes: [{ external_id: "a", b: 1 }] }, key: heddle.heddle.key };
  const left = async (url: string) => Number((await callHeddle(url, call)).headers.get("x-ratelimit-remaining"));
  const reads = [await left(heddle.heddle.url), await left(second.url), await left(heddle.heddle.url), await left(second.url)];
  // The bucket refills 1,000 a second, so what is left says nothing by itself; that no gateway finds a full one does
  expect(Math.max(...reads)).toBeLessThan(3_000);
});
