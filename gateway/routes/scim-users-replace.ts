/** PUT /scim/v2/Users/{id}: replaces what clients may set of a dashboard user. */
import type { Client } from "@connectrpc/connect";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { ScimCall, ScimReply } from "../scim-route.ts";
import { projectionOf, userReply } from "./scim-reply.ts";

/** 200 with the whole user; 412 where If-Match names another version. */
export async function handleScimUsersReplace(call: ScimCall, scim: Pick<Client<typeof ScimService>, "replaceUser">): Promise<ScimReply> {
  const { scope, directory, body, headers } = call;
  const { user } = await scim.replaceUser({
    scope,
    directory,
    id: call.params.get("id") ?? "",
    bodyJson: new Uint8Array(body),
    projection: projectionOf(call.query),
    ifMatch: headers.get("if-match") ?? "",
  });
  return userReply(user, call, 200);
}
