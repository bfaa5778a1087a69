/** Lists, filters, projections, searches by POST and the discovery documents, over HTTP. */
import { expect, test } from "vitest";
import { core, errorSchema, extension, listResponse, newUser, type ScimAnswer, scimSuite, tokens } from "../scim.ts";

const scim = scimSuite();
const other = { token: tokens.other };
const names = ["ann", "bob", "cid", "dora", "eve"];
const searchRequest = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

/** Once, in the other company, where no other test makes users. */
const users = Promise.withResolvers<void>();
test("users for the lists below", async () => {
  for (const name of names.toReversed()) {
    await scim.create({
      userName: `${name}@example.com`,
      externalId: `x-${name}`,
      displayName: name === "cid" ? undefined : name.toUpperCase(),
      department: name === "bob" ? "pm" : "finance",
      permissions: {},
    }, other);
  }
  users.resolve();
});

function namesOf(answer: ScimAnswer): (string | undefined)[] {
  expect(answer.status, answer.text).toBe(200);
  return (answer.body.Resources ?? []).map((user) => user.userName?.split("@")[0]);
}

for (
  const [query, expected, startIndex] of [
    ["", names, 1],
    ["startIndex=1&count=2", ["ann", "bob"], 1],
    ["startIndex=3&count=2", ["cid", "dora"], 3],
    ["startIndex=5&count=2", ["eve"], 5],
    ["startIndex=6&count=2", [], 6],
    ["startIndex=0&count=1", ["ann"], 1],
    ["startIndex=-7&count=1", ["ann"], 1],
    ["count=0", [], 1],
    ["count=-1", [], 1],
    ["count=99999999999", names, 1],
    ["startIndex=99999999999", [], 2 ** 31 - 1],
    ["sortBy=userName&sortOrder=descending", names.toReversed(), 1],
    ["sortBy=displayName&sortOrder=ascending", ["ann", "bob", "dora", "eve", "cid"], 1],
    ["sortBy=displayName&sortOrder=descending&count=2", ["cid", "eve"], 1],
    ["sortBy=department&count=4", ["ann", "cid", "dora", "eve"], 1],
    ["sortOrder=descending", names, 1],
  ] as const
) {
  test(`GET Users?${query} lists ${expected.join(", ")}`, async () => {
    await users.promise;
    const answer = await scim.call("GET", `Users?${query}`, undefined, other);
    expect(namesOf(answer)).toEqual(expected);
    expect(answer.body).toMatchObject({ schemas: [listResponse], totalResults: names.length, startIndex, itemsPerPage: expected.length });
    for (const user of answer.body.Resources ?? []) expect(Object.keys(user)).not.toContain("schemas");
  });
}

for (
  const [filter, expected] of [
    [`userName eq "BOB@example.com"`, ["bob"]],
    [`userName ne "bob@example.com"`, ["ann", "cid", "dora", "eve"]],
    [`userName sw "d" or externalId eq "x-ann"`, ["ann", "dora"]],
    [`displayName co "O"`, ["bob", "dora"]],
    [`userName ew "e@example.com"`, ["eve"]],
    [`displayName pr`, ["ann", "bob", "dora", "eve"]],
    [`not (displayName pr)`, ["cid"]],
    [`userName gt "cid@example.com" and userName le "eve@example.com"`, ["dora", "eve"]],
    [`department eq "pm"`, ["bob"]],
    [`urn:ietf:params:scim:schemas:core:2.0:User:active eq true and (department eq "pm" or userName sw "e")`, ["bob", "eve"]],
    [`meta.created gt "2020-01-01T00:00:00Z"`, names],
    [`lastSignInAt pr`, []],
    [`userName eq "\\u0061nn@example.com"`, ["ann"]],
  ] as const
) {
  test(`GET Users?filter=${filter} finds ${expected.join(", ")}, as POST .search does`, async () => {
    await users.promise;
    expect(namesOf(await scim.search(filter, "", other))).toEqual(expected);
    for (const path of ["Users/.search", ".search"]) {
      expect(namesOf(await scim.call("POST", path, { schemas: [searchRequest], filter }, other)), path).toEqual(expected);
    }
  });
}

for (
  const filter of [
    "",
    " ",
    "userName",
    `password eq "x"`,
    `userName eq "x`,
    `userName regex "x"`,
    `permissions eq "x"`,
    "(".repeat(4_000),
    `__proto__ pr`,
    Array(65).fill("active eq true").join(" or "),
    `userName eq "${"x".repeat(4_100)}"`,
  ]
) {
  test(`GET Users?filter=${filter.slice(0, 30)} is an invalidFilter`, async () => {
    const { status, body } = await scim.search(filter);
    expect([status, body]).toEqual([400, {
      schemas: [errorSchema],
      scimType: "invalidFilter",
      detail: expect.stringMatching(/\S/),
      status: 400,
    }]);
  });
}

for (
  const query of ["count=many", "startIndex=1.5", "sortBy=name", "sortBy=password", "sortOrder=up", "attributes=id&excludedAttributes=name"]
) {
  test(`GET Users?${query} is an invalidValue`, async () => {
    const { status, body } = await scim.call("GET", `Users?${query}`);
    expect([status, body.scimType]).toEqual([400, "invalidValue"]);
  });
}

