/** The SCIM calls of the service description, to the letter: create, get, search, delete. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { blogId, core, errorSchema, listResponse, newUser, scimSuite, tokens } from "../scim.ts";

const scim = scimSuite();
const notFound = { schemas: [errorSchema], detail: "User not found", status: 404 };
const exists = { schemas: [errorSchema], detail: "User already exists in the database.", status: 409 };

test("POST /scim/v2/Users answers the user with id, last sign-in and generated ids", async () => {
  const sent = newUser({
    permissions: {
      companyPermissions: ["manage_company_settings"],
      appGroup: [
        {
          appGroupName: "Shop",
          appGroupPermissions: ["basic_access", "send_campaigns_canvases"],
          team: [{ teamName: "South", teamPermissions: ["basic_access", "export_user_data"] }],
        },
        { appGroupName: "Blog", appGroupPermissionSets: [{ appGroupPermissionSetName: "Editors" }] },
      ],
    },
  });
  const { status, headers, body } = await scim.call("POST", "Users", sent);
  expect(status).toBe(201);
  expect(headers.get("content-type")).toBe("application/scim+json");
  expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}$/);
  expect(body).toMatchObject({
    schemas: [core],
    userName: sent["userName"],
    name: sent["name"],
    department: "finance",
    lastSignInAt: "Thursday, January 1, 1970 12:00:00 AM",
    permissions: {
      companyPermissions: ["manage_company_settings"],
      appGroup: [
        {
          appGroupId: expect.stringMatching(/./),
          appGroupName: "Shop",
          appGroupPermissions: ["basic_access", "send_campaigns_canvases"],
          team: [{ teamId: "south-1", teamName: "South", teamPermissions: ["basic_access", "export_user_data"] }],
        },
        {
          appGroupId: blogId,
          appGroupName: "Blog",
          appGroupPermissionSets: [{ appGroupPermissionSetName: "Editors", appGroupPermissionSetID: expect.stringMatching(/./) }],
        },
      ],
    },
  });
  expect(headers.get("location")).toBe(`${scim.heddle.publicUrl}/scim/v2/Users/${body.id}`);
  expect(body.meta).toMatchObject({ resourceType: "User", location: headers.get("location"), version: headers.get("etag") });
  expect(Date.parse(body.meta?.["created"] ?? "")).toBeGreaterThan(Date.now() - 60_000);
  expect((await scim.call("GET", `Users/${body.id}`)).body).toEqual(body);
});

test("POST /scim/v2/Users answers 409 for a name that is taken, in any case", async () => {
  const { userName } = await scim.create();
  for (const name of [userName, userName.toUpperCase(), ` ${userName} `]) {
    const { status, body, headers } = await scim.call("POST", "Users", newUser({ userName: name }));
    expect(status).toBe(409);
    expect(body).toEqual(exists);
    expect(headers.get("x-heddle-reason")).toBe("ALREADY_EXISTS");
  }
});

test("POST /scim/v2/Users a hundred times at once makes one user", async () => {
  const sent = newUser();
  const answers = await Promise.all(Array.from({ length: 100 }, () => scim.call("POST", "Users", sent)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(99);
});

test("GET /scim/v2/Users?filter=userName eq finds by email, in any case, and nobody is no error", async () => {
  const user = await scim.create();
  const { schemas: _, ...shown } = (await scim.call("GET", `Users/${user.id}`)).body;
  const found = await scim.search(`userName eq "${user.userName.toUpperCase()}"`);
  expect(found.status).toBe(200);
  expect(found.body).toEqual({ schemas: [listResponse], totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [shown] });
  const raw = await scim.call("GET", `Users?filter=userName+eq+%22${encodeURIComponent(user.userName)}%22`);
  expect(raw.body.totalResults).toBe(1);
  const none = await scim.search(`userName eq "nobody@example.com"`);
  expect([none.status, none.body.totalResults, none.body.Resources]).toEqual([200, 0, []]);
});

test("GET /scim/v2/Users?filter= finds an address with a plus, as encodeURI and as a form write it; bad encoding is 400", async () => {
  const { id, userName } = await scim.create({ userName: `ann+${randomUUID()}@example.com` });
  const asked = [`filter=userName%20eq%20%22${userName}%22`, `filter=userName+eq+%22${userName}%22`, `filter=userName+eq+"${userName}"`];
  for (const query of [...asked, `filter=${encodeURIComponent(`userName eq "${userName}"`)}`]) {
    expect((await scim.call("GET", `Users?${query}`)).body.Resources, query).toMatchObject([{ id }]);
  }
  for (
    const [method, path] of [["GET", "Users?filter=%FCx"], ["GET", `Users/${id}?attributes=%ZZ`], ["DELETE", `Users/${id}?%ZZ`]] as const
  ) {
    const { status, body } = await scim.call(method, path);
    const detail = "The query string must be percent-encoded UTF-8";
    expect([status, body], path).toEqual([400, { schemas: [errorSchema], scimType: "invalidValue", detail, status: 400 }]);
  }
});

test("DELETE /scim/v2/Users/{id} is for good; the second time and every other call it is unknown", async () => {
  const { id, userName } = await scim.create();
  const first = await scim.call("DELETE", `Users/${id}`);
  expect([first.status, first.text, first.headers.get("content-type"), first.headers.get("content-length")]).toEqual([204, "", null, null]);
  for (
    const [method, body] of [["DELETE", undefined], ["GET", undefined], ["PUT", newUser({ userName })], ["PATCH", {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", value: { active: false } }],
    }]] as const
  ) {
    const answer = await scim.call(method, `Users/${id}`, body);
    expect(answer.status, method).toBe(404);
    expect(answer.body, method).toEqual(notFound);
  }
  expect((await scim.search(`userName eq "${userName}"`)).body.totalResults).toBe(0);
  expect((await scim.create({ userName })).id).not.toBe(id);
});

test("a user of another company is as unknown as one that never was, whatever is asked", async () => {
  const { id, userName } = await scim.create();
  const other = { token: tokens.other };
  for (const unknown of [id, "dfa245b7-24195aec-887bb3ad-602b3340", "x", "__proto__", "%27%20OR%201%3D1", "constructor"]) {
    for (const [method, body] of [["GET", undefined], ["DELETE", undefined], ["PUT", newUser({ userName })]] as const) {
      const answer = await scim.call(method, `Users/${unknown}`, body, other);
      expect([answer.status, answer.body], `${method} ${unknown}`).toEqual([404, notFound]);
    }
  }
  for (const filter of [`userName eq "${userName}"`, `id eq "${id}"`, `id pr`, `not (id eq "x")`]) {
    expect((await scim.search(filter, "", other)).body.totalResults, filter).toBe(0);
  }
  expect((await scim.call("GET", "Users", undefined, other)).body.totalResults).toBe(0);
  // The name is taken in its own company only
  const twin = await scim.create({ userName, permissions: {} }, other);
  expect((await scim.call("GET", `Users/${twin.id}`)).status).toBe(404);
  await scim.call("DELETE", `Users/${twin.id}`, undefined, other);
  const hidden = await scim.call("POST", "Users", newUser({ permissions: { appGroup: [{ appGroupName: "Hidden" }] } }));
  const never = await scim.call("POST", "Users", newUser({ permissions: { appGroup: [{ appGroupName: "Never" }] } }));
  expect(hidden.body.detail?.replace("Hidden", "Never")).toBe(never.body.detail);
});

test("POST /scim/v2/Users with a token that has a default workspace lands a user there", async () => {
  const landed = await scim.create({ permissions: undefined }, { token: tokens.landing });
  expect(landed["permissions"]).toMatchObject({
    companyPermissions: [],
    appGroup: [{ appGroupName: "Shop", appGroupPermissions: ["basic_access"], team: [] }],
  });
  const placed = await scim.create({ permissions: { appGroup: [{ appGroupName: "Blog" }] } }, { token: tokens.landing });
  expect(placed["permissions"]).toMatchObject({ appGroup: [{ appGroupName: "Blog" }] });
  expect((await scim.create({ permissions: {} }))["permissions"]).toEqual({ companyPermissions: [], appGroup: [] });
});

for (const permissions of [undefined, null]) {
  test(`POST /scim/v2/Users with permissions ${permissions} is 400, unless the token lets accounts be made without`, async () => {
    const refused = await scim.call("POST", "Users", newUser({ permissions }));
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      "'permissions' is required: an object, {} for none; a token made with --permissions-optional takes accounts without it",
    ]);
    const made = await scim.create({ permissions }, { token: tokens.entra, origin: "entra" });
    expect(made["permissions"]).toEqual({ companyPermissions: [], appGroup: [] });
    const { id, userName } = await scim.create();
    expect((await scim.call("PUT", `Users/${id}`, newUser({ userName, permissions }))).status).toBe(200);
  });
}

test("POST /scim/v2/Users takes nothing that the service gives out itself", async () => {
  const user = await scim.create({
    id: "mine",
    lastSignInAt: "Friday, January 2, 1970 12:00:00 AM",
    meta: { created: "1999-01-01T00:00:00Z", version: "x" },
    __proto__: { admin: true },
    constructor: "x",
  });
  expect(user.id).not.toBe("mine");
  expect(user["lastSignInAt"]).toBe("Thursday, January 1, 1970 12:00:00 AM");
  expect(user.meta?.["created"]).not.toBe("1999-01-01T00:00:00Z");
  expect(Object.keys(user)).not.toContain("constructor");
});

for (
  const [what, values] of [
    ["schemas", { schemas: undefined }],
    ["userName", { userName: undefined }],
    ["userName", { userName: "no email" }],
    ["name", { name: undefined }],
    ["name.familyName", { name: { givenName: "A" } }],
    ["department", { department: undefined }],
    ["dancing", { department: "dancing" }],
    ["fly", { permissions: { companyPermissions: ["fly"] } }],
    ["Nowhere", { permissions: { appGroup: [{ appGroupName: "Nowhere" }] } }],
    ["East", { permissions: { appGroup: [{ appGroupName: "Shop", team: [{ teamName: "East" }] }] } }],
    ["Readers", {
      permissions: { appGroup: [{ appGroupName: "Shop", appGroupPermissionSets: [{ appGroupPermissionSetName: "Readers" }] }] },
    }],
  ] as const
) {
  test(`POST /scim/v2/Users refuses ${JSON.stringify(values)} and names "${what}"`, async () => {
    const { status, body } = await scim.call("POST", "Users", newUser(values));
    expect(status).toBe(400);
    expect(body).toMatchObject({ schemas: [errorSchema], status: 400, scimType: what === "schemas" ? "invalidSyntax" : "invalidValue" });
    expect(body.detail).toContain(what);
  });
}

test("POST /scim/v2/Users refuses a name and permissions of another shape, and names the field", async () => {
  for (
    const [values, what] of [
      [{ name: "Ann Archer" }, "name"],
      [{ name: { givenName: "Ann", familyName: 5 } }, "name.familyName"],
      [{ name: { givenName: ["Ann"], familyName: "Archer" } }, "name.givenName"],
      [{ permissions: "admin" }, "permissions"],
      [{ permissions: { companyPermissions: "admin" } }, "companyPermissions"],
      [{ permissions: { appGroup: ["Shop"] } }, "appGroup"],
      [{ permissions: { appGroup: [{ appGroupName: "Shop", appGroupPermissions: "admin" }] } }, "appGroupPermissions"],
      [{ permissions: { appGroup: [{ appGroupName: "Shop", team: ["South"] }] } }, "team"],
      [{ permissions: { appGroup: [{}] } }, "appGroup"],
    ] as const
  ) {
    const { status, body } = await scim.call("POST", "Users", newUser(values));
    expect([status, body.scimType], JSON.stringify(values)).toEqual([400, "invalidValue"]);
    expect(body.detail).toContain(what);
  }
});

/** As the reference lists them. */
const companyStrings = "admin manage_company_settings add_remove_app_groups";
const teamStrings = "admin basic_access approve_deny_campaigns send_campaigns_canvases publish_cards edit_segments export_user_data " +
  "view_user_profile manage_dashboard_users manage_media_library";
