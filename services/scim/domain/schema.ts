/** DATA: the attributes of a dashboard user (RFC 7643), from which filters, patches, projections and /Schemas are all read. */
import { departments } from "./vocabulary.ts";

export interface Attribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "dateTime" | "reference" | "complex";
  readonly description: string;
  readonly multi?: true;
  readonly required?: true;
  /** Upper and lower case differ. */
  readonly caseExact?: true;
  /** Compared by the rule of user-name.ts. */
  readonly isUserName?: true;
  readonly unique?: true;
  /** No two values of the list have it alike. */
  readonly isKey?: true;
  /** readWrite unless given. */
  readonly mutability?: "readOnly" | "immutable";
  /** "default" unless given. */
  readonly returned?: "always";
  readonly canonical?: readonly string[];
  readonly sub?: readonly Attribute[];
}

export const coreSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
/** Carries what RFC 7643 does not have: department, permissions, last sign-in. */
export const dashboardSchema = "urn:heddle:params:scim:schemas:extension:dashboard:2.0:User";
/** Only its `department` is taken, under which Entra ID and Okta have the department. */
export const enterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

const schemas: Attribute = {
  name: "schemas",
  type: "reference",
  description: "The schemas of the resource",
  multi: true,
  caseExact: true,
  mutability: "readOnly",
  returned: "always",
};

const id: Attribute = {
  name: "id",
  type: "string",
  description: "Given by the service; never given twice",
  caseExact: true,
  unique: true,
  mutability: "readOnly",
  returned: "always",
};

export const coreAttributes: readonly Attribute[] = [
  id,
  { name: "externalId", type: "string", description: "The identity provider's own name for the user", caseExact: true },
  {
    name: "userName",
    type: "string",
    description: "The email address, unique in the company. A to Z and a to z, and the two forms of an international domain, are the same",
    required: true,
    unique: true,
    isUserName: true,
    mutability: "immutable",
  },
  {
    name: "name",
    type: "complex",
    description: "The person's name",
    required: true,
    sub: [
      { name: "givenName", type: "string", description: "First name", required: true },
      { name: "familyName", type: "string", description: "Last name", required: true },
    ],
  },
  { name: "displayName", type: "string", description: "The name as the person likes to be shown" },
  { name: "active", type: "boolean", description: "An account that is not active cannot sign in; true unless given" },
  {
    name: "emails",
    type: "complex",
    description: "Addresses as the identity provider sent them; the account's own is userName",
    multi: true,
    sub: [
      { name: "value", type: "string", description: "The address", required: true },
      { name: "display", type: "string", description: "A name to show" },
      { name: "type", type: "string", description: "What the address is for", canonical: ["work", "home", "other"] },
      { name: "primary", type: "boolean", description: "True for at most one" },
    ],
  },
];

const permissionTexts = { type: "string", multi: true, caseExact: true } as const;

const teams: Attribute = {
  name: "team",
  type: "complex",
  description: "Teams of the workspace, by name or id",
  multi: true,
  sub: [
    { name: "teamId", type: "string", description: "Given by the service", caseExact: true, isKey: true },
    { name: "teamName", type: "string", description: "As it is declared", caseExact: true, isKey: true },
    { name: "teamPermissions", description: "What the user may do in the team", ...permissionTexts },
  ],
};

const appGroups: Attribute = {
  name: "appGroup",
  type: "complex",
  description: "Workspaces, by name or id, with permissions or with one permission set",
  multi: true,
  sub: [
    { name: "appGroupId", type: "string", description: "Given by the service", caseExact: true, isKey: true },
    { name: "appGroupName", type: "string", description: "As it is declared", caseExact: true, isKey: true },
    { name: "appGroupPermissions", description: "What the user may do in the workspace", ...permissionTexts },
    {
      name: "appGroupPermissionSets",
      type: "complex",
      description: "At most one set of permissions, instead of appGroupPermissions",
      multi: true,
      sub: [
        { name: "appGroupPermissionSetID", type: "string", description: "Given by the service", caseExact: true },
        { name: "appGroupPermissionSetName", type: "string", description: "As it is declared", caseExact: true },
      ],
    },
    teams,
  ],
};

export const dashboardAttributes: readonly Attribute[] = [
  {
    name: "department",
    type: "string",
    description: "One of the canonical values",
    required: true,
    caseExact: true,
    canonical: departments,
  },
  {
    name: "lastSignInAt",
    type: "dateTime",
    description: "Last sign-in in UTC, shown as 'Thursday, January 1, 1970 12:00:00 AM' (which is: never); filters take RFC 3339 times",
    mutability: "readOnly",
  },
  {
    name: "permissions",
    type: "complex",
    description: "What the user may do",
    sub: [
      { name: "companyPermissions", description: "What the user may do in the company", ...permissionTexts },
      appGroups,
    ],
  },
];

const meta: Attribute = {
  name: "meta",
  type: "complex",
  description: "About the resource itself",
  mutability: "readOnly",
  sub: [
    { name: "resourceType", type: "string", description: "User", caseExact: true, mutability: "readOnly" },
    { name: "created", type: "dateTime", description: "When the account was made", mutability: "readOnly" },
    { name: "lastModified", type: "dateTime", description: "When it last changed", mutability: "readOnly" },
    { name: "location", type: "reference", description: "Its address", caseExact: true, mutability: "readOnly" },
    { name: "version", type: "string", description: "Its entity tag", caseExact: true, mutability: "readOnly" },
  ],
};

/** All attributes of a user as it is shown: those of the extension stand at the top level. */
export const userAttributes: readonly Attribute[] = [schemas, ...coreAttributes, ...dashboardAttributes, meta];

/** Attributes of RFC 7643 that identity providers send by default and that nothing here keeps: taken without a word. */
export const ignoredAttributes: ReadonlySet<string> = new Set(
  [
    ["nickname", "profileurl", "title", "usertype", "preferredlanguage", "locale", "timezone", "password", "phonenumbers", "ims", "photos"],
    ["addresses", "groups", "entitlements", "roles", "x509certificates"],
    ["employeenumber", "costcenter", "organization", "division", "manager"],
  ].flat(),
);

/** Sub-attributes of `name` that are taken without a word. */
export const ignoredNameParts: ReadonlySet<string> = new Set(["formatted", "middlename", "honorificprefix", "honorificsuffix"]);