test("POST .search pages, sorts and projects as its body says", async () => {
  await users.promise;
  const answer = await scim.call("POST", ".search", {
    schemas: [searchRequest],
    filter: "userName pr",
    startIndex: 2,
    count: 2,
    sortBy: "userName",
    sortOrder: "descending",
    attributes: ["userName"],
  }, other);
  expect(answer.body).toMatchObject({ totalResults: 5, startIndex: 2, itemsPerPage: 2 });
  expect(answer.body.Resources).toEqual(["dora", "cid"].map((name) => ({ id: expect.any(String), userName: `${name}@example.com` })));
  for (
    const body of [{}, { schemas: [core] }, { schemas: [searchRequest], count: "2" }, { schemas: [searchRequest], attributes: "userName" }]
  ) {
    expect((await scim.call("POST", ".search", body)).status, JSON.stringify(body)).toBe(400);
  }
});

test("POST .search reads its members and the schema in any case, and none twice", async () => {
  await users.promise;
  const answer = await scim.call("POST", ".search", {
    Schemas: [searchRequest.toUpperCase()],
    Filter: `userName eq "bob@example.com"`,
    STARTINDEX: 1,
    Attributes: ["userName"],
  }, other);
  expect(answer.body.Resources).toEqual([{ id: expect.any(String), userName: "bob@example.com" }]);
  const twice = await scim.call("POST", ".search", { schemas: [searchRequest], filter: "id pr", Filter: "active eq true" }, other);
  expect([twice.status, twice.body.scimType]).toEqual([400, "invalidValue"]);
});

test("attributes and excludedAttributes shape every answer with users", async () => {
  const created = await scim.call("POST", "Users?attributes=userName,name.givenName", newUser());
  expect(Object.keys(created.body).toSorted()).toEqual(["id", "name", "schemas", "userName"]);
  expect(created.body["name"]).toEqual({ givenName: "Ann" });
  const { id } = created.body;
  expect(Object.keys((await scim.call("GET", `Users/${id}?attributes=NAME`)).body).toSorted()).toEqual(["id", "name", "schemas"]);
  const without = (await scim.call("GET", `Users/${id}?excludedAttributes=permissions,id,name.familyName`)).body;
  expect(without).toMatchObject({ id, name: { givenName: "Ann" } });
  expect(without["name"]).toEqual({ givenName: "Ann" });
  expect(without).not.toHaveProperty("permissions");
  const listed = await scim.search(`id eq "${id}"`, "&attributes=userName");
  expect(Object.keys(listed.body.Resources?.[0] ?? {}).toSorted()).toEqual(["id", "userName"]);
  const extended = await scim.call("GET", `Users/${id}?attributes=${extension}:department`);
  expect(extended.body["department"]).toBe("finance");
});

test("GET ServiceProviderConfig advertises what is enforced", async () => {
  const { status, body } = await scim.call("GET", "ServiceProviderConfig");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: false },
    filter: { supported: true, maxResults: 200 },
    sort: { supported: true },
    etag: { supported: true },
    changePassword: { supported: false },
  });
  expect((await scim.call("POST", "Bulk", {})).status).toBe(404);
});

test("GET Schemas describes every attribute that users are shown with", async () => {
  const { body } = await scim.call("GET", "Schemas");
  expect(body).toMatchObject({ schemas: [listResponse], totalResults: 2 });
  const attributes = (body.Resources ?? []).flatMap((schema) =>
    schema["attributes"] as { name: string; subAttributes?: { name: string }[] }[]
  );
  const user = await scim.create({ externalId: "x", displayName: "A", emails: [{ value: "a@b.de" }] });
  const described = new Set([...attributes.map(({ name }) => name), "schemas", "meta"]);
  expect(Object.keys(user).filter((name) => !described.has(name))).toEqual([]);
  const permissions = attributes.find(({ name }) => name === "permissions");
  expect(permissions?.subAttributes?.map(({ name }) => name)).toEqual(["companyPermissions", "appGroup"]);
  for (const id of [core, extension]) {
    const one = await scim.call("GET", `Schemas/${id}`);
    expect([one.status, one.body.id]).toEqual([200, id]);
    expect(body.Resources).toContainEqual(one.body);
  }
});

test("GET ResourceTypes names the endpoint and its schemas", async () => {
  const all = await scim.call("GET", "ResourceTypes");
  const one = await scim.call("GET", "ResourceTypes/User");
  expect(all.body.Resources).toEqual([one.body]);
  expect(one.body).toMatchObject({
    id: "User",
    endpoint: expect.stringMatching(/Users$/),
    schema: core,
    schemaExtensions: [{ schema: extension, required: false }],
  });
});

test("discovery knows no other ids and takes no filter", async () => {
  for (const path of ["Schemas/urn:x", "ResourceTypes/Group", "ServiceProviderConfig/x"]) {
    expect((await scim.call("GET", path)).status, path).toBe(404);
  }
  for (const path of ["Schemas", "ResourceTypes", "ServiceProviderConfig"]) {
    expect((await scim.call("GET", `${path}?filter=id+pr`)).status, path).toBe(403);
  }
});
