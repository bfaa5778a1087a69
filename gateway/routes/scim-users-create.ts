/** POST /scim/v2/Users: creates a dashboard user. */
import type { Client } from "@connectrpc/connect";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { ScimCall, ScimReply } from "../scim-route.ts";
import { projectionOf, userReply } from "./scim-reply.ts";

/** 201 with the user; 409 where the userName is taken. */
export async function handleScimUsersCreate(call: ScimCall, scim: Pick<Client<typeof ScimService>, "createUser">): Promise<ScimReply> {
  const { scope, directory, body, permissionsOptional } = call;
  const projection = projectionOf(call.query);
  const { user } = await scim.createUser({ scope, directory, bodyJson: new Uint8Array(body), projection, permissionsOptional });
  return userReply(user, call, 201);
}
