/** GET /scim/v2/ServiceProviderConfig, /Schemas and /ResourceTypes, the last two also by id: what the service can do. */
import type { Client } from "@connectrpc/connect";
import { Refusal } from "../../platform/refusal.ts";
import { Document, type ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { ScimCall, ScimReply } from "../routing/scim-route.ts";

type Describer = Pick<Client<typeof ScimService>, "describe">;

export async function handleScimConfig(call: ScimCall, scim: Describer): Promise<ScimReply> {
  return await describe(call, scim, Document.SERVICE_PROVIDER_CONFIG);
}

export async function handleScimSchemas(call: ScimCall, scim: Describer): Promise<ScimReply> {
  return await describe(call, scim, Document.SCHEMAS);
}

export async function handleScimResourceTypes(call: ScimCall, scim: Describer): Promise<ScimReply> {
  return await describe(call, scim, Document.RESOURCE_TYPES);
}

/** These cannot be filtered, and say so (RFC 7644 section 4). */
async function describe({ scope, params, query, reading }: ScimCall, scim: Describer, document: Document): Promise<ScimReply> {
  if (query.has("filter")) throw new Refusal("PERMISSION_MISSING", "This endpoint cannot be filtered");
  const { documentJson } = await scim.describe({ scope, document, id: params.get("id") ?? "" }, reading);
  return { status: 200, body: documentJson, headers: [], logged: false };
}
