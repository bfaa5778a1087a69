/** GET /scim/v2/Users/{id}: one dashboard user. */
import type { Client } from "@connectrpc/connect";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { ScimCall, ScimReply } from "../scim-route.ts";
import { isKnownVersion, projectionOf, userReply } from "./scim-reply.ts";

/** 200; 304 without a body where the caller has this version already. */
export async function handleScimUsersGet(call: ScimCall, scim: Pick<Client<typeof ScimService>, "getUser">): Promise<ScimReply> {
  const { scope, directory, params } = call;
  const { user } = await scim.getUser({ scope, directory, id: params.get("id") ?? "", projection: projectionOf(call.query) }, call.reading);
  const reply = userReply(user, call, 200);
  return user && isKnownVersion(call.headers, user.etag) ? { ...reply, status: 304, body: "" } : reply;
}
