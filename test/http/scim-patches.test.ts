/** PATCH over HTTP by the letter of RFC 7644 section 3.5.2, as far as it decides who may do what. */
import { expect, test } from "vitest";
import { blogId, core, extension, scimSuite, tokens } from "../scim.ts";

const scim = scimSuite();

const shopAndAdmin = {
  companyPermissions: ["admin"],
  appGroup: [{ appGroupName: "Shop", appGroupPermissions: ["basic_access"] }],
};

for (
  const [operation, after] of [
    [{ op: "remove", path: "permissions" }, { companyPermissions: [], appGroup: [] }],
    [{ op: "replace", path: "permissions", value: null }, { companyPermissions: [], appGroup: [] }],
    [{ op: "replace", value: { permissions: null } }, { companyPermissions: [], appGroup: [] }],
    [{ op: "remove", path: "permissions.companyPermissions" }, { companyPermissions: [], appGroup: [{ appGroupName: "Shop" }] }],
    [{ op: "remove", path: "permissions.appGroup" }, { companyPermissions: ["admin"], appGroup: [] }],
  ] as const
) {
  test(`PATCH ${JSON.stringify(operation)} takes these rights away`, async () => {
    const user = await scim.create({ permissions: shopAndAdmin });
    const { status, body, headers } = await scim.patch(user.id, [operation], { token: tokens.landing });
    expect([status, body["permissions"]]).toMatchObject([200, after]);
    expect(headers.get("etag")).not.toBe(user.meta?.["version"]);
    expect((await scim.call("GET", `Users/${user.id}`)).body).toEqual(body);
  });
}

for (const path of ["permissions", undefined]) {
  test(`PATCH adds to permissions ${path ? "by their path" : "without a path"} and takes none away, however often it is sent`, async () => {
    const { id } = await scim.create({ permissions: shopAndAdmin });
    const more = {
      companyPermissions: ["manage_company_settings"],
      appGroup: [{ appGroupName: "Blog", appGroupPermissions: ["basic_access"] }],
    };
    const operations = [path ? { op: "add", path, value: more } : { op: "add", value: { permissions: more } }];
    const { status, body } = await scim.patch(id, operations);
    expect([status, body["permissions"]]).toMatchObject([200, {
      companyPermissions: ["admin", "manage_company_settings"],
      appGroup: [{ appGroupName: "Shop", appGroupPermissions: ["basic_access"] }, { appGroupId: blogId }],
    }]);
    expect((await scim.patch(id, operations)).body).toEqual(body);
  });
}

test("PATCH that makes one address the primary one takes that from the other", async () => {
  const work = { value: "ann@work.example", type: "work" };
  const home = { value: "ann@home.example", type: "home" };
  const { id } = await scim.create({ emails: [{ ...work, primary: true }, home] });
  const { status, body } = await scim.patch(id, [{ op: "replace", path: 'emails[type eq "home"].primary', value: true }]);
  expect([status, body["emails"]]).toEqual([200, [{ ...work, primary: false }, { ...home, primary: true }]]);
});

test("PATCH takes complex attributes below the name of their schema", async () => {
  const { id } = await scim.create({ permissions: shopAndAdmin });
  const { status, body, text } = await scim.patch(id, [
    { op: "replace", value: { [extension]: { permissions: { companyPermissions: [] } } } },
    { op: "replace", path: core, value: { name: { givenName: "Zoe" } } },
    { op: "replace", value: { [`${core}:name`]: { familyName: "Zimmer" } } },
  ]);
  expect(status, text).toBe(200);
  expect(body).toMatchObject({
    name: { givenName: "Zoe", familyName: "Zimmer" },
    permissions: { companyPermissions: [], appGroup: [{ appGroupName: "Shop" }] },
  });
});

for (
  const operation of [{ op: "remove", path: "active" }, { op: "replace", path: "active", value: "" }, {
    op: "replace",
    value: { active: null },
  }]
) {
  test(`PATCH ${JSON.stringify(operation)} does not let a deactivated user in again`, async () => {
    const user = await scim.create({ active: false });
    expect((await scim.patch(user.id, [operation])).body).toEqual(user);
  });
}
