/** DELETE /scim/v2/Users/{id}: removes a dashboard user for good. */
import type { Client } from "@connectrpc/connect";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { ScimCall, ScimReply } from "../scim-route.ts";

/** 204 without a body; the second time 404. */
export async function handleScimUsersDelete(call: ScimCall, scim: Pick<Client<typeof ScimService>, "deleteUser">): Promise<ScimReply> {
  await scim.deleteUser({ scope: call.scope, id: call.params.get("id") ?? "", ifMatch: call.headers.get("if-match") ?? "" });
  return { status: 204, body: "", headers: [], logged: true };
}
