/** Users and a company to test with. */
import { openRenderer } from "./render-user.ts";
import type { Directory, User } from "./user.ts";

export const directory: Directory = {
  workspaces: [
    { id: "ws-1", name: "Shop", teams: [{ id: "team-1", name: "North" }, { id: "team-2", name: "South" }] },
    { id: "ws-2", name: "Blog", teams: [] },
  ],
  permissionSets: [{ id: "set-1", name: "Editors" }],
  defaultWorkspaceId: "ws-2",
};

export const ann: User = {
  companyId: "co-1",
  id: "dfa245b7-24195aec-887bb3ad-602b3340",
  userName: "Ann@Example.com",
  userNameKey: "ann@example.com",
  externalId: "00uA",
  givenName: "Ann",
  familyName: "Archer",
  displayName: "Annie",
  active: true,
  emails: [{ value: "ann@example.com", type: "work", primary: true }, { value: "Ann@home.example", type: "home" }],
  department: "finance",
  permissions: {
    company: ["manage_company_settings"],
    workspaces: [
      {
        workspaceId: "ws-1",
        permissions: ["basic_access", "export_user_data"],
        teams: [{ teamId: "team-1", permissions: ["admin"] }],
      },
      { workspaceId: "ws-2", permissions: [], permissionSetId: "set-1", teams: [] },
    ],
  },
  createdAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  modifiedAt: Date.UTC(2026, 1, 2, 3, 4, 5),
  lastSignInAt: Date.UTC(2026, 2, 2, 15, 4, 5),
  revision: 3,
};

const renderer = openRenderer(directory, "https://heddle.example");
export const annResource = renderer.resource(ann);

/** As Ann, with other values. */
export function someUser(values: Partial<User> = {}): User {
  return { ...ann, ...values };
}
