/** Who may provision: tokens, origins, addresses, media types, the daily limit. */
import { expect, test } from "vitest";
import { errorSchema, newUser, scimSuite, tokens } from "../scim.ts";

const scim = scimSuite();

for (
  const [what, status, options] of [
    ["no token", 401, { headers: { authorization: "" } }],
    ["another scheme", 401, { headers: { authorization: `Basic ${tokens.acme}` } }],
    ["an unknown token", 401, { token: "scim-token-of-nobody" }],
    ["an API key", 401, { token: "an-api-key-of-acme" }],
    ["no origin", 403, { origin: null }],
    ["an empty origin", 403, { origin: "" }],
    ["another origin", 403, { origin: "entra" }],
    ["an origin in another case", 403, { origin: "Okta" }],
    ["two origins", 403, { origin: "okta, okta" }],
    ["an address outside the list", 403, { token: tokens.elsewhere }],
    ["an address that only the client claims", 403, { token: tokens.elsewhere, headers: { "x-forwarded-for": "192.0.2.1" } }],
    ["another origin where it is optional", 403, { token: tokens.entra, origin: "okta" }],
  ] as const
) {
  test(`every SCIM route refuses ${what} with ${status}`, async () => {
    for (
      const [method, path, sent] of [
        ["GET", "Users", undefined],
        ["POST", "Users", newUser()],
        ["GET", "Users/x", undefined],
        ["DELETE", "Users/x", undefined],
        ["PUT", "Users/x", newUser()],
        ["PATCH", "Users/x", {}],
        ["POST", ".search", {}],
        ["GET", "Schemas", undefined],
        ["GET", "ServiceProviderConfig", undefined],
      ] as const
    ) {
      const answer = await scim.call(method, path, sent, options);
      expect(answer.status, `${method} ${path}`).toBe(status);
      expect(answer.body).toEqual({ schemas: [errorSchema], detail: expect.stringMatching(/\S/), status });
      expect(answer.text).not.toContain(tokens.acme);
      expect(answer.text).not.toContain("192.0.2");
      if (status === 401) expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });
}

test("a token whose origin is optional works without and with it", async () => {
  for (const origin of [null, "entra"]) {
    expect((await scim.call("GET", "Users", undefined, { token: tokens.entra, origin })).status).toBe(200);
  }
});

for (
  const [type, status] of [
    ["application/scim+json", 201],
    ["application/json", 201],
    ["Application/SCIM+JSON; charset=UTF-8", 201],
    ["application/scim+json; charset=utf-16", 415],
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
  ] as const
) {
  test(`POST /scim/v2/Users with Content-Type ${type} is ${status}`, async () => {
    expect((await scim.call("POST", "Users", newUser(), { headers: { "content-type": type } })).status).toBe(status);
  });
}

test("answers are application/scim+json, or application/json where only that is accepted", async () => {
  for (
    const [accept, type] of [
      ["application/scim+json", "application/scim+json"],
      ["*/*", "application/scim+json"],
      ["application/json", "application/json"],
      ["application/json, application/scim+json", "application/scim+json"],
      ["application/json, */*", "application/scim+json"],
    ] as const
  ) {
    for (const path of ["Users?count=1", "Users/unknown"]) {
      expect((await scim.call("GET", path, undefined, { headers: { accept } })).headers.get("content-type"), accept).toBe(type);
    }
  }
});

test("bodies that are no JSON, too large or odd are SCIM errors", async () => {
  for (
    const [body, status, scimType] of [
      ["{", 400, "invalidSyntax"],
      ["[]", 400, "invalidSyntax"],
      ["null", 400, "invalidSyntax"],
      [`{"a":1,"a":2}`, 400, "invalidSyntax"],
      [`{"a":`.repeat(200) + "1" + "}".repeat(200), 400, "invalidSyntax"],
      [JSON.stringify({ x: "x".repeat(300_000) }), 413, undefined],
    ] as const
  ) {
    const answer = await scim.call("POST", "Users", body);
    expect([answer.status, answer.body.status, answer.body.scimType]).toEqual([status, status, scimType]);
  }
});

test("an unknown path or method below /scim is a SCIM error", async () => {
  const unknown = await scim.call("GET", "Groups");
  expect([unknown.status, unknown.body.schemas]).toEqual([404, [errorSchema]]);
  const method = await scim.call("PUT", "Users", newUser());
  expect([method.status, method.headers.get("allow")]).toEqual([405, "POST, GET, HEAD"]);
});

test("all SCIM calls of a company are taken from one bucket of 5,000 a day", async () => {
  const first = await scim.call("GET", "Users?count=0");
  expect(first.headers.get("x-ratelimit-limit")).toBe("5000");
  const before = Number(first.headers.get("x-ratelimit-remaining"));
  await scim.call("GET", "Schemas", undefined, { token: tokens.entra, origin: null });
  await scim.call("POST", "Users", {});
  const after = await scim.call("GET", "Users/unknown");
  expect(Number(after.headers.get("x-ratelimit-remaining"))).toBe(before - 3);
  expect(Number((await scim.call("GET", "Users", undefined, { token: tokens.other })).headers.get("x-ratelimit-remaining"))).toBe(4_999);
  // Refused before it was counted
  await scim.call("GET", "Users", undefined, { origin: "entra" });
  expect(Number((await scim.call("GET", "Users/unknown")).headers.get("x-ratelimit-remaining"))).toBe(before - 4);
});
