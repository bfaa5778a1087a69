/** SCIM requests through the gateway with a stub behind it: proofs in order, faults, limits, locations, the log. */
import { afterEach, expect, test } from "vitest";
import type { Client } from "@connectrpc/connect";
import { limits } from "../platform/limits.ts";
import { type Reason, reasons, Refusal } from "../platform/refusal.ts";
import type { ScimService } from "../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { startStubGateway, type StubGateway, type StubOptions, stubToken } from "../test/gateway-stub.ts";
import type { GatewayConfig } from "./config.ts";
import { refusalTable } from "./render/refusal-rest.ts";
import { scimRefusalAnswer } from "./render/refusal-scim.ts";

type Scim = Client<typeof ScimService>;
type Noted = NonNullable<Parameters<Scim["logRequests"]>[0]["requests"]>[number];

let stub: StubGateway | undefined;
let noted: Noted[] = [];
afterEach(async () => {
  await stub?.gateway.close();
  noted = [];
});

async function start(scim: Partial<Scim>, options: StubOptions = {}) {
  const logRequests = (async ({ requests }: { requests: Noted[] }) => void noted.push(...requests)) as unknown as Scim["logRequests"];
  stub = await startStubGateway({ ...options, scim: { logRequests, ...scim } });
  const { url } = stub;
  return async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
    const sent = { authorization: `Bearer ${stubToken}`, "x-request-origin": "okta", ...headers };
    const answer = await fetch(`${url}/scim/v2/${path}`, { ...init, headers: sent });
    return { status: answer.status, headers: answer.headers, body: await answer.json() as Record<string, unknown> };
  };
}

/** What the log has heard once a note's moment is over. */
async function told(): Promise<Noted[]> {
  stub?.clock.advance(limits.scimNotesMs);
  await new Promise((resolve) => setImmediate(resolve));
  return noted;
}

function failing(error: unknown): Partial<Scim> {
  return {
    getUser: async () => {
      throw error;
    },
  };
}

const scimTypes: Partial<Record<Reason, string>> = {
  FILTER_INVALID: "invalidFilter",
  TOO_MANY_RESULTS: "tooMany",
  ATTRIBUTE_READ_ONLY: "mutability",
  PATH_INVALID: "invalidPath",
  TARGET_MISSING: "noTarget",
  INPUT_INVALID: "invalidValue",
  BODY_SHAPE_INVALID: "invalidSyntax",
  BODY_NOT_JSON: "invalidSyntax",
  BODY_NOT_UTF8: "invalidSyntax",
  BODY_TOO_DEEP: "invalidSyntax",
  BODY_TOO_WIDE: "invalidSyntax",
  BODY_KEY_REPEATED: "invalidSyntax",
  BODY_NOT_DECODED: "invalidSyntax",
};

for (const reason of Object.keys(reasons) as Reason[]) {
  test(`scimRefusalAnswer() ${reason} has the status of the REST answer, as a number in the body too`, () => {
    const { status, body, contentType } = scimRefusalAnswer(new Refusal(reason, "what is wrong"));
    const shown = JSON.parse(String(body)) as Record<string, unknown>;
    expect(status).toBe(refusalTable[reason].status);
    expect(contentType).toBe("application/scim+json");
    expect(shown).toMatchObject({ schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], detail: expect.stringMatching(/\S/), status });
    expect(shown["scimType"]).toBe(scimTypes[reason]);
  });
}

test("a fault is a 500 that says nothing of it, is logged once, and stands in the company's log", async () => {
  const call = await start(failing(new Error("a secret of the store")));
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const { status, body } = await call("Users/x", { "x-request-id": "r-7", traceparent: `00-${traceId}-b7ad6b7169203331-01` });
  expect([status, body]).toEqual([500, {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    detail: "Internal server error",
    status: 500,
  }]);
  expect(stub?.logged).toMatchObject([{ event: "request_failed", fields: { requestId: "r-7", traceId, route: "/scim/v2/Users/:id" } }]);
  expect(await told()).toMatchObject([{ status: 500, reason: "FAULT" }]);
  expect(JSON.stringify(noted)).not.toContain("secret of the store");
});

