/** /users/alias: aliases are made and renamed (api-facts 3). */
import { create } from "@bufbuild/protobuf";
import { type Fields, isFields } from "../../platform/fields.ts";
import { Refusal } from "../../platform/refusal.ts";
import {
  type AliasRename,
  AliasRenameSchema,
  AliasSchema,
  type NewAlias,
  NewAliasSchema,
} from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { errorsAtPlaces, inOrder, takeAll, takeEach } from "../decode/elements.ts";
import { bodyFields, isFilled, objectsOf } from "../decode/fields.ts";
import { aliasPartOf, externalIdOf } from "../decode/identifiers.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/** POST /users/alias/new: for users, or users of an alias alone. Takes what is good and reports the rest; nothing good is a 400. */
export async function handleUsersAliasNew(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const list = objectsOf(bodyFields(call.body)["user_aliases"], {
    notAList: "'user_aliases' must be an array of objects",
    tooMany: "a single request may not contain more than 50 user aliases",
  });
  const taken = takeEach(list, "user_aliases", newAlias);
  const [first] = taken.errors;
  if (taken.values.length === 0 && first) throw new Refusal("NOTHING_VALID", first.type, { errors: taken.errors });
  const response = await profile.createAliases({ scope: call.scope, aliases: [...taken.values] });
  const errors = inOrder([...taken.errors, ...errorsAtPlaces(response.errors, taken.places)]);
  return success({ aliases_processed: response.aliasesProcessed, ...(errors.length > 0 ? { errors } : {}) }, response);
}

/** The flat form, or one that older clients wrap in `user_alias` (api-facts 3). */
function newAlias(entry: Fields): NewAlias {
  const wrapped = entry["user_alias"];
  const fields = isFields(wrapped) ? { ...entry, ...wrapped } : entry;
  const id = fields["external_id"];
  return create(NewAliasSchema, {
    externalId: isFilled(id) ? externalIdOf(id) : "",
    alias: create(AliasSchema, {
      name: aliasPartOf(fields["alias_name"], "alias_name"),
      label: aliasPartOf(fields["alias_label"], "alias_label"),
    }),
  });
}

/**
 * POST /users/alias/update: new names.
 * An entry that is not of the shape refuses the whole request; one that has no room at the user is listed in `errors`.
 */
export async function handleUsersAliasUpdate(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const list = objectsOf(bodyFields(call.body)["alias_updates"], {
    notAList: "'alias_updates' must be an array of objects",
    tooMany: "a single request may not contain more than 50 alias updates",
  });
  const renames = takeAll(list, "alias_updates", aliasRename);
  const response = await profile.updateAliases({ scope: call.scope, renames });
  return success(response.errors.length > 0 ? { errors: errorsAtPlaces(response.errors) } : {}, response);
}

function aliasRename(fields: Fields): AliasRename {
  return create(AliasRenameSchema, {
    label: aliasPartOf(fields["alias_label"], "alias_label"),
    oldName: aliasPartOf(fields["old_alias_name"], "old_alias_name"),
    newName: aliasPartOf(fields["new_alias_name"], "new_alias_name"),
  });
}
