/** What a SCIM client can find out about the service: /ServiceProviderConfig, /Schemas and /ResourceTypes (RFC 7643, 5 to 8). */
import type { Fields } from "../../../platform/fields.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type Attribute, coreAttributes, coreSchema, dashboardAttributes, dashboardSchema } from "./schema.ts";

export type Document = "config" | "schemas" | "resourceTypes";

/** One document by its id, or all. Refuses NOT_FOUND. */
export function describe(document: Document, id: string, baseUrl: string): Fields {
  if (document === "config") return serviceProviderConfig(baseUrl);
  const all = document === "schemas" ? schemaDocuments(baseUrl) : resourceTypes(baseUrl);
  if (id === "") return listOf(all);
  const found = all.find((each) => each["id"] === id);
  if (found === undefined) throw new Refusal("NOT_FOUND", document === "schemas" ? "Schema not found" : "Resource type not found");
  return found;
}

function listOf(resources: readonly Fields[]): Fields {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: resources.length,
    startIndex: 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** Says only what is enforced. */
function serviceProviderConfig(baseUrl: string): Fields {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: limits.scimPageMax },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [{
      type: "oauthbearertoken",
      name: "SCIM token",
      description: "A SCIM token as bearer token; the header X-Request-Origin names the origin that the token is bound to",
      specUri: "https://www.rfc-editor.org/rfc/rfc6750",
      primary: true,
    }],
    meta: { resourceType: "ServiceProviderConfig", location: `${baseUrl}/scim/v2/ServiceProviderConfig` },
  };
}

function resourceTypes(baseUrl: string): readonly Fields[] {
  return [{
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id: "User",
    name: "User",
    endpoint: "/Users",
    description: "Dashboard user",
    schema: coreSchema,
    // Users are shown without it, its attributes at the top level, where clients may send them too
    schemaExtensions: [{ schema: dashboardSchema, required: false }],
    meta: { resourceType: "ResourceType", location: `${baseUrl}/scim/v2/ResourceTypes/User` },
  }];
}

function schemaDocuments(baseUrl: string): readonly Fields[] {
  const texts = [
    { id: coreSchema, name: "User", description: "Dashboard user", attributes: coreAttributes },
    {
      id: dashboardSchema,
      name: "DashboardUser",
      description: "Department, permissions and last sign-in. Answers show these attributes at the top level; requests may also " +
        "send them under this schema's name",
      attributes: dashboardAttributes,
    },
  ];
  return texts.map(({ id, name, description, attributes }) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
    id,
    name,
    description,
    attributes: attributes.map(described),
    meta: { resourceType: "Schema", location: `${baseUrl}/scim/v2/Schemas/${id}` },
  }));
}

function described(attribute: Attribute): Fields {
  const { name, type, description, canonical, sub } = attribute;
  return {
    name,
    type,
    multiValued: attribute.multi ?? false,
    description,
    required: attribute.required ?? false,
    caseExact: attribute.caseExact ?? false,
    mutability: attribute.mutability ?? "readWrite",
    returned: attribute.returned ?? "default",
    uniqueness: attribute.unique ? "server" : "none",
    ...(canonical ? { canonicalValues: canonical } : {}),
    ...(sub ? { subAttributes: sub.map(described) } : {}),
  };
}