const workspaceStrings = `${teamStrings} view_pii view_usage_data import_update_user_data view_billing_details dev_console ` +
  "launch_content_blocks manage_external_integrations manage_apps manage_teams manage_events_attributes_purchases manage_tags " +
  "manage_email_settings manage_subscription_groups manage_approval_settings manage_catalogs_dashboard_permission";

test("POST /scim/v2/Users takes every permission and department of the reference", async () => {
  const permissions = {
    companyPermissions: companyStrings.split(" "),
    appGroup: [{
      appGroupName: "Shop",
      appGroupPermissions: workspaceStrings.split(" "),
      team: [{ teamName: "South", teamPermissions: teamStrings.split(" ") }],
    }],
  };
  expect((await scim.create({ permissions }))["permissions"]).toMatchObject(permissions);
  for (const department of ["agency", "bi", "c_suite", "engineering", "finance", "marketing", "pm"]) {
    expect((await scim.create({ department }))["department"]).toBe(department);
  }
});

test("the id that a search found is that of GET and of DELETE", async () => {
  const { userName } = await scim.create();
  const [found] = (await scim.search(`userName eq "${userName}"`)).body.Resources ?? [];
  expect((await scim.call("GET", `Users/${found?.id}`)).body).toMatchObject({ id: found?.id, userName });
  expect((await scim.call("DELETE", `Users/${found?.id}`)).status).toBe(204);
});

