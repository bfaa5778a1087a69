/** Bodies of POST and PUT: shapes, names in any case, vocabulary, and what is refused by name. */
import { expect, test } from "vitest";
import { landed } from "./check-permissions.ts";
import { limits } from "../../../platform/limits.ts";
import { checkUser } from "./check-user.ts";
import { openProjection } from "./project-user.ts";
import { presented, signInText } from "./render-user.ts";
import { coreSchema, dashboardSchema, enterpriseSchema } from "./schema.ts";
import { annResource, directory } from "./user.fixture.ts";
import { userNameKey } from "./user-name.ts";

const name = { givenName: "Ann", familyName: "Archer" };
const body = { schemas: [coreSchema], userName: "ann@example.com", name, department: "finance" };

function permissionsOf(permissions: unknown) {
  return checkUser({ ...body, permissions }, directory).permissions;
}

test("checkUser() takes the example of the service description", () => {
  const sent = {
    ...body,
    permissions: {
      companyPermissions: ["manage_company_settings"],
      appGroup: [
        {
          appGroupName: "Shop",
          appGroupPermissions: ["basic_access", "send_campaigns_canvases"],
          team: [{ teamName: "North", teamPermissions: ["basic_access", "export_user_data"] }],
        },
        { appGroupName: "Blog", appGroupPermissionSets: [{ appGroupPermissionSetName: "Editors" }] },
      ],
    },
  };
  expect(checkUser(sent, directory)).toEqual({
    userName: "ann@example.com",
    profile: { ...name, emails: [], department: "finance" },
    permissions: {
      company: ["manage_company_settings"],
      workspaces: [
        {
          workspaceId: "ws-1",
          permissions: ["basic_access", "send_campaigns_canvases"],
          teams: [{ teamId: "team-1", permissions: ["basic_access", "export_user_data"] }],
        },
        { workspaceId: "ws-2", permissions: [], permissionSetId: "set-1", teams: [] },
      ],
    },
    ignored: [],
  });
});

test("checkUser() takes ids for names, names in any case, attributes under their schema, and passes over the rest", () => {
  expect(permissionsOf({ appGroup: [{ appGroupId: "ws-1", team: [{ teamId: "team-2" }] }] })?.workspaces).toEqual([
    { workspaceId: "ws-1", permissions: [], teams: [{ teamId: "team-2", permissions: [] }] },
  ]);
  const odd = checkUser({
    SCHEMAS: [coreSchema.toUpperCase()],
    USERNAME: " ann@example.com ",
    Name: { GivenName: "Ann", familyname: "Archer", formatted: "Ann Archer" },
    active: "False",
    title: "Boss",
    id: "chosen by the client",
    lastSignInAt: "never",
    meta: { created: "1999" },
    [enterpriseSchema]: { department: "pm", manager: { value: "x" } },
    [dashboardSchema]: { permissions: { companyPermissions: ["admin"] } },
    __proto__: null,
  }, directory);
  expect(odd.userName).toBe("ann@example.com");
  expect(odd.profile).toEqual({ ...name, emails: [], department: "pm" });
  expect(odd.active).toBe(false);
  expect(odd.permissions?.company).toEqual(["admin"]);
  expect(odd.ignored).toEqual(["title", `${enterpriseSchema}:manager`.slice(0, 60) + "..."]);
});

test("checkUser() cuts spaces off a userName and nothing else, as names are compared: what was created is found by what was sent", () => {
  expect(checkUser({ ...body, userName: "  Ann@example.com " }, directory).userName).toBe("Ann@example.com");
  for (const blank of ["\u00a0", "\ufeff", "\u3000"]) {
    const { userName = "" } = checkUser({ ...body, userName: `${blank}ann@example.com` }, directory);
    expect(userNameKey(userName), JSON.stringify(userName)).toBeUndefined();
  }
});

