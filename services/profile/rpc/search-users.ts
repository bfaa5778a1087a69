/** RPC SearchUsers: the token is the last name of the page before. */
import { Buffer } from "node:buffer";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { Refusal } from "../../../platform/refusal.ts";
import {
  NameKind as NameKindNumber,
  type SearchUsersRequest,
  type SearchUsersResponse,
  SearchUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { NameKind } from "../domain/ports.ts";
import { renderProfile } from "../domain/render-profile.ts";
import { type SearchPorts, searchUsers } from "../domain/search-users.ts";
import { toJsonBytes } from "./json-bytes.ts";
import { readOf } from "./request.ts";

export async function handleSearchUsers(
  ports: SearchPorts,
  message: SearchUsersRequest,
  { signal }: Pick<HandlerContext, "signal">,
): Promise<SearchUsersResponse> {
  const { prefix, aliasLabel, pageToken, pageSize: size } = message;
  const kind = kindOf(message);
  const after = pageToken === "" ? {} : { after: Buffer.from(pageToken, "base64url").toString() };
  const whole = kind === "a" ? `${aliasLabel}\u0000${prefix}` : prefix;
  const { names, next, behind } = await searchUsers(ports, { ...readOf(message), signal, kind, prefix: whole, ...after, size });
  return create(SearchUsersResponseSchema, {
    names: names.map(({ name, profiles, count }) => ({
      name: kind === "a" ? name.slice(name.indexOf("\u0000") + 1) : name,
      usersJson: profiles.map((profile) => toJsonBytes(renderProfile(profile, { fields: shownInLists }))),
      count,
    })),
    nextPageToken: next === undefined ? "" : Buffer.from(next).toString("base64url"),
    behind,
  });
}

/** What identifies a person in a list. */
const shownInLists = [
  "created_at",
  "external_id",
  "user_aliases",
  "braze_id",
  "first_name",
  "last_name",
  "email",
  "phone",
  "custom_events",
  "purchases",
];

function kindOf({ kind }: SearchUsersRequest): NameKind {
  const found = kinds.get(kind);
  if (found === undefined) throw new Refusal("INPUT_INVALID", "Expected a kind of name, got none");
  return found;
}

const kinds: ReadonlyMap<NameKindNumber, NameKind> = new Map([
  [NameKindNumber.EXTERNAL_ID, "x"],
  [NameKindNumber.ALIAS, "a"],
  [NameKindNumber.EMAIL, "e"],
  [NameKindNumber.PHONE, "p"],
]);