test("a part that may not call another is a fault too", async () => {
  const call = await start(failing(new Refusal("CALLER_NOT_ALLOWED", "got gateway")));
  const { status, body, headers } = await call("Users/x");
  expect([status, body["detail"], headers.get("x-heddle-reason")]).toEqual([500, "Internal server error", null]);
  expect(stub?.logged.map(({ event }) => event)).toEqual(["request_failed"]);
});

test("a spent limit is a 429 with the headers of the company's bucket", async () => {
  const keys: string[] = [];
  const call = await start({}, {
    take: (key, { capacity }) => (keys.push(key), { admitted: false, remaining: 0, fullAt: capacity, retryAfterMs: 17_280 }),
  });
  const { status, headers, body } = await call("Users/x");
  expect([status, body["status"], headers.get("x-ratelimit-limit"), headers.get("retry-after")]).toEqual([429, 429, "5000", "18"]);
  expect(keys).toEqual(["limit:{co-1}:scim"]);
  expect(await told()).toMatchObject([{ status: 429, reason: "RATE_LIMITED" }]);
});

test("nothing is called or spent for a token that may not be used; only what is known to be a company's is in its log", async () => {
  const costs: number[] = [];
  const call = await start({}, {
    take: (_key, { capacity }, cost) => (costs.push(cost), { admitted: true, remaining: capacity, fullAt: 0, retryAfterMs: 0 }),
  });
  expect((await call("Users/x", { authorization: "Bearer someone-else" })).status).toBe(401);
  expect(await told()).toEqual([]);
  expect((await call("Users/x", { "x-request-origin": "entra" })).status).toBe(403);
  expect(await told()).toMatchObject([{ status: 403, reason: "ORIGIN_NOT_ALLOWED" }]);
  expect(costs).toEqual([0]);
});

test("a path or a method that is not there stands in the log of the company whose token was sent", async () => {
  const call = await start({});
  expect((await call("Groups")).status).toBe(404);
  expect((await call("Users", {}, { method: "PUT" })).status).toBe(405);
  expect((await call("Groups", { authorization: "Bearer someone-else" })).status).toBe(404);
  expect(await told()).toMatchObject([
    { scope: { companyId: "co-1", method: "GET", target: "/scim/v2/Groups" }, status: 404, reason: "ROUTE_UNKNOWN" },
    { scope: { companyId: "co-1", method: "PUT", target: "/scim/v2/Users" }, status: 405, reason: "METHOD_NOT_ALLOWED" },
  ]);
});

test("the log has the filter as it was read, and of a query that cannot be read the path", async () => {
  const filters: unknown[] = [];
  const listUsers = (async ({ filter }: { filter: string }) => {
    filters.push(filter);
    throw new Refusal("FILTER_INVALID");
  }) as unknown as Scim["listUsers"];
  const call = await start({ listUsers });
  await call("Users?filter=userName+eq+%22a+b@example.com%22&secret=x");
  const { status, headers, body } = await call("Users?filter=%FCx");
  expect([status, headers.get("x-ratelimit-limit"), body]).toEqual([400, "5000", {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    scimType: "invalidValue",
    detail: "The query string must be percent-encoded UTF-8",
    status: 400,
  }]);
  expect(filters).toEqual([`userName eq "a+b@example.com"`]);
  expect((await told()).map(({ scope, reason }) => [scope?.target, reason])).toEqual([
    [`/scim/v2/Users?filter=userName eq "a+b@example.com"`, "FILTER_INVALID"],
    ["/scim/v2/Users", "INPUT_INVALID"],
  ]);
});

