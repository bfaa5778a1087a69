/** POST /users/delete: erases users named in exactly one way (api-facts 3). */
import { type Fields, isFields } from "../../platform/fields.ts";
import type { UserSelector } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { bodyFields, invalid, isFilled, listOf } from "../decode/fields.ts";
import { aliasOf, emailSelector, externalIdOf, phoneSelector, platformIdOf, selectorOf } from "../decode/identifiers.ts";
import { takeIds } from "../decode/lists.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/** All or nothing: an entry that cannot be read refuses the request. `deleted` is the number of ids queued. */
export async function handleUsersDelete(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const fields = bodyFields(call.body);
  const response = await profile.deleteUsers({ scope: call.scope, users: usersToDelete(fields) });
  return success({ deleted: response.deleted }, response);
}

function usersToDelete(fields: Fields): UserSelector[] {
  const sent = [...lists.keys()].filter((field) => isFilled(fields[field]));
  const [field] = sent;
  const decode = field === undefined ? undefined : lists.get(field);
  if (sent.length !== 1 || field === undefined || decode === undefined) {
    throw invalid("Exactly one of 'external_ids', 'user_aliases', 'braze_ids', 'email_addresses' or 'phone_numbers' is required");
  }
  const list = listOf(fields[field], {
    notAList: `'${field}' must be an array`,
    tooMany: "The max number of ids per request was exceeded",
  });
  return takeIds(list, field, decode);
}

const lists = new Map<string, (entry: unknown, field: string) => UserSelector>([
  ["external_ids", (entry, field) => selectorOf({ case: "externalId", value: externalIdOf(entry, field) })],
  ["user_aliases", (entry, field) => selectorOf({ case: "alias", value: aliasOf(entry, field) })],
  ["braze_ids", (entry, field) => selectorOf({ case: "platformId", value: platformIdOf(entry, field) })],
  ["platform_ids", (entry, field) => selectorOf({ case: "platformId", value: platformIdOf(entry, field) })],
  ["email_addresses", (entry, field) => emailSelector(objectOf(entry, field, "email"))],
  ["phone_numbers", (entry, field) => phoneSelector(objectOf(entry, field, "phone"))],
]);

function objectOf(entry: unknown, field: string, member: string): Fields {
  if (!isFields(entry)) throw invalid(`'${field}' must be an array of objects with '${member}' and 'prioritization'`);
  return entry;
}
