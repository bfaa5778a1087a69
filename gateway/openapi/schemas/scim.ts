/** Schemas of dashboard users: the service description's shape, and the messages of RFC 7644. */
import { limits } from "../../../platform/limits.ts";
import { flag, list, object, oneOfTexts, ref, type Schema, text, whole } from "./schema.ts";

export const scimCore = "urn:ietf:params:scim:schemas:core:2.0:User";
export const scimSearch = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";
export const scimPatch = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
export const scimList = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

const departments = ["agency", "bi", "c_suite", "engineering", "finance", "marketing", "pm"];
const inactive = "An inactive user stays and cannot sign in.";
const email = { value: text(), display: text(), type: text(), primary: flag() };
const emails = "Addresses as the identity provider sent them; the account's own is `userName`.";
const user: Readonly<Record<string, Schema>> = {
  schemas: list(text(), `Holds \`${scimCore}\`.`),
  userName: text("The email address; it cannot change."),
  name: object({ givenName: text(), familyName: text() }, ["givenName", "familyName"]),
  department: oneOfTexts(departments),
  permissions: ref("ScimPermissions"),
  active: flag(inactive),
  externalId: text("The identity provider's own id."),
  displayName: text("The name as the person likes to be shown."),
  emails: list(object(email, ["value"]), emails, { maxItems: limits.scimEmailsMax }),
};
const filter: Readonly<Record<string, Schema>> = {
  filter: text(`At most ${limits.scimFilterBytesMax} bytes: \`userName eq "ann@example.com"\`.`),
  startIndex: whole("From 1."),
  count: whole(`At most ${limits.scimPageMax}, ${limits.scimPageDefault} unless given.`),
  sortBy: text(),
  sortOrder: oneOfTexts(["ascending", "descending"]),
  attributes: list(text()),
  excludedAttributes: list(text()),
};

export const scimSchemas: Readonly<Record<string, Schema>> = {
  ScimNewUser: object({ ...user, active: flag(inactive, { default: true }) }, ["schemas", "userName", "name", "department", "permissions"]),
  ScimReplacedUser: object(user, ["schemas", "name", "department"]),
  // With a projection an answer has what was asked for
  ScimUser: object({
    ...user,
    name: object({ givenName: text(), familyName: text() }),
    emails: list(object(email), emails),
    id: text("Given out by Heddle; names the user in the path."),
    lastSignInAt: text("`Thursday, January 1, 1970 12:00:00 AM` stands for never."),
    meta: object({ resourceType: text(), created: text(), lastModified: text(), location: text(), version: text() }),
  }, ["id"]),
  ScimPermissions: object({
    companyPermissions: list(text(), "`admin`, `manage_company_settings`, `add_remove_app_groups`"),
    appGroup: list(object({
      appGroupName: text("The workspace, or its `appGroupId`."),
      appGroupId: text(),
      appGroupPermissions: list(text()),
      appGroupPermissionSets: list(object({ appGroupPermissionSetName: text(), appGroupPermissionSetID: text() })),
      team: list(object({ teamName: text(), teamId: text(), teamPermissions: list(text()) })),
    })),
  }),
  ScimUsers: object({
    schemas: list(text()),
    totalResults: whole(),
    startIndex: whole(),
    itemsPerPage: whole(),
    Resources: list(ref("ScimUser"), "Without `schemas`."),
  }, ["schemas", "totalResults", "Resources"]),
  ScimSearch: object({ schemas: list(text(), `Holds \`${scimSearch}\`.`), ...filter }, ["schemas"]),
  ScimPatch: object({
    schemas: list(text(), `Holds \`${scimPatch}\`.`),
    Operations: list(
      object({ op: text("`add`, `replace` or `remove`, in any case."), path: text(), value: {} }, ["op"]),
      undefined,
      { minItems: 1, maxItems: limits.scimOperationsMax },
    ),
  }, ["schemas", "Operations"]),
  ScimDocument: object({ schemas: list(text()) }, [], { additionalProperties: true }),
};
