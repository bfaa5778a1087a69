/** DATA: what is written by hand about the SCIM routes. */
import { entriesOf, type Entry, type OwnEntry, type Parameter } from "./entry.ts";
import { oneOfTexts, ref, text, whole } from "../schemas/schema.ts";
import { scimCore, scimList, scimPatch, scimSearch } from "../schemas/scim.ts";

const userId = "dfa245b7-24195aec-887bb3ad-602b3340";
const never = "Thursday, January 1, 1970 12:00:00 AM";
const id: Parameter = { in: "path", name: "id", description: "The user's `id`.", required: true, schema: text() };
const ifMatch: Parameter = {
  in: "header",
  name: "If-Match",
  description: "The version to change; 412 where it is another.",
  schema: text(),
};
const projection: readonly Parameter[] = [
  { in: "query", name: "attributes", description: "Names to show, between commas.", schema: text() },
  { in: "query", name: "excludedAttributes", description: "Names to leave out, between commas.", schema: text() },
];
const userHeaders = ["ETag", "Location"];
const newUser = {
  schemas: [scimCore],
  userName: "ann@example.com",
  name: { givenName: "Ann", familyName: "Archer" },
  department: "finance",
  permissions: {
    companyPermissions: ["manage_company_settings"],
    appGroup: [{
      appGroupName: "demo",
      appGroupPermissions: ["basic_access", "send_campaigns_canvases"],
      team: [{ teamName: "North", teamPermissions: ["export_user_data"] }],
    }],
  },
};
const meta = {
  resourceType: "User",
  created: "2026-11-20T10:00:00.000Z",
  lastModified: "2026-11-20T10:00:00.000Z",
  location: `http://127.0.0.1:8080/scim/v2/Users/${userId}`,
  version: 'W/"1-2cf24dba5fb0a30e"',
};
const user = {
  ...newUser,
  active: true,
  id: userId,
  lastSignInAt: never,
  permissions: {
    companyPermissions: ["manage_company_settings"],
    appGroup: [{
      appGroupId: "workspace-id",
      appGroupName: "demo",
      appGroupPermissions: ["basic_access", "send_campaigns_canvases"],
      team: [{ teamId: "team-id", teamName: "North", teamPermissions: ["export_user_data"] }],
    }],
  },
  meta,
};
const { schemas: _schemas, ...listed } = user;
const found = { schemas: [scimList], totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [listed] };
const bad = ["INPUT_INVALID", "BODY_SHAPE_INVALID"] as const;