const wrong: readonly (readonly [what: RegExp, values: object])[] = [
  [/'name' is required/, { name: undefined }],
  [/name\.givenName/, { name: { familyName: "x" } }],
  [/name\.familyName/, { name: { givenName: "x", familyName: " " } }],
  [/'department' is required/, { department: null }],
  [/Unknown department 'dancing' in 'department'; there are agency, bi/, { department: "dancing" }],
  [/'userName'/, { userName: 5 }],
  [/'displayName'/, { displayName: "a\u0000b" }],
  [/at most 255/, { externalId: "x".repeat(256) }],
  [/'active'/, { active: "maybe" }],
  [/emails/, { emails: ["x"] }],
  [/emails\.value/, { emails: [{ type: "work" }] }],
  [/primary/, { emails: [{ value: "a", primary: true }, { value: "b", primary: true }] }],
  [/'userName' is sent twice/, { USERNAME: "x@y.de" }],
  [/'permissions' must be an object/, { permissions: [] }],
  [/Unknown attribute 'companyPermission' in 'permissions'/, { permissions: { companyPermission: ["admin"] } }],
  [/Unknown company permission 'fly'/, { permissions: { companyPermissions: ["fly"] } }],
  [/'companyPermissions' must be an array/, { permissions: { companyPermissions: "admin" } }],
  [/Unknown role "Boss"/, { permissions: { roles: [{ roleName: "Boss" }] } }],
  [/'appGroupName' or 'appGroupId' is required/, { permissions: { appGroup: [{}] } }],
  [/^Unknown app group 'Nowhere'; there are Shop, Blog$/, { permissions: { appGroup: [{ appGroupName: "Nowhere" }] } }],
  [/Unknown app group 'constructor'/, { permissions: { appGroup: [{ appGroupName: "constructor" }] } }],
  [/do not mean the same/, { permissions: { appGroup: [{ appGroupName: "Shop", appGroupId: "ws-2" }] } }],
  [/^Unknown app group 'ws-9'; there are Shop, Blog$/, { permissions: { appGroup: [{ appGroupId: "ws-9" }] } }],
  [/^The app group 'Shop' is named twice$/, { permissions: { appGroup: [{ appGroupName: "Shop" }, { appGroupName: "Shop" }] } }],
  [/^The team 'North' is named twice$/, {
    permissions: { appGroup: [{ appGroupName: "Shop", team: [{ teamName: "North" }, { teamId: "team-1", teamName: "North" }] }] },
  }],
  [/^The app group 'Shop' is named twice$/, { permissions: { appGroup: [{ appGroupName: "Shop" }, { appGroupId: "ws-1" }] } }],
  [/Unknown workspace permission 'fly'/, { permissions: { appGroup: [{ appGroupName: "Shop", appGroupPermissions: ["fly"] }] } }],
  [/^Unknown team of 'Shop' 'East'; there are North, South$/, {
    permissions: { appGroup: [{ appGroupName: "Shop", team: [{ teamName: "East" }] }] },
  }],
  [/^Unknown team of 'Blog' 'North'; there are none$/, {
    permissions: { appGroup: [{ appGroupName: "Blog", team: [{ teamName: "North" }] }] },
  }],
  [/Unknown team permission 'view_pii'/, {
    permissions: { appGroup: [{ appGroupName: "Shop", team: [{ teamName: "North", teamPermissions: ["view_pii"] }] }] },
  }],
  [/^Unknown permission set 'Readers'; there are Editors$/, {
    permissions: { appGroup: [{ appGroupName: "Shop", appGroupPermissionSets: [{ appGroupPermissionSetName: "Readers" }] }] },
  }],
  [/exclude each other/, {
    permissions: {
      appGroup: [{ appGroupName: "Shop", appGroupPermissions: ["admin"], appGroupPermissionSets: [{ appGroupPermissionSetID: "set-1" }] }],
    },
  }],
];

for (const [what, values] of wrong) {
  test(`checkUser() refuses ${JSON.stringify(values)}`, () => {
    expect(() => checkUser({ ...body, ...values }, directory)).toThrow(
      expect.objectContaining({ reason: "INPUT_INVALID", message: expect.stringMatching(what) }),
    );
  });
}

test("checkUser() lists at most 20 names of what there is, and says how many more there are", () => {
  const workspaces = Array.from({ length: 23 }, (_, at) => ({ id: `ws-${at}`, name: `W${at}`, teams: [] }));
  const named = workspaces.slice(0, 20).map(({ name: each }) => each).join(", ");
  const sent = { ...body, permissions: { appGroup: [{ appGroupName: "X" }] } };
  expect(() => checkUser(sent, { ...directory, workspaces })).toThrow(`Unknown app group 'X'; there are ${named} and 3 more`);
});

