/** Every permission against every route, keys against tokens, and what needs neither: made from the route table, so no route is left out. */
import { expect, test } from "vitest";
import { permissionNames } from "../../gateway/access/permissions.ts";
import type { KeyRoute, Route } from "../../gateway/routing/route.ts";
import { routeTable } from "../../gateway/route-table.ts";
import { apiKey, declared, keyPerPermission, operatorPermissions, scimTokens } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { heddleSuite } from "../suite.ts";

const token = "scim-token-of-the-matrix";
const heddle = heddleSuite({
  env: { HEDDLE_TRUSTED_PROXIES: "127.0.0.1" },
  apply: declared({
    company: { scimTokens: scimTokens(token), limits: { scim: 100_000 } },
    demo: {
      limits: { users_track_bulk: 100_000, users_export_ids: 100_000 },
      apiKeys: [
        apiKey("all", demoKey, [...operatorPermissions, "console.bodies"]),
        apiKey("none", "key-without-a-permission", []),
        { ...apiKey("elsewhere", "key-for-elsewhere"), ipAllow: ["192.0.2.0/24"] },
        ...keyPerPermission(permissionNames),
      ],
    },
  }),
});

const keyRoutes = routeTable.filter((route): route is KeyRoute => route.guard === "key");
const scimRoutes = routeTable.filter((route) => route.guard === "scim");

function pathOf(route: Route): string {
  return route.path.replaceAll(/:\w+/g, "none");
}

/** From many addresses, as refusals to one are limited. */
let calls = 0;

function call(route: Route, key: string | undefined, headers: Record<string, string> = {}) {
  const takesBody = route.method !== "GET" && route.method !== "DELETE";
  return heddle.request(route.method, pathOf(route), takesBody ? {} : undefined, {
    key,
    headers: { "x-forwarded-for": `198.51.100.${(calls += 1) % 250}`, ...headers },
  });
}

/** What the guards say: anything else is the route's own word. */
function refused({ status, body }: { status: number; body: { message?: string } }, permission: string): boolean {
  return status === 403 && body.message === `Access Denied: the API key does not have the permission '${permission}'`;
}

test.each(permissionNames)("a key with %s alone opens its routes and no other", async (held) => {
  for (const route of keyRoutes) {
    const answer = await call(route, `only-${held}`);
    expect([route.method, route.path, refused(answer, route.permission)]).toEqual([route.method, route.path, held !== route.permission]);
    expect([401, 500, 502, 504]).not.toContain(answer.status);
  }
});

test("a key without a permission opens nothing, and one with all opens everything", async () => {
  for (const route of keyRoutes) {
    expect([route.path, refused(await call(route, "key-without-a-permission"), route.permission)]).toEqual([route.path, true]);
    expect([route.path, refused(await call(route, demoKey), route.permission)]).toEqual([route.path, false]);
  }
});

test("no route for keys takes a token, no key, or a key from another address", async () => {
  for (const route of keyRoutes) {
    for (
      const [key, headers] of [[token, {}], [token, { "x-request-origin": "okta" }], [undefined, {}], ["nobody-has-this-key", {}]] as const
    ) {
      const answer = await call(route, key, headers);
      expect([route.path, answer.status]).toEqual([route.path, 401]);
      expect(answer.text).not.toContain(token);
    }
    // What a client says of itself stands before what the trusted proxy saw
    for (
      const headers of [{}, { "x-forwarded-for": "192.0.2.7, 198.51.100.251" }, { "x-real-ip": "192.0.2.7", forwarded: "for=192.0.2.7" }]
    ) {
      expect([route.path, (await call(route, "key-for-elsewhere", headers)).status]).toEqual([route.path, 403]);
    }
  }
});

test("no route for tokens takes an API key, or a token without its origin", async () => {
  for (const route of scimRoutes) {
    expect([route.path, (await call(route, demoKey, { "x-request-origin": "okta" })).status]).toEqual([route.path, 401]);
    expect([route.path, (await call(route, token)).status]).toEqual([route.path, 403]);
    expect([route.path, (await call(route, token, { "x-request-origin": "entra" })).status]).toEqual([route.path, 403]);
    expect([401, 403]).not.toContain((await call(route, token, { "x-request-origin": "okta" })).status);
  }
});

test("every permission opens some route, but those of routes that are to come", () => {
  const used = new Set(keyRoutes.map(({ permission }) => permission));
  const idle = permissionNames.filter((name) => !used.has(name));
  // May only shrink
  expect(idle.filter((name) => name !== "templates.translations.get")).toEqual([]);
});

test("what is open to everybody is in this list, which may only shrink", () => {
  const open = routeTable.filter(({ guard }) => guard === "open").map(({ method, path }) => `${method} ${path}`);
  const problem = "Give the route a guard; one that is open to everybody stands here with a reason";
  expect(open.filter((route) => !openToEverybody.includes(route)), problem).toEqual([]);
});

/** Each is signed by its path, or says nothing of any person. */
const openToEverybody = [
  "GET /livez",
  "GET /readyz",
  "GET /readyz/gateway",
  "GET /openapi.json",
  "GET /unsubscribe/:token",
  "POST /unsubscribe/:token",
  "GET /preferences/:token",
  "POST /preferences/:token",
  "GET /docs",
  "GET /docs/errors",
  "GET /docs/:page",
  "GET /docs/calls/:operation",
  "GET /docs/assets/:name",
  // The page alone; what it shows it asks for with a key
  "GET /console",
  "GET /console/assets/:name",
  // An empty document: what is shown in it the page around it gives
  "GET /console/preview",
];
