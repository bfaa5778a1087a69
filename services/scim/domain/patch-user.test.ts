/** PATCH: operations as Okta and Entra ID send them, and the rules of RFC 7644 section 3.5.2. */
import { expect, test } from "vitest";
import type { Fields } from "../../../platform/fields.ts";
import { checkUser } from "./check-user.ts";
import { patchSchema, patchUser } from "./patch-user.ts";
import { coreSchema, dashboardSchema, enterpriseSchema } from "./schema.ts";
import { annResource, directory } from "./user.fixture.ts";

const work = 'emails[type eq "work"]';
const home = 'emails[type eq "home"]';
const homeIsPrimary = {
  emails: [{ value: "ann@example.com", type: "work", primary: false }, { value: "Ann@home.example", type: "home", primary: true }],
};
const onlyHome = { emails: [{ value: "Ann@home.example", type: "home" }] };
const shop = 'permissions.appGroup[appGroupName eq "Shop"]';
const groups = (annResource["permissions"] as { appGroup: Fields[] }).appGroup;
const north: Fields = { teamId: "team-1", teamName: "North", teamPermissions: ["admin"] };

/** The rights that Ann has, with others in her first app group. */
function inShop(rights: Fields): Fields {
  return { permissions: { companyPermissions: ["manage_company_settings"], appGroup: [{ ...groups[0], ...rights }, groups[1]] } };
}

function patched(operations: unknown, extra: object = {}) {
  return patchUser(annResource, { schemas: [patchSchema], Operations: operations, ...extra });
}

