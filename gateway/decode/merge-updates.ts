/** `merge_updates` of /users/merge and of its preview, with the texts that clients know. */
import { create } from "@bufbuild/protobuf";
import { type Fields, isFields } from "../../platform/fields.ts";
import { type MergeUpdate, MergeUpdateSchema, type UserSelector } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { takeAll } from "./elements.ts";
import { invalid, isFilled, isSent, objectsOf } from "./fields.ts";
import { aliasOf, emailSelector, externalIdOf, phoneSelector, selectorOf } from "./identifiers.ts";

/** One to fifty updates. Throws INPUT_INVALID or BATCH_TOO_LARGE with the documented text. */
export function mergeUpdatesOf(value: unknown): MergeUpdate[] {
  const list = objectsOf(value, {
    notAList: "'merge_updates' must be an array of objects",
    tooMany: "a single request may not contain more than 50 merge updates",
  });
  return takeAll(list, "merge_updates", mergeUpdate);
}

function mergeUpdate(fields: Fields): MergeUpdate {
  const { identifier_to_merge: source, identifier_to_keep: target, ...others } = fields;
  if (!isSent(source) || !isSent(target) || Object.keys(others).length > 0) {
    throw invalid("'merge_updates' must only have 'identifier_to_merge' and 'identifier_to_keep'");
  }
  return create(MergeUpdateSchema, { source: identifier(source), target: identifier(target) });
}

const identifiersText =
  "identifiers must be objects with an 'external_id' property that is a string, 'user_alias' property that is an object, " +
  "'email' property that is a string, or 'phone' property that is a string";

/** Exactly one of the four; an empty one counts as not sent. A number is an external_id here as elsewhere. */
function identifier(value: unknown): UserSelector {
  if (!isFields(value)) throw invalid(identifiersText);
  const { external_id: externalId, user_alias: alias, email, phone } = value;
  if ([externalId, alias, email, phone].filter(isFilled).length !== 1) throw invalid(identifiersText);
  if (isFilled(externalId) && (typeof externalId === "string" || Number.isSafeInteger(externalId))) {
    return selectorOf({ case: "externalId", value: externalIdOf(externalId) });
  }
  if (isFields(alias)) return selectorOf({ case: "alias", value: aliasOf(alias) });
  if (isFilled(email) && typeof email === "string") return emailSelector(value);
  if (isFilled(phone) && typeof phone === "string") return phoneSelector(value);
  throw invalid(identifiersText);
}