test("a token without an origin may not be used at all", async () => {
  const call = await start({}, { token: { origin: "", originHeader: "optional" } });
  for (const origin of ["", "okta", "undefined"]) expect((await call("Users/x", { "x-request-origin": origin })).status).toBe(403);
});

test("the address that counts is that of the client behind trusted proxies", async () => {
  const call = await start(failing(new Refusal("NOT_FOUND", "User not found")), {
    token: { ipAllow: ["192.0.2.0/24"] },
    trustedProxies: ["127.0.0.1"],
  });
  expect((await call("Users/x", { "x-forwarded-for": "192.0.2.7" })).status).toBe(404);
  expect((await call("Users/x", { "x-forwarded-for": "192.0.2.7, 198.51.100.1" })).status).toBe(403);
  expect((await call("Users/x")).status).toBe(403);
});

const behindProxy = { trustedProxies: ["127.0.0.1"] };
const listed = { hosts: ["Heddle.example", "other.example:8443"] };
const locations: readonly (readonly [what: string, config: Partial<GatewayConfig>, headers: Record<string, string>, expected: RegExp])[] = [
  ["the Host of loopback", {}, {}, /^http:\/\/127\.0\.0\.1:\d+$/],
  [
    "the Host and not what a stranger forwards",
    listed,
    { "x-forwarded-proto": "https", "x-forwarded-host": "heddle.example" },
    /^http:\/\/127\.0\.0\.1:\d+$/,
  ],
  [
    "what a trusted proxy forwards",
    { ...behindProxy, ...listed },
    { "x-forwarded-proto": "https", "x-forwarded-host": "heddle.example" },
    /^https:\/\/heddle\.example$/,
  ],
  [
    "a Host of the list with its port",
    { ...behindProxy, ...listed },
    { "x-forwarded-host": "other.example:8443" },
    /^http:\/\/other\.example:8443$/,
  ],
  ["nothing where its port is another", { ...behindProxy, ...listed }, { "x-forwarded-host": "other.example:80" }, /^$/],
  ["nothing where a proxy forwards a host of no list", { ...behindProxy, ...listed }, { "x-forwarded-host": "evil.example" }, /^$/],
  ["nothing where the host is odd", behindProxy, { "x-forwarded-host": "a b/<script>" }, /^$/],
  ["the configured URL, whatever the Host", { publicUrl: "https://data.example" }, {}, /^https:\/\/data\.example$/],
];

test.each(locations)("locations begin with %s", async (_what, config, headers, expected) => {
  let baseUrl: string | undefined;
  const getUser = (async (message: { scope?: { baseUrl?: string } }) => {
    baseUrl = message.scope?.baseUrl;
    throw new Refusal("NOT_FOUND", "User not found");
  }) as unknown as Scim["getUser"];
  const call = await start({ getUser }, { trustedProxies: config.trustedProxies ?? [], config: { publicUrl: "", ...config } });
  await call("Users/x", headers);
  expect(baseUrl).toMatch(expected);
});

async function away(): Promise<never> {
  throw new Error("away");
}

test("a log that cannot be written costs no answer", async () => {
  const call = await start({ ...failing(new Refusal("NOT_FOUND", "User not found")), logRequests: away });
  expect((await call("Users/x")).status).toBe(404);
  stub?.clock.advance(limits.scimNotesMs);
  await expect.poll(() => stub?.logged.map(({ event }) => event)).toEqual(["scim_requests_not_logged"]);
});

test("notes of requests at one time are told in one call, and what waits is told at the end", async () => {
  const calls: number[] = [];
  const logRequests = (async ({ requests }: { requests: Noted[] }) => void calls.push(requests.length)) as unknown as Scim["logRequests"];
  const call = await start({ ...failing(new Refusal("NOT_FOUND", "User not found")), logRequests });
  await Promise.all(Array.from({ length: 7 }, () => call("Users/x")));
  await told();
  await call("Users/x");
  await stub?.gateway.close();
  expect(calls).toEqual([7, 1]);
});
