/**
 * Every route takes requests made of its own description, whole and broken. No answer is a fault, each is one that the document
 * lists, and the server is as well afterwards as before. `npm run fuzz:openapi` sends fifty times as many, other ones each time.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { entries } from "../../gateway/openapi/entries.ts";
import { routeTable } from "../../gateway/route-table.ts";
import { type FuzzRequest, requestArbitrary } from "../arbitrary/openapi-request.ts";
import { apiKey, declared, operatorPermissions, scimTokens } from "../declaration.ts";
import { mustBeDocumented } from "../documented.ts";
import { demoKey } from "../heddle.ts";
import { heddleSuite } from "../suite.ts";

const requestsPerRoute = Number(process.env["HEDDLE_FUZZ_REQUESTS"] ?? 20);
const token = "scim-token-of-the-fuzzer";
const many = 1_000_000;
const suite = heddleSuite({
  apply: declared({
    company: { onboardedAt: "2026-11-20", limits: { scim: many }, scimTokens: scimTokens(token) },
    demo: {
      limits: { preference_center_create: many, preference_center_update: many, users_export_ids: many },
      apiKeys: [apiKey("all", demoKey, [...operatorPermissions, "console.bodies"])],
      subscriptionGroups: [{ id: "11111111-1111-4111-8111-111111111111", name: "Letter", channel: "email" }],
      translations: { enabled: true, locales: ["es-MX"] },
    },
  }),
});

for (const entry of entries) {
  const route = routeTable.find(({ method, path }) => `${method} ${path}` === entry.route);
  test(`${entry.route} answers ${requestsPerRoute} requests without a fault`, async () => {
    const request = fc.asyncProperty(requestArbitrary(entry), (made) => send(route?.method ?? "", made, route?.guard));
    await fc.assert(request, { numRuns: requestsPerRoute, interruptAfterTimeLimit: 300_000 });
  }, 400_000);
}

test("the server is as well as before", async () => {
  await suite.track({ attributes: [{ external_id: "after", well: true }] });
  expect((await suite.user("after")).custom_attributes).toEqual({ well: true });
  expect((await suite.get("/readyz")).status).toBe(200);
  expect(suite.heddle.output()).not.toContain("request_failed");
});

async function send(method: string, { target, headers, body }: FuzzRequest, guard: string | undefined): Promise<void> {
  const who = guard === "scim" ? { authorization: `Bearer ${token}`, "x-request-origin": "okta" } : { authorization: `Bearer ${demoKey}` };
  const answer = await fetch(suite.heddle.url + target, {
    method,
    redirect: "manual",
    headers: { ...who, ...headers },
    ...(body === undefined ? {} : { body: new Uint8Array(body) }),
  });
  const seen = await answer.text();
  expect(answer.status, seen).not.toBe(500);
  mustBeDocumented({ method, path: target, status: answer.status, headers: answer.headers, text: seen });
}