/** What the user has afterwards, where it differs from before. */
const cases: readonly (readonly [name: string, operation: unknown, after: Fields])[] = [
  // Okta
  ["Okta deactivates", { op: "replace", value: { active: false } }, { active: false }],
  ["Okta renames without a path", { op: "replace", value: { name: { givenName: "Anna", familyName: "Bow" } } }, {
    name: { givenName: "Anna", familyName: "Bow" },
  }],
  ["Okta sends the id beside what it changes", { op: "replace", value: { id: "dfa245b7-24195aec-887bb3ad-602b3340", active: true } }, {}],
  // Entra ID
  ["Entra ID disables with a text", { op: "Replace", path: "active", value: "False" }, { active: false }],
  ["Entra ID disables without a path", { op: "Replace", value: { active: "False" } }, { active: false }],
  ["Entra ID adds a display name", { op: "Add", path: "displayName", value: "A. Archer" }, { displayName: "A. Archer" }],
  ["Entra ID replaces the work address", { op: "Replace", path: `${work}.value`, value: "new@example.com" }, {
    emails: [{ value: "new@example.com", type: "work", primary: true }, { value: "Ann@home.example", type: "home" }],
  }],
  ["Entra ID adds an address of a type that is not there", { op: "Add", path: 'emails[type eq "other"].value', value: "o@example.com" }, {
    emails: [{ value: "ann@example.com", type: "work", primary: true }, { value: "Ann@home.example", type: "home" }, {
      type: "other",
      value: "o@example.com",
    }],
  }],
  ["Entra ID sends paths as names", {
    op: "Add",
    value: { "name.givenName": "Anna", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department": "pm" },
  }, { name: { givenName: "Anna", familyName: "Archer" }, department: "pm" }],
  ["Entra ID sets the department of the enterprise extension", {
    op: "Replace",
    path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
    value: "pm",
  }, { department: "pm" }],
  ["Entra ID sends an extension as an object", {
    op: "Add",
    value: { "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "bi", employeeNumber: "7" } },
  }, { department: "bi" }],
  ["an extension as a whole by its path", {
    op: "replace",
    path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:USER",
    value: { department: "bi", employeeNumber: "7" },
  }, { department: "bi" }],
  ["the core schema as an object, with a complex attribute", { op: "replace", value: { [coreSchema]: { name: { givenName: "Zoe" } } } }, {
    name: { givenName: "Zoe", familyName: "Archer" },
  }],
  ["the core schema as the path, with a complex attribute and what nobody may set", {
    op: "replace",
    path: coreSchema,
    value: { id: "x", meta: { created: "1999" }, name: { givenName: "Zoe" }, addresses: { street: "x" } },
  }, { name: { givenName: "Zoe", familyName: "Archer" } }],
  ["the dashboard's schema as an object, with rights", {
    op: "replace",
    value: { [dashboardSchema]: { permissions: { companyPermissions: [] } } },
  }, { permissions: { companyPermissions: [], appGroup: groups } }],
  ["complex attributes by their full names", {
    op: "replace",
    value: {
      [`${coreSchema.toUpperCase()}:name`]: { familyName: "Bow" },
      [`${coreSchema}:${work}`]: { display: "Desk" },
      [`${dashboardSchema}:permissions.appGroup`]: [],
      [`${enterpriseSchema}:manager`]: { value: "x" },
    },
  }, {
    name: { givenName: "Ann", familyName: "Bow" },
    emails: [{ value: "ann@example.com", type: "work", primary: true, display: "Desk" }, { value: "Ann@home.example", type: "home" }],
    permissions: { companyPermissions: ["manage_company_settings"], appGroup: [] },
  }],
  ["Entra ID sends what nobody keeps", { op: "Add", path: "title", value: "Boss" }, {}],
  ["Entra ID sends a formatted name", { op: "Replace", path: "name.formatted", value: "Ann Archer" }, {}],
  ["Entra ID sends a manager", { op: "Add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager", value: "x" }, {}],
  ["Entra ID removes values by naming them", { op: "Remove", path: "emails", value: [{ value: "ann@example.com" }] }, onlyHome],
  // The rest of the RFC
  ["a name in any case, with its schema", {
    op: "REPLACE",
    path: "urn:ietf:params:scim:schemas:core:2.0:User:NAME.FAMILYNAME",
    value: "Bow",
  }, { name: { givenName: "Ann", familyName: "Bow" } }],
  ["a complex value keeps what is not named", { op: "replace", path: "name", value: { givenName: "Anna" } }, {
    name: { givenName: "Anna", familyName: "Archer" },
  }],
  ["remove an attribute", { op: "remove", path: "displayName" }, { displayName: undefined }],
  ["remove active, which a body without it keeps", { op: "remove", path: "active" }, { active: undefined }],
  ["replace active with nothing", { op: "replace", path: "active", value: "" }, { active: undefined }],
  ["remove one that is not there", { op: "remove", path: 'emails[type eq "work"].display' }, {}],
  ["Entra ID removes the work address by its value", { op: "Remove", path: `${work}.value` }, onlyHome],
  ["Entra ID replaces the work address with nothing", { op: "Replace", path: `${work}.value`, value: null }, onlyHome],
  ["remove the values of all addresses", { op: "remove", path: "emails.value" }, { emails: [] }],
  ["remove values by filter", { op: "remove", path: work }, onlyHome],
  ["remove a list", { op: "remove", path: "emails" }, { emails: undefined }],
  ["add a value to a list", { op: "add", path: "permissions.companyPermissions", value: ["admin"] }, {
    permissions: { companyPermissions: ["manage_company_settings", "admin"], appGroup: groups },
  }],
  ["add a value that is there already", { op: "add", path: "permissions.companyPermissions", value: "manage_company_settings" }, {}],
  ["add rights to those that are there", { op: "add", path: "permissions", value: { companyPermissions: ["admin"] } }, {
    permissions: { companyPermissions: ["manage_company_settings", "admin"], appGroup: groups },
  }],
  ["add rights to those that are there, without a path", { op: "add", value: { permissions: { CompanyPermissions: ["admin"] } } }, {
    permissions: { companyPermissions: ["manage_company_settings", "admin"], appGroup: groups },
  }],
  ["add rights that are there already", {
    op: "add",
    path: "permissions",
    value: {
      companyPermissions: ["manage_company_settings"],
      appGroup: [{
        appGroupName: "Shop",
        appGroupPermissions: ["basic_access"],
        team: [{ teamName: "North", teamPermissions: ["admin"] }],
      }],
    },
  }, {}],
  ["add an app group that the user is in", {
    op: "add",
    path: "permissions.appGroup",
    value: { appGroupId: "ws-1", appGroupPermissions: ["admin", "basic_access"], team: [{ teamName: "South" }] },
  }, inShop({ appGroupPermissions: ["basic_access", "export_user_data", "admin"], team: [north, { teamName: "South" }] })],
  ["add rights in a team that the user is in", {
    op: "add",
    value: {
      permissions: { appGroup: [{ appGroupName: "Shop", team: [{ teamId: "team-1", teamPermissions: ["publish_cards"] }] }] },
    },
  }, inShop({ team: [{ ...north, teamPermissions: ["admin", "publish_cards"] }] })],
  ["add no list of rights", { op: "add", path: "permissions", value: { companyPermissions: null } }, {}],
  [
    "add rights in an app group",
    { op: "add", path: shop, value: { appGroupPermissions: ["admin"] } },
    inShop({
      appGroupPermissions: ["basic_access", "export_user_data", "admin"],
    }),
  ],
  ["add an address that is there already", { op: "add", path: "emails", value: [{ value: "Ann@home.example" }] }, {}],
  ["add an address that becomes the primary one", { op: "add", path: "emails", value: [{ value: "p@x.de", primary: "true" }] }, {
    emails: [{ value: "ann@example.com", type: "work", primary: false }, { value: "Ann@home.example", type: "home" }, {
      value: "p@x.de",
      primary: true,
    }],
  }],
  ["make another address the primary one", { op: "replace", path: `${home}.primary`, value: "True" }, homeIsPrimary],
  ["make another address the primary one, as an object", { op: "add", path: home, value: { primary: true } }, homeIsPrimary],
  ["add an address by a filter that becomes the primary one", {
    op: "add",
    path: 'emails[type eq "other"]',
    value: { value: "o@x.de", primary: true },
  }, {
    emails: [{ value: "ann@example.com", type: "work", primary: false }, { value: "Ann@home.example", type: "home" }, {
      type: "other",
      value: "o@x.de",
      primary: true,
    }],
  }],
  ["add an address by a filter, with the letters of its text", { op: "add", path: 'emails[value eq "Zoe@x.de"].type', value: "Desk" }, {
    emails: [...annResource["emails"] as Fields[], { value: "Zoe@x.de", type: "Desk" }],
  }],
  ["change the address that is the primary one", { op: "replace", path: "emails[primary eq true].display", value: "Desk" }, {
    emails: [{ value: "ann@example.com", type: "work", primary: true, display: "Desk" }, { value: "Ann@home.example", type: "home" }],
  }],
  ["replace rights", { op: "replace", path: "permissions", value: { companyPermissions: ["admin"] } }, {
    permissions: { companyPermissions: ["admin"], appGroup: groups },
  }],
  ["replace a list", { op: "replace", path: "permissions.companyPermissions", value: [] }, {
    permissions: { companyPermissions: [], appGroup: groups },
  }],
  ["remove all rights", { op: "remove", path: "permissions" }, { permissions: {} }],
  ["replace all rights with nothing", { op: "replace", path: "permissions", value: null }, { permissions: {} }],
  ["replace all rights with nothing, without a path", { op: "replace", value: { permissions: null } }, { permissions: {} }],
  ["add nothing to the rights", { op: "add", path: "permissions", value: null }, {}],
  ["remove the rights in the company", { op: "remove", path: "permissions.companyPermissions" }, { permissions: { appGroup: groups } }],
  ["remove the rights in all app groups", { op: "remove", path: "permissions.appGroup" }, {
    permissions: { companyPermissions: ["manage_company_settings"] },
  }],
  [
    "replace within brackets",
    { op: "replace", path: `${shop}.appGroupPermissions`, value: ["admin"] },
    inShop({ appGroupPermissions: ["admin"] }),
  ],
  ["take one app group away", { op: "remove", path: shop }, {
    permissions: { companyPermissions: ["manage_company_settings"], appGroup: [groups[1]] },
  }],
  ["replace all values that fit, as objects", { op: "replace", path: work, value: { display: "Desk" } }, {
    emails: [{ value: "ann@example.com", type: "work", primary: true, display: "Desk" }, { value: "Ann@home.example", type: "home" }],
  }],
];

for (const [name, operation, after] of cases) {
  test(`patchUser() ${name}`, () => {
    const { body } = patched([operation]);
    expect(body).toEqual({ ...annResource, ...after });
    expect(() => checkUser(body, directory)).not.toThrow();
  });
}

test("patchUser() removes nothing of addresses that are not there", () => {
  const { emails: _, ...without } = annResource;
  for (const path of ["emails", "emails.value", "emails.display"]) {
    expect(patchUser(without, { schemas: [patchSchema], Operations: [{ op: "remove", path }] }).body, path).toEqual(without);
  }
});

test("patchUser() applies operations in their order, and gives the names it passed over", () => {
  const { body, ignored } = patched([
    { op: "add", path: "displayName", value: "One" },
    { op: "replace", path: "displayName", value: "Two" },
    { op: "add", path: "title", value: "Boss" },
    { op: "add", value: { nickName: "A", displayName: "Three" } },
  ]);
  expect(body["displayName"]).toBe("Three");
  expect(ignored).toEqual(["title", "nickName"]);
});

test("patchUser() takes two addresses that become the primary one at once for the client's fault", () => {
  const { body } = patched([{ op: "replace", path: "emails[value pr].primary", value: true }]);
  expect(() => checkUser(body, directory)).toThrow(expect.objectContaining({ reason: "INPUT_INVALID" }));
});

test("patchUser() leaves the user it was given as it was", () => {
  const before = JSON.stringify(annResource);
  patched([{ op: "replace", path: `${work}.value`, value: "x@y.de" }, { op: "remove", path: "permissions.appGroup" }, {
    op: "remove",
    path: "emails",
  }]);
  expect(JSON.stringify(annResource)).toBe(before);
});

const refused: readonly (readonly [reason: string, operation: unknown])[] = [
  ["BODY_SHAPE_INVALID", { op: "move", path: "displayName", value: "x" }],
  ["BODY_SHAPE_INVALID", { path: "displayName", value: "x" }],
  ["BODY_SHAPE_INVALID", { op: "add", path: "displayName" }],
  ["BODY_SHAPE_INVALID", { op: "add", value: "x" }],
  ["BODY_SHAPE_INVALID", "add"],
  ["TARGET_MISSING", { op: "remove" }],
  ["TARGET_MISSING", { op: "replace", path: 'emails[type eq "fax"].value', value: "x" }],
  ["TARGET_MISSING", { op: "remove", path: 'emails[type eq "fax"]' }],
  ["PATH_INVALID", { op: "add", path: "favouriteColour", value: "x" }],
  ["PATH_INVALID", { op: "add", path: "__proto__.polluted", value: true }],
  ["PATH_INVALID", { op: "add", path: "constructor.prototype", value: true }],
  ["PATH_INVALID", { op: "add", path: 5, value: true }],
  ["PATH_INVALID", { op: "add", value: { "urn:example:User": { name: { givenName: "x" } } } }],
  ["PATH_INVALID", { op: "add", value: { "urn:example:User:name": { givenName: "x" } } }],
  ["PATH_INVALID", { op: "add", value: { [coreSchema]: { favourite: { colour: "x" } } } }],
  ["PATH_INVALID", { op: "add", path: 'userName[value eq "x"]', value: "x" }],
  ["PATH_INVALID", { op: "add", path: `${work}.colour`, value: "x" }],
  ["PATH_INVALID", { op: "add", path: `${work}value`, value: "x" }],
  ["FILTER_INVALID", { op: "add", path: "emails[type eq", value: "x" }],
  ["FILTER_INVALID", { op: "remove", path: "emails[]" }],
  ["FILTER_INVALID", { op: "remove", path: 'emails[password eq "x"]' }],
  ["ATTRIBUTE_READ_ONLY", { op: "replace", path: "id", value: "x" }],
  ["ATTRIBUTE_READ_ONLY", { op: "replace", path: "lastSignInAt", value: "x" }],
  ["ATTRIBUTE_READ_ONLY", { op: "replace", path: "meta.created", value: "x" }],
  ["ATTRIBUTE_READ_ONLY", { op: "remove", path: "userName" }],
  ["ATTRIBUTE_READ_ONLY", { op: "remove", path: "name.givenName" }],
  ["ATTRIBUTE_READ_ONLY", { op: "replace", path: "department", value: "" }],
  ["INPUT_INVALID", { op: "replace", path: "active", value: "maybe" }],
  ["ATTRIBUTE_READ_ONLY", { op: "remove", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User" }],
  ["BODY_SHAPE_INVALID", { op: "add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User", value: "bi" }],
];

for (const [reason, operation] of refused) {
  test(`patchUser() refuses ${JSON.stringify(operation)} with ${reason}`, () => {
    expect(() => patched([operation])).toThrow(expect.objectContaining({ reason }));
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
}

for (
  const body of [null, [], {}, { schemas: [patchSchema] }, { schemas: [patchSchema], Operations: [] }, {
    Operations: [{ op: "remove", path: "displayName" }],
  }]
) {
  test(`patchUser() refuses the body ${JSON.stringify(body)}`, () => {
    expect(() => patchUser(annResource, body)).toThrow(expect.objectContaining({ reason: "BODY_SHAPE_INVALID" }));
  });
}

for (
  const value of [
    { displayName: 5 },
    { department: "nobody" },
    { permissions: { companyPermissions: ["fly"] } },
    { permissions: { appGroup: [{ appGroupName: "Nowhere" }] } },
    { emails: "x" },
    { emails: [{}] },
    { permissions: { companyPermissions: [[]] } },
    { name: "Ann" },
  ]
) {
  test(`checkUser() refuses what a patch made of ${JSON.stringify(value)}`, () => {
    for (const op of ["add", "replace"]) {
      const { body } = patched([{ op, value }]);
      expect(() => checkUser(body, directory), op).toThrow(expect.objectContaining({ reason: "INPUT_INVALID" }));
    }
  });
}
