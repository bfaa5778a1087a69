/** A server with two companies that provision dashboard users, and the calls that an identity provider makes. */
import { randomUUID } from "node:crypto";
import { mustBeDocumented } from "./documented.ts";
import { heddleSuite, type Suite } from "./suite.ts";

export const core = "urn:ietf:params:scim:schemas:core:2.0:User";
export const extension = "urn:heddle:params:scim:schemas:extension:dashboard:2.0:User";
export const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const patchOp = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
export const listResponse = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
export const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error";

export const tokens = {
  acme: "scim-token-of-acme",
  /** Of acme; new users land in Shop, also those without permissions. */
  landing: "scim-token-that-lands",
  /** Of acme; may leave the origin out, and permissions. */
  entra: "scim-token-of-entra",
  /** Of acme; from 192.0.2.0/24 only. */
  elsewhere: "scim-token-elsewhere",
  other: "scim-token-of-other",
} as const;

/** An id that the declaration gives; no other run has it. */
export const blogId = `blog-${randomUUID()}`;

export const declaration = `
companies:
  - name: acme
    permissionSets: [{ name: Editors }]
    scimTokens:
      - { name: okta, origin: okta, secret: ${tokens.acme} }
      - { name: landing, origin: okta, defaultWorkspace: Shop, permissionsOnCreate: optional, secret: ${tokens.landing} }
      - { name: entra, origin: entra, originHeader: optional, permissionsOnCreate: optional, secret: ${tokens.entra} }
      - { name: elsewhere, origin: okta, ipAllow: [192.0.2.0/24], secret: ${tokens.elsewhere} }
    workspaces:
      - name: Shop
        apiKeys: [{ name: all, permissions: ["*"], secret: an-api-key-of-acme }]
        teams: [{ name: North }, { id: south-1, name: South }]
      - { name: Blog, id: ${blogId} }
  - name: other
    scimTokens: [{ name: idp, origin: okta, secret: ${tokens.other} }]
    workspaces: [{ name: Hidden }]
`;

export interface ScimAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Empty where there is no body. */
  readonly body: ScimBody;
}

export interface ScimBody {
  readonly schemas?: readonly string[];
  readonly id?: string;
  readonly userName?: string;
  readonly totalResults?: number;
  readonly startIndex?: number;
  readonly itemsPerPage?: number;
  readonly Resources?: readonly ScimBody[];
  readonly detail?: string;
  readonly scimType?: string;
  readonly status?: number;
  readonly meta?: Readonly<Record<string, string>>;
  readonly [name: string]: unknown;
}

export interface ScimCall {
  readonly token?: string | undefined;
  /** `null`: no X-Request-Origin. */
  readonly origin?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ScimSuite {
  readonly heddle: Suite["heddle"];
  call(method: string, path: string, body?: unknown, options?: ScimCall): Promise<ScimAnswer>;
  /** A user that must be created. */
  create(values?: object, options?: ScimCall): Promise<ScimBody & { readonly id: string; readonly userName: string }>;
  patch(id: string, operations: readonly unknown[], options?: ScimCall): Promise<ScimAnswer>;
  search(filter: string, more?: string, options?: ScimCall): Promise<ScimAnswer>;
}

/** Starts a server before the file's tests and stops it after them. */
export function scimSuite(apply = declaration): ScimSuite {
  const suite = heddleSuite({ apply });
  const call: ScimSuite["call"] = async (method, path, body, options = {}) => {
    const { token = tokens.acme, origin = "okta", headers } = options;
    const answer = await fetch(`${suite.heddle.url}/scim/v2/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(origin === null ? {} : { "x-request-origin": origin }),
        ...(body === undefined ? {} : { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    mustBeDocumented({ method, path: `/scim/v2/${path}`, status: answer.status, headers: answer.headers, text });
    return { status: answer.status, headers: answer.headers, text, body: text === "" ? {} : JSON.parse(text) as ScimBody };
  };
  return {
    get heddle() {
      return suite.heddle;
    },
    call,
    async create(values = {}, options = {}) {
      const { status, body, text } = await call("POST", "Users", newUser(values), options);
      if (status !== 201 || body.id === undefined || body.userName === undefined) throw new Error(`No user was created: ${status} ${text}`);
      return { ...body, id: body.id, userName: body.userName };
    },
    patch: (id, operations, options) => call("PATCH", `Users/${id}`, { schemas: [patchOp], Operations: operations }, options),
    search: (filter, more = "", options = {}) => call("GET", `Users?filter=${encodeURIComponent(filter)}${more}`, undefined, options),
  };
}

/** A body for POST with a name that no user has. */
export function newUser(values: object = {}): Readonly<Record<string, unknown>> {
  return {
    schemas: [core],
    userName: `${randomUUID()}@example.com`,
    name: { givenName: "Ann", familyName: "Archer" },
    department: "finance",
    permissions: { companyPermissions: ["manage_company_settings"] },
    ...values,
  };
}
