/** POST /users/alias/update: new names for aliases. */
import { create } from "@bufbuild/protobuf";
import { type AliasRename, AliasRenameSchema } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { errorsAtPlaces, takeAll } from "../decode/elements.ts";
import { bodyFields, type Fields, objectsOf } from "../decode/fields.ts";
import { aliasPartOf } from "../decode/identifiers.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** An entry that is not of the shape refuses the whole request; one that has no room at the user is listed in `errors`. */
export async function handleUsersAliasUpdate(call: Call, { profile }: Pick<Parts, "profile">): Promise<Reply> {
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
