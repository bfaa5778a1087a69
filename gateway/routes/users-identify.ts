/** POST /users/identify: gives users known by alias, email or phone alone their external_id (api-facts 3). */
import { create } from "@bufbuild/protobuf";
import type { Fields } from "../../platform/fields.ts";
import { type Identification, IdentificationSchema, type UserSelector } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { inOrder, takeEach, type Taken } from "../decode/elements.ts";
import { bodyFields, invalid, isFilled, objectsOf } from "../decode/fields.ts";
import { aliasOf, emailSelector, externalIdOf, phoneSelector, selectorOf } from "../decode/identifiers.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/**
 * 201 also where no element was good: clients read the counts and `errors`, whose `index` is the place in the element's
 * own list; `list` names that where several were sent. The older key `merge_behavior` is accepted and changes nothing.
 */
export async function handleUsersIdentify(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const fields = bodyFields(call.body);
  const lists = kinds.flatMap((kind) => (isFilled(fields[kind.field]) ? [{ kind, taken: takeKind(fields[kind.field], kind) }] : []));
  if (lists.length === 0) {
    throw invalid("One of 'aliases_to_identify', 'emails_to_identify' or 'phone_numbers_to_identify' is required");
  }
  const counts = Object.fromEntries(lists.map(({ kind, taken }) => [kind.counter, taken.values.length]));
  const errors = inOrder(
    lists.flatMap(({ kind, taken }) => lists.length > 1 ? taken.errors.map((error) => ({ ...error, list: kind.field })) : taken.errors),
  );
  const identifications = lists.flatMap(({ taken }) => taken.values);
  const body = { ...counts, ...(errors.length > 0 ? { errors } : {}) };
  if (identifications.length === 0) return success(body);
  const response = await profile.identifyUsers({ scope: call.scope, identifications });
  return success({ ...body, ...(response.jobId === "" ? {} : { job_id: response.jobId }) }, response);
}

interface Kind {
  readonly field: string;
  readonly counter: string;
  readonly user: (entry: Fields) => UserSelector;
}

const kinds: readonly Kind[] = [
  {
    field: "aliases_to_identify",
    counter: "aliases_processed",
    user: (entry) => selectorOf({ case: "alias", value: aliasOf(entry["user_alias"]) }),
  },
  { field: "emails_to_identify", counter: "emails_processed", user: emailSelector },
  { field: "phone_numbers_to_identify", counter: "phone_numbers_processed", user: phoneSelector },
];

function takeKind(value: unknown, kind: Kind): Taken<Identification> {
  const list = objectsOf(value, {
    notAList: `'${kind.field}' must be an array of objects`,
    tooMany: "The max number of external_ids and aliases per request was exceeded",
  });
  return takeEach(
    list,
    "user_identifiers",
    (entry) => create(IdentificationSchema, { externalId: externalIdOf(entry["external_id"]), user: kind.user(entry) }),
  );
}
