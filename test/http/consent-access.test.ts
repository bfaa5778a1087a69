/** Who may call the routes of consent, and what limits they show. */
import { expect, test } from "vitest";
import { declared, keyPerPermission } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { heddleSuite } from "../suite.ts";

/** Method, path, permission, published limit (specification, Limits; api-facts 5). */
const routes: readonly (readonly [method: string, path: string, permission: string, limit: number])[] = [
  ["POST", "/subscription/status/set", "subscription.status.set", 5_000],
  ["POST", "/v2/subscription/status/set", "subscription.status.set", 5_000],
  ["GET", "/subscription/status/get", "subscription.status.get", 250_000],
  ["GET", "/subscription/user/status", "subscription.groups.get", 250_000],
  ["POST", "/email/status", "email.status", 250_000],
  ["POST", "/email/blocklist", "email.blacklist", 250_000],
  ["POST", "/email/blacklist", "email.blacklist", 250_000],
  ["GET", "/email/unsubscribes", "email.unsubscribe", 250_000],
  ["GET", "/email/hard_bounces", "email.hard_bounces", 250_000],
  ["POST", "/email/bounce/remove", "email.bounce.remove", 250_000],
  ["POST", "/email/spam/remove", "email.spam.remove", 250_000],
  ["GET", "/sms/invalid_phone_numbers", "sms.invalid_phone_numbers", 250_000],
  ["POST", "/sms/invalid_phone_numbers/remove", "sms.invalid_phone_numbers.remove", 250_000],
];
const permissions = [...new Set(routes.map(([, , permission]) => permission))];

const heddle = heddleSuite({
  apply: declared({ keys: keyPerPermission(permissions) }),
});

function call(method: string, path: string, key: string | undefined) {
  return heddle.heddle.request(method, path, method === "POST" ? {} : undefined, { key });
}

for (const [method, path, permission, limit] of routes) {
  test(`${method} ${path} asks for a key with '${permission}'`, async () => {
    expect((await call(method, path, undefined)).status).toBe(401);
    expect((await call(method, path, "nobody-has-this-key")).status).toBe(401);
    for (const held of permissions) {
      const answer = await call(method, path, `only-${held}`);
      // Nothing was named, so a caller with the permission gets 400
      expect([held, answer.status]).toEqual([held, held === permission ? 400 : 403]);
    }
  });

  test(`${method} ${path} shows a limit of ${limit}`, async () => {
    const { headers } = await call(method, path, demoKey);
    expect(headers.get("x-ratelimit-limit")).toBe(String(limit));
    expect(Number(headers.get("x-ratelimit-reset"))).toBeGreaterThan(Date.now() / 1_000 - 60);
  });
}

for (const path of ["/email/unsubscribes", "/email/hard_bounces", "/sms/invalid_phone_numbers"]) {
  test(`POST ${path} is another method; GET with a trailing slash is the same route`, async () => {
    expect((await call("POST", path, demoKey)).status).toBe(405);
    expect((await call("GET", `${path}/`, demoKey)).status).toBe(400);
  });
}