export const scimEntries = entriesOf({ tag: "Dashboard users" }, [
  {
    route: "POST /scim/v2/Users",
    operationId: "createDashboardUser",
    summary: "Create a dashboard user",
    description: "A token made with `--permissions-optional` may leave `permissions` out.",
    parameters: projection,
    body: ref("ScimNewUser"),
    answer: ref("ScimUser"),
    headers: userHeaders,
    status: 201,
    reasons: [...bad, "ALREADY_EXISTS"],
    examples: [{ name: "with permissions", body: newUser, answer: user }],
  },
  {
    route: "GET /scim/v2/Users",
    operationId: "listDashboardUsers",
    summary: "List or find dashboard users",
    parameters: [
      { in: "query", name: "filter", description: 'Such as `userName eq "ann@example.com"`.', schema: text() },
      { in: "query", name: "startIndex", description: "From 1.", schema: whole(undefined, { default: 1 }) },
      { in: "query", name: "count", description: "At most 200.", schema: whole(undefined, { default: 100 }) },
      { in: "query", name: "sortBy", description: "Name of an attribute.", schema: text() },
      { in: "query", name: "sortOrder", description: "By the attribute.", schema: oneOfTexts(["ascending", "descending"]) },
      ...projection,
    ],
    answer: ref("ScimUsers"),
    reasons: ["INPUT_INVALID", "FILTER_INVALID", "TOO_MANY_RESULTS"],
    examples: [{ name: "by email", parameters: { filter: 'userName eq "ann@example.com"' }, answer: found }],
  },
  search("POST /scim/v2/Users/.search", "searchDashboardUsers"),
  search("POST /scim/v2/.search", "searchAll"),
  {
    route: "GET /scim/v2/Users/:id",
    operationId: "getDashboardUser",
    summary: "Read a dashboard user",
    parameters: [
      id,
      ...projection,
      { in: "header", name: "If-None-Match", description: "A version that the caller has.", schema: text() },
    ],
    answer: ref("ScimUser"),
    headers: userHeaders,
    otherStatuses: [{ status: 304, description: "The caller has this version." }],
    reasons: ["NOT_FOUND", "INPUT_INVALID"],
    examples: [{ name: "by id", parameters: { id: userId }, answer: user }],
  },
  {
    route: "PUT /scim/v2/Users/:id",
    operationId: "replaceDashboardUser",
    summary: "Replace a dashboard user",
    description: "`userName` cannot change. Absent `permissions` and `active` stay as they are; absent `externalId`, `displayName` and " +
      "`emails` are removed.",
    parameters: [id, ...projection, ifMatch],
    body: ref("ScimReplacedUser"),
    answer: ref("ScimUser"),
    headers: userHeaders,
    reasons: [...bad, "NOT_FOUND", "ATTRIBUTE_READ_ONLY", "VERSION_MISMATCH", "STATE_CONFLICT"],
    examples: [{
      name: "another department",
      parameters: { id: userId },
      body: { schemas: [scimCore], name: newUser.name, department: "marketing" },
      answer: { ...user, department: "marketing" },
    }],
  },
  {
    route: "PATCH /scim/v2/Users/:id",
    operationId: "patchDashboardUser",
    summary: "Change parts of a dashboard user",
    extension: true,
    parameters: [id, ...projection, ifMatch],
    body: ref("ScimPatch"),
    answer: ref("ScimUser"),
    headers: userHeaders,
    reasons: [
      ...bad,
      "NOT_FOUND",
      "ATTRIBUTE_READ_ONLY",
      "VERSION_MISMATCH",
      "STATE_CONFLICT",
      "PATH_INVALID",
      "TARGET_MISSING",
      "FILTER_INVALID",
    ],
    examples: [{
      name: "deactivate",
      parameters: { id: userId },
      body: { schemas: [scimPatch], Operations: [{ op: "replace", path: "active", value: false }] },
      answer: { ...user, department: "marketing", active: false },
    }],
  },
  {
    route: "DELETE /scim/v2/Users/:id",
    operationId: "deleteDashboardUser",
    summary: "Delete a dashboard user for good",
    parameters: [id, ifMatch],
    status: 204,
    reasons: ["NOT_FOUND", "VERSION_MISMATCH", "STATE_CONFLICT"],
    examples: [{ name: "by id", parameters: { id: userId } }],
  },
  describing("GET /scim/v2/ServiceProviderConfig", "getScimConfig", "What the SCIM service can do"),
  describing("GET /scim/v2/Schemas", "listScimSchemas", "The schemas"),
  { ...describing("GET /scim/v2/Schemas/:id", "getScimSchema", "One schema"), ...byId(scimCore) },
  describing("GET /scim/v2/ResourceTypes", "listScimResourceTypes", "The resource types"),
  { ...describing("GET /scim/v2/ResourceTypes/:id", "getScimResourceType", "One resource type"), ...byId("User") },
]);

function search(route: Entry["route"], operationId: string): OwnEntry {
  return {
    route,
    operationId,
    summary: "Find dashboard users by a body",
    description: "The question of `GET /scim/v2/Users` where it stands in no log of a proxy.",
    extension: true,
    body: ref("ScimSearch"),
    answer: ref("ScimUsers"),
    reasons: ["INPUT_INVALID", "BODY_SHAPE_INVALID", "FILTER_INVALID", "TOO_MANY_RESULTS"],
    examples: [{ name: "by email", body: { schemas: [scimSearch], filter: 'userName eq "ann@example.com"' }, answer: found }],
  };
}

function describing(route: Entry["route"], operationId: string, summary: string): OwnEntry {
  return {
    route,
    operationId,
    summary,
    extension: true,
    answer: ref("ScimDocument"),
    examples: [{ name: "all" }],
  };
}

function byId(of: string): Pick<Entry, "parameters" | "reasons" | "examples"> {
  return {
    parameters: [{ in: "path", name: "id", description: `Such as \`${of}\`.`, required: true, schema: text() }],
    reasons: ["NOT_FOUND"],
    examples: [{ name: "one", parameters: { id: of } }],
  };
}
