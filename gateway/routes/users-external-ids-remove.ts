/** POST /users/external_ids/remove: drops deprecated external ids (api-facts 3). */
import { errorsAtPlaces, inOrder, takeEach } from "../decode/elements.ts";
import { bodyFields, isFilled, listOf } from "../decode/fields.ts";
import { externalIdOf } from "../decode/identifiers.ts";
import { emptyId } from "../decode/lists.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** 201 also where nothing was removed; an error is `[index, text]` in `removal_errors`. */
export async function handleUsersExternalIdsRemove(call: Call, { profile }: Pick<Parts, "profile">): Promise<Reply> {
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