test("roles are refused by name, as none are declared", async () => {
  const { status, body } = await scim.call("POST", "Users", newUser({ permissions: { roles: [{ roleName: "Writers" }] } }));
  expect([status, body.scimType, body.detail]).toEqual([400, "invalidValue", expect.stringContaining("Writers")]);
});

test("groups, teams and permission sets are named by name or by id", async () => {
  const [byName] = ((await scim.create({
    permissions: {
      appGroup: [{
        appGroupName: "Shop",
        appGroupPermissionSets: [{ appGroupPermissionSetName: "Editors" }],
        team: [{ teamName: "South" }],
      }],
    },
  }))["permissions"] as { appGroup: Record<string, unknown>[] }).appGroup;
  const [set] = (byName?.["appGroupPermissionSets"] ?? []) as { appGroupPermissionSetID: string }[];
  const byId = {
    appGroupId: byName?.["appGroupId"],
    appGroupPermissionSets: [{ appGroupPermissionSetID: set?.appGroupPermissionSetID }],
    team: [{ teamId: "south-1" }],
  };
  expect((await scim.create({ permissions: { appGroup: [byId] } }))["permissions"]).toMatchObject({ appGroup: [byName] });
});

for (const field of ["schemas", "name", "department"]) {
  test(`PUT Users/{id} refuses a body without ${field}`, async () => {
    const { id } = await scim.create();
    const { status, body } = await scim.call("PUT", `Users/${id}`, newUser({ userName: undefined, [field]: undefined }));
    expect([status, body.detail]).toEqual([400, expect.stringContaining(field)]);
  });
}
