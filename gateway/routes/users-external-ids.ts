/** /users/external_ids: external ids are renamed, and deprecated ones removed (api-facts 3). */
import { create } from "@bufbuild/protobuf";
import type { Fields } from "../../platform/fields.ts";
import { type ExternalIdRename, ExternalIdRenameSchema } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { errorsAtPlaces, inOrder, takeEach } from "../decode/elements.ts";
import { bodyFields, invalid, isFilled, listOf, objectsOf } from "../decode/fields.ts";
import { externalIdOf } from "../decode/identifiers.ts";
import { emptyId } from "../decode/lists.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/**
 * POST /users/external_ids/rename: a new external_id for a user; the old one is deprecated and still resolves.
 * 201 also where nothing was renamed; an error is `[index, text]` in `rename_errors`.
 */
export async function handleUsersExternalIdsRename(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const list = objectsOf(bodyFields(call.body)["external_id_renames"], {
    notAList: "'external_id_renames' must be an array of objects",
    tooMany: "The max number of ids per request was exceeded",
  });
  const taken = takeEach(list, "external_id_renames", rename);
  const response = taken.values.length === 0
    ? undefined
    : await profile.renameExternalIds({ scope: call.scope, renames: [...taken.values] });
  const errors = inOrder([...taken.errors, ...errorsAtPlaces(response?.errors ?? [], taken.places)]);
  return success({
    rename_errors: errors.map(({ index, type }) => [index, type]),
    external_ids: (response?.renamed ?? []).map(({ currentExternalId, newExternalId }) => ({
      current_external_id: currentExternalId,
      new_external_id: newExternalId,
    })),
  }, response);
}

function rename(fields: Fields): ExternalIdRename {
  const currentExternalId = externalIdOf(fields["current_external_id"], "current_external_id");
  const newExternalId = externalIdOf(fields["new_external_id"], "new_external_id");
  if (currentExternalId === newExternalId) throw invalid("'current_external_id' and 'new_external_id' must differ");
  return create(ExternalIdRenameSchema, { currentExternalId, newExternalId });
}

/** POST /users/external_ids/remove: deprecated ones. 201 also where nothing was removed; an error is `[index, text]`. */
export async function handleUsersExternalIdsRemove(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const list = listOf(bodyFields(call.body)["external_ids"], {
    notAList: "'external_ids' must be an array of strings",
    tooMany: "The max number of ids per request was exceeded",
  });
  const taken = takeEach(list, "external_ids", (entry, index) => {
    if (!isFilled(entry)) throw emptyId("external_ids", index);
    return externalIdOf(entry, "external_ids");
  });
  const response = taken.values.length === 0
    ? undefined
    : await profile.removeExternalIds({ scope: call.scope, externalIds: [...taken.values] });
  const errors = inOrder([...taken.errors, ...errorsAtPlaces(response?.errors ?? [], taken.places)]);
  return success({
    removed_ids: response?.removedIds ?? [],
    removal_errors: errors.map(({ index, type }) => [index, type]),
  }, response);
}
