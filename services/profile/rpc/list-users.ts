/** RPC ListUsers: pages of users; the token is the last id of the page before. */
import { Buffer } from "node:buffer";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type ListUsersRequest,
  type ListUsersResponse,
  ListUsersResponseSchema,
  UserList as UserListNumber,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadParts } from "../domain/catch-up.ts";
import { type EmailStatuses, statusesOf, statusOf } from "../domain/email-statuses.ts";
import { listUsers, type UserList } from "../domain/list-users.ts";
import type { LastChanged } from "../domain/ports.ts";
import { renderProfile } from "../domain/render-profile.ts";
import { toJsonBytes } from "./json-bytes.ts";
import { readOf } from "./request.ts";

export async function handleListUsers(
  parts: ReadParts & { readonly emailStatuses: EmailStatuses; readonly lastChanged: LastChanged },
  message: ListUsersRequest,
  { signal }: Pick<HandlerContext, "signal">,
): Promise<ListUsersResponse> {
  const { pageSize, pageToken, currencyRates, userIds } = message;
  const request = { ...readOf(message), signal };
  const page = { list: listOf(message), after: idFromToken(pageToken), size: pageSize, ids: userIds };
  const { profiles, next } = await listUsers(parts, { ...request, ...page });
  signal.throwIfAborted();
  const statuses = await statusesOf(parts, profiles, request);
  return create(ListUsersResponseSchema, {
    usersJson: profiles.map((profile) => toJsonBytes(renderProfile(profile, { currencyRates, ...statusOf(statuses, profile) }))),
    updatedAt: profiles.map(({ updatedAt }) => BigInt(updatedAt)),
    nextPageToken: next === undefined ? "" : Buffer.from(next, "hex").toString("base64url"),
  });
}

function listOf({ list }: ListUsersRequest): UserList {
  switch (list) {
    case UserListNumber.NEWEST:
      return "newest";
    case UserListNumber.BLOCKED:
      return "blocked";
    case UserListNumber.CHANGED:
      return "changed";
    default:
      return "all";
  }
}

function idFromToken(token: string): string {
  if (token === "") return "";
  const id = Buffer.from(token, "base64url").toString("hex");
  if (!/^[0-9a-f]{24}$/.test(id)) throw new Refusal("INPUT_INVALID", "Expected the page token of an earlier page, got something else");
  return id;
}
