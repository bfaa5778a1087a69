/** PUT and PATCH over HTTP: RFC 7644 and the requests that Okta and Entra ID were recorded to send; versions and repeats. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { blogId, core, enterprise, errorSchema, extension, newUser, patchOp, scimSuite, tokens } from "../scim.ts";

const scim = scimSuite();

test("PUT Users/{id} replaces what is sent and answers the whole user", async () => {
  const user = await scim.create({ displayName: "Annie", externalId: "x-1" });
  const sent = {
    schemas: [core],
    name: { givenName: "Anna", familyName: "Bow" },
    department: "pm",
    permissions: { appGroup: [{ appGroupName: "Blog", appGroupPermissions: ["admin"] }] },
  };
  const { status, body, headers } = await scim.call("PUT", `Users/${user.id}`, sent);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: user.id,
    userName: user.userName,
    name: sent.name,
    department: "pm",
    permissions: { companyPermissions: [], appGroup: [{ appGroupId: blogId, appGroupPermissions: ["admin"] }] },
  });
  expect(body).not.toHaveProperty("displayName");
  expect(body).not.toHaveProperty("externalId");
  expect(body.meta?.["created"]).toBe(user.meta?.["created"]);
  expect(headers.get("etag")).toBe(body.meta?.["version"]);
  expect((await scim.call("GET", `Users/${user.id}`)).body).toEqual(body);
});

test("PUT Users/{id} refuses another userName and takes the same in another case", async () => {
  const { id, userName } = await scim.create();
  const other = await scim.call("PUT", `Users/${id}`, newUser());
  expect([other.status, other.body.scimType]).toEqual([400, "mutability"]);
  const same = await scim.call("PUT", `Users/${id}`, newUser({ userName: userName.toUpperCase() }));
  expect([same.status, same.body.userName]).toEqual([200, userName]);
  const unnamed = await scim.call("PUT", `Users/${id}`, newUser({ userName: undefined, department: "bi" }));
  expect([unnamed.status, unnamed.body["department"]]).toEqual([200, "bi"]);
});

test("PUT Users/{id} without active does not let a deactivated user in again", async () => {
  const { id } = await scim.create({ active: false });
  const { status, body } = await scim.call("PUT", `Users/${id}`, newUser({ userName: undefined, active: undefined }));
  expect([status, body["active"]]).toEqual([200, false]);
});

test("Okta: create, look up, update the profile with a PUT, deactivate", async () => {
  const userName = `${randomUUID()}@okta.example`;
  const before = await scim.call("GET", `Users?filter=userName%20eq%20%22${encodeURIComponent(userName)}%22&startIndex=1&count=100`);
  expect(before.body).toMatchObject({ totalResults: 0, startIndex: 1 });
  const sent = {
    schemas: [core, enterprise],
    userName,
    name: { givenName: "Test", familyName: "User" },
    emails: [{ primary: true, value: userName, type: "work" }],
    displayName: "Test User",
    locale: "en-US",
    externalId: "00ujl29u0le5T6Aj10h7",
    groups: [],
    password: "1mz050nq",
    active: true,
    [enterprise]: { department: "engineering" },
  };
  const created = await scim.call("POST", "Users", sent, {
    headers: { "content-type": "application/scim+json; charset=utf-8", accept: "application/scim+json" },
    token: tokens.landing,
  });
  expect(created.status, created.text).toBe(201);
  expect(created.body).toMatchObject({
    userName,
    active: true,
    department: "engineering",
    emails: [{ value: userName, type: "work", primary: true }],
    externalId: "00ujl29u0le5T6Aj10h7",
  });
  expect(created.text).not.toContain("1mz050nq");
  const { id = "" } = created.body;
  const updated = await scim.call("PUT", `Users/${id}`, {
    ...sent,
    id,
    name: { givenName: "Another", familyName: "User" },
    meta: created.body.meta,
  });
  expect(updated.status, updated.text).toBe(200);
  expect(updated.body["name"]).toEqual({ givenName: "Another", familyName: "User" });
  expect(updated.body["permissions"]).toEqual(created.body["permissions"]);
  const off = await scim.call("PATCH", `Users/${id}`, { schemas: [patchOp], Operations: [{ op: "replace", value: { active: false } }] });
  expect([off.status, off.body["active"]]).toEqual([200, false]);
  expect((await scim.search(`userName eq "${userName}" and active eq true`)).body.totalResults).toBe(0);
});

test("Entra ID: probe, create, match, update by paths, disable, delete", async () => {
  const entra = { token: tokens.entra, origin: null };
  const probe = await scim.call("GET", `Users?filter=userName+eq+%22${randomUUID()}%40contoso.example%22`, undefined, entra);
  expect([probe.status, probe.body.totalResults]).toEqual([200, 0]);
  const userName = `${randomUUID()}@contoso.example`;
  const created = await scim.call("POST", "Users", {
    schemas: [core, enterprise],
    externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    userName,
    active: true,
    displayName: "Ryan Leenay",
    emails: [{ primary: true, type: "work", value: userName }],
    meta: { resourceType: "User" },
    name: { formatted: "Ryan Leenay", familyName: "Leenay", givenName: "Ryan" },
    roles: [],
    title: "Engineer",
    [enterprise]: { department: "engineering", employeeNumber: "123" },
  }, entra);
  expect(created.status, created.text).toBe(201);
  const { id = "" } = created.body;
  expect((await scim.search(`externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"`, "", entra)).body.Resources?.[0]?.id).toBe(id);
  const byEmail = await scim.search(`emails[type eq "work"].value eq "${userName}"`, "", entra);
  expect(byEmail.body.Resources?.map((user) => user.id)).toEqual([id]);
  const updated = await scim.patch(id, [
    { op: "Replace", path: 'emails[type eq "work"].value', value: "updatedEmail@contoso.example" },
    { op: "Replace", path: "name.familyName", value: "Updated" },
    { op: "Add", path: "name.formatted", value: "Ryan Updated" },
    { op: "Replace", path: "title", value: "Boss" },
    { op: "Add", path: `${enterprise}:department`, value: "marketing" },
    { op: "Add", path: `${enterprise}:manager`, value: "x" },
  ], entra);
  expect(updated.status, updated.text).toBe(200);
  expect(updated.body).toMatchObject({
    name: { givenName: "Ryan", familyName: "Updated" },
    department: "marketing",
    emails: [{ value: "updatedEmail@contoso.example", type: "work" }],
  });
  const disabled = await scim.patch(id, [{ op: "Replace", path: "active", value: "False" }], entra);
  expect(disabled.body["active"]).toBe(false);
  expect((await scim.call("DELETE", `Users/${id}`, undefined, entra)).status).toBe(204);
});

test("PATCH changes permissions by paths, with names that have to be known", async () => {
  const { id } = await scim.create({ permissions: { appGroup: [{ appGroupName: "Shop", appGroupPermissions: ["basic_access"] }] } });
  const shop = 'permissions.appGroup[appGroupName eq "Shop"]';
  const changed = await scim.patch(id, [
    { op: "add", path: `${shop}.appGroupPermissions`, value: ["export_user_data"] },
    { op: "add", path: "permissions.appGroup", value: [{ appGroupName: "Blog" }] },
    { op: "add", path: `${extension}:permissions.companyPermissions`, value: ["admin"] },
  ]);
  expect(changed.status, changed.text).toBe(200);
  expect(changed.body["permissions"]).toMatchObject({
    companyPermissions: ["admin"],
    appGroup: [{ appGroupPermissions: ["basic_access", "export_user_data"] }, { appGroupId: blogId }],
  });
  const removed = await scim.patch(id, [{ op: "remove", path: shop }]);
  expect(removed.body["permissions"]).toMatchObject({ appGroup: [{ appGroupName: "Blog" }] });
  const wrong = await scim.patch(id, [{ op: "add", path: "permissions.companyPermissions", value: ["fly"] }]);
  expect([wrong.status, wrong.body.scimType]).toEqual([400, "invalidValue"]);
});

test("PATCH does all of its operations or none", async () => {
  const user = await scim.create();
  const answer = await scim.patch(user.id, [{ op: "replace", path: "department", value: "pm" }, { op: "remove", path: "userName" }]);
  expect([answer.status, answer.body.scimType]).toEqual([400, "mutability"]);
  expect((await scim.call("GET", `Users/${user.id}`)).body).toEqual(user);
});

for (
  const [scimType, operation] of [
    ["invalidPath", { op: "add", path: "favouriteColour", value: "x" }],
    ["invalidPath", { op: "add", path: "__proto__", value: "x" }],
    ["invalidFilter", { op: "add", path: "emails[type eq", value: "x" }],
    ["noTarget", { op: "replace", path: 'emails[type eq "fax"].value', value: "x" }],
    ["noTarget", { op: "remove" }],
    ["mutability", { op: "replace", path: "id", value: "x" }],
    ["mutability", { op: "replace", path: "lastSignInAt", value: "x" }],
    ["mutability", { op: "replace", path: "userName", value: "somebody@example.com" }],
    ["invalidSyntax", { op: "move", path: "id" }],
    ["invalidValue", { op: "replace", path: "active", value: "maybe" }],
  ] as const
) {
  test(`PATCH refuses ${JSON.stringify(operation)} with ${scimType}`, async () => {
    const { id } = await scim.create();
    const { status, body } = await scim.patch(id, [operation]);
    expect([status, body]).toEqual([400, { schemas: [errorSchema], scimType, detail: expect.stringMatching(/\S/), status: 400 }]);
  });
}

test("versions: If-Match guards PUT, PATCH and DELETE; If-None-Match spares a GET", async () => {
  const { id } = await scim.create();
  const first = await scim.call("GET", `Users/${id}`);
  const tag = first.headers.get("etag") ?? "";
  expect(tag).toMatch(/^W\/".+"$/);
  const known = await scim.call("GET", `Users/${id}`, undefined, { headers: { "if-none-match": `"zzz", ${tag}` } });
  expect([known.status, known.text, known.headers.get("etag")]).toEqual([304, "", tag]);
  const next = await scim.call(
    "PATCH",
    `Users/${id}`,
    { schemas: [patchOp], Operations: [{ op: "replace", value: { displayName: "B" } }] },
    { headers: { "if-match": tag } },
  );
  expect(next.status).toBe(200);
  expect(next.headers.get("etag")).not.toBe(tag);
  for (
    const [method, body] of [["PUT", newUser({ userName: undefined })], ["PATCH", {
      schemas: [patchOp],
      Operations: [{ op: "replace", value: { displayName: "C" } }],
    }], ["DELETE", undefined]] as const
  ) {
    const stale = await scim.call(method, `Users/${id}`, body, { headers: { "if-match": tag } });
    expect([stale.status, stale.body.status], method).toEqual([412, 412]);
  }
  expect((await scim.call("GET", `Users/${id}`, undefined, { headers: { "if-none-match": tag } })).status).toBe(200);
  expect((await scim.call("DELETE", `Users/${id}`, undefined, { headers: { "if-match": `W/"x", *` } })).status).toBe(204);
});

test("a patch that changes nothing leaves the version", async () => {
  const user = await scim.create({ active: true });
  const same = await scim.patch(user.id, [{ op: "replace", value: { active: true } }]);
  expect(same.body).toEqual(user);
});

test("an Idempotency-Key repeats the answer of POST, PUT and PATCH, and refuses another body", async () => {
  const keyed = (key: string) => ({ headers: { "idempotency-key": key } });
  const sent = newUser();
  const key = randomUUID();
  const [first, ...repeats] = await Promise.all(Array.from({ length: 10 }, () => scim.call("POST", "Users", sent, keyed(key))));
  for (const repeat of repeats) expect([repeat.status, repeat.text]).toEqual([201, first?.text]);
  expect(repeats.filter(({ headers }) => headers.get("idempotency-replayed") === "true").length).toBeGreaterThanOrEqual(9 - 1);
  const other = await scim.call("POST", "Users", newUser(), keyed(key));
  expect([other.status, other.body.schemas]).toEqual([422, [errorSchema]]);
  expect((await scim.call("POST", "Users", ` ${JSON.stringify(sent)}`, keyed(key))).status).toBe(422);
  const path = `Users/${first?.body.id}`;
  const put = newUser({ userName: undefined, department: "bi" });
  const replaced = await scim.call("PUT", path, put, keyed(key));
  await scim.call("PUT", path, newUser({ userName: undefined, department: "pm" }));
  const again = await scim.call("PUT", path, put, keyed(key));
  expect(again.text).toBe(replaced.text);
  expect((await scim.call("GET", path)).body["department"]).toBe("pm");
  // Of the other company the key is its own
  expect((await scim.call("POST", "Users", newUser({ permissions: {} }), { ...keyed(key), token: tokens.other })).status).toBe(201);
  expect((await scim.call("POST", "Users", sent, keyed("x".repeat(256)))).status).toBe(400);
});

test("an answered write is there after the process was killed", async () => {
  const user = await scim.create();
  const key = { headers: { "idempotency-key": randomUUID() } };
  const sent = newUser();
  const created = await scim.call("POST", "Users", sent, key);
  await scim.call("DELETE", `Users/${user.id}`);
  await scim.heddle.restart("SIGKILL");
  expect((await scim.call("GET", `Users/${created.body.id}`)).body).toEqual(created.body);
  expect((await scim.call("GET", `Users/${user.id}`)).status).toBe(404);
  expect((await scim.call("POST", "Users", sent, key)).text).toBe(created.text);
});
