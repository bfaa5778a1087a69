/** /scim/v2/Users and /scim/v2/Users/{id}: makes, shows, changes and removes a dashboard user. */
import type { Client } from "@connectrpc/connect";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { isKnownVersion } from "../http/http-message.ts";
import type { ScimCall, ScimReply } from "../routing/scim-route.ts";
import { projectionOf, userReply } from "./scim-reply.ts";

type Scim = Client<typeof ScimService>;

/** POST: 201 with the user; 409 where the userName is taken. */
export async function handleScimUsersCreate(call: ScimCall, scim: Pick<Scim, "createUser">): Promise<ScimReply> {
  const { scope, directory, body, permissionsOptional } = call;
  const projection = projectionOf(call.query);
  const { user } = await scim.createUser({ scope, directory, bodyJson: body, projection, permissionsOptional });
  return userReply(user, call, 201);
}

/** GET: 200; 304 without a body where the caller has this version already. */
export async function handleScimUsersGet(call: ScimCall, scim: Pick<Scim, "getUser">): Promise<ScimReply> {
  const { scope, directory, query } = call;
  const { user } = await scim.getUser({ scope, directory, id: idOf(call), projection: projectionOf(query) }, call.reading);
  const reply = userReply(user, call, 200);
  return user && isKnownVersion(call.headers, user.etag) ? { ...reply, status: 304, body: "" } : reply;
}

/** PUT: 200 with the whole user, of which everything was replaced that clients may set; 412 where If-Match names another version. */
export async function handleScimUsersReplace(call: ScimCall, scim: Pick<Scim, "replaceUser">): Promise<ScimReply> {
  const { user } = await scim.replaceUser(changeOf(call));
  return userReply(user, call, 200);
}

/** PATCH: 200 with the whole user (RFC 7644 section 3.5.2 leaves 204 to those who do not show it). */
export async function handleScimUsersPatch(call: ScimCall, scim: Pick<Scim, "patchUser">): Promise<ScimReply> {
  const { user } = await scim.patchUser(changeOf(call));
  return userReply(user, call, 200);
}

/** DELETE: 204 without a body; the second time 404. */
export async function handleScimUsersDelete(call: ScimCall, scim: Pick<Scim, "deleteUser">): Promise<ScimReply> {
  await scim.deleteUser({ scope: call.scope, id: idOf(call), ifMatch: ifMatchOf(call) });
  return { status: 204, body: "", headers: [], logged: true };
}

function changeOf(call: ScimCall) {
  const { scope, directory, body, query } = call;
  return { scope, directory, id: idOf(call), bodyJson: body, projection: projectionOf(query), ifMatch: ifMatchOf(call) };
}

function idOf({ params }: ScimCall): string {
  return params.get("id") ?? "";
}

function ifMatchOf({ headers }: ScimCall): string {
  return headers.get("if-match") ?? "";
}
