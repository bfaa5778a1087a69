/** PATCH /scim/v2/Users/{id}: changes parts of a dashboard user. */
import type { Client } from "@connectrpc/connect";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { ScimCall, ScimReply } from "../scim-route.ts";
import { projectionOf, userReply } from "./scim-reply.ts";

/** 200 with the whole user (RFC 7644 section 3.5.2 leaves 204 to those who do not show it). */
export async function handleScimUsersPatch(call: ScimCall, scim: Pick<Client<typeof ScimService>, "patchUser">): Promise<ScimReply> {
  const { scope, directory, body, headers } = call;
  const { user } = await scim.patchUser({
    scope,
    directory,
    id: call.params.get("id") ?? "",
    bodyJson: new Uint8Array(body),
    projection: projectionOf(call.query),
    ifMatch: headers.get("if-match") ?? "",
  });
  return userReply(user, call, 200);
}