test("checkUser() cuts what it quotes between characters, so that its text stands in any JSON", () => {
  const department = `${"a".repeat(limits.quotedCharsMax - 1)}\u{1f600}`;
  expect(() => checkUser({ ...body, department }, directory)).toThrow(/^Unknown department 'a{59}\ufffd\.\.\.'/);
});

for (const value of [null, [], "x", {}, { ...body, schemas: [] }, { ...body, schemas: coreSchema }]) {
  test(`checkUser() refuses ${JSON.stringify(value)} as no user at all`, () => {
    expect(() => checkUser(value, directory)).toThrow(expect.objectContaining({ reason: "BODY_SHAPE_INVALID" }));
  });
}

test("landed() puts a user without a workspace into the default one, where there is one", () => {
  const none = { company: ["admin"], workspaces: [] };
  expect(landed(none, directory).workspaces).toEqual([{ workspaceId: "ws-2", permissions: ["basic_access"], teams: [] }]);
  expect(landed(none, { ...directory, defaultWorkspaceId: "" })).toBe(none);
  expect(landed(none, { ...directory, defaultWorkspaceId: "of another company" })).toBe(none);
});

test("userNameKey() folds A to Z and the domain, and nothing else, and its own result is its key", () => {
  for (
    const [text, key] of [[" Ann@Example.COM ", "ann@example.com"], ["a@bücher.example", "a@xn--bcher-kva.example"], [
      "ANN+x@Y.de",
      "ann+x@y.de",
    ]] as const
  ) {
    expect(userNameKey(text)).toBe(key);
    expect(userNameKey(key)).toBe(key);
  }
  expect(userNameKey("ıvan@x.de")).not.toBe(userNameKey("ivan@x.de"));
  for (const text of ["ann", "", "@x.de", "a@b", "a b@x.de"]) expect(userNameKey(text)).toBeUndefined();
});

test("signInText() has the form of the description", () => {
  expect(signInText(0)).toBe("Thursday, January 1, 1970 12:00:00 AM");
  expect(signInText(Date.UTC(2026, 10, 20, 12, 5, 9))).toBe("Friday, November 20, 2026 12:05:09 PM");
  expect(signInText(Date.UTC(2026, 1, 28, 23, 59, 59))).toBe("Saturday, February 28, 2026 11:59:59 PM");
  expect(signInText(Date.UTC(2026, 1, 28, 1, 0, 0))).toBe("Saturday, February 28, 2026 1:00:00 AM");
});

test("presented() shows the last sign-in in its own form, and 1970 for never", () => {
  expect(presented(annResource)["lastSignInAt"]).toBe("Monday, March 2, 2026 3:04:05 PM");
  const { lastSignInAt: _, ...never } = annResource;
  expect(presented(never)["lastSignInAt"]).toBe("Thursday, January 1, 1970 12:00:00 AM");
});

test("openProjection() shows what is asked for, and always id and schemas", () => {
  const only = openProjection({ attributes: ["USERNAME", "name.givenName", "emails.value", "unknown", "__proto__"], excluded: [] })(
    annResource,
  );
  expect(only).toEqual({
    schemas: [coreSchema],
    id: annResource["id"],
    userName: "Ann@Example.com",
    name: { givenName: "Ann" },
    emails: [{ value: "ann@example.com" }, { value: "Ann@home.example" }],
  });
  const without = openProjection({ attributes: [], excluded: ["id", "permissions", "name.familyName", "meta"] })(annResource);
  expect(without).toMatchObject({ id: annResource["id"], name: { givenName: "Ann" } });
  expect(Object.keys(without)).not.toContain("permissions");
  expect(without["name"]).toEqual({ givenName: "Ann" });
  expect(openProjection({ attributes: ["name", "name.givenName"], excluded: [] })(annResource)["name"]).toEqual(name);
  expect(() => openProjection({ attributes: ["id"], excluded: ["name"] })).toThrow(expect.objectContaining({ reason: "INPUT_INVALID" }));
});
