/** DATA: what is written by hand about the routes that make one user of two, take that back, and erase users. */
import { limits } from "../../../platform/limits.ts";
import { entriesOf } from "./entry.ts";
import { flag, list, object, ref, type Schema, success, text, textOrWhole, whole } from "../schemas/schema.ts";

function updates(most: number): Schema {
  return object({ merge_updates: list(ref("MergeUpdate"), undefined, { minItems: 1, maxItems: most }) }, ["merge_updates"]);
}
const pair = { identifier_to_merge: { external_id: "ben" }, identifier_to_keep: { external_id: "ann" } };
const ids = { maxItems: limits.itemsPerRequestMax };

export const mergeEntries = entriesOf({ tag: "Users", reasons: ["BATCH_TOO_LARGE"] }, [
  {
    route: "POST /users/merge/preview",
    operationId: "previewMerge",
    summary: "See what a merge would make",
    description: "Takes the body of `/users/merge` with exactly one update and changes nothing.",
    extension: true,
    body: updates(1),
    answer: success({ would_merge: flag(), user: ref("ExportedUser"), reason: text("Why nothing would happen.") }, ["would_merge"]),
    examples: [{
      name: "nobody to merge",
      body: { merge_updates: [{ identifier_to_merge: { external_id: "nobody" }, identifier_to_keep: { external_id: "ann" } }] },
      answer: { would_merge: false, reason: "The user to merge does not exist", message: "success" },
    }],
  },
  {
    route: "POST /users/merge",
    operationId: "mergeUsers",
    summary: "Merge users",
    description: "Queued: the answer is a receipt. A merge can be taken back for seven days.",
    body: updates(limits.itemsPerRequestMax),
    answer: success({ job_id: text("Asks `GET /users/merge/status/{id}` what came of it.") }, ["job_id"]),
    examples: [{ name: "two users", body: { merge_updates: [pair] }, answer: { job_id: "m2-merge", message: "success" } }],
  },
  {
    route: "GET /users/merge/status/:id",
    operationId: "getMergeStatus",
    summary: "What came of a merge",
    extension: true,
    parameters: [{
      in: "path",
      name: "id",
      description: "The `job_id` of `/users/merge` or `/users/identify`.",
      required: true,
      schema: text(),
    }],
    answer: success({ job_id: text(), merge_updates: list(ref("MergeOutcome")) }, ["job_id", "merge_updates"]),
    reasons: ["NOT_FOUND"],
    examples: [{
      name: "merged",
      parameters: { id: "m2-merge" },
      answer: {
        job_id: "m2-merge",
        merge_updates: [{
          index: 0,
          status: "merged",
          merged_platform_id: "5eea769d45bb2e1467418f92",
          kept_platform_id: "5eea769d45bb2e1467418f93",
          undo_until: "2026-11-27T10:00:00.000Z",
        }],
        message: "success",
      },
    }],
  },
  {
    route: "POST /users/merge/undo",
    operationId: "undoMerge",
    summary: "Take a merge back",
    description: "Both users are as if the merge had not been, with what was sent to each since. 409 where that is no longer possible: " +
      "the window is over, or a later merge, delete, identify or rename touched one of them.",
    extension: true,
    body: object({
      job_id: text(),
      index: whole("The place of the update in its request.", { minimum: 0, maximum: ids.maxItems - 1, default: 0 }),
    }, [
      "job_id",
    ]),
    answer: success(),
    reasons: ["NOT_FOUND", "STATE_CONFLICT"],
    examples: [{ name: "the first update", body: { job_id: "m2-merge", index: 0 }, answer: { message: "success" } }],
  },
  {
    route: "POST /users/delete",
    operationId: "deleteUsers",
    summary: "Erase users",
    description: "Users are named in exactly one way. All or none of the request.",
    body: object({
      external_ids: list(textOrWhole(), undefined, ids),
      user_aliases: list(ref("UserAlias"), undefined, ids),
      braze_ids: list(ref("PlatformId"), undefined, ids),
      platform_ids: list(ref("PlatformId"), undefined, ids),
      email_addresses: list(object({ email: text(), prioritization: ref("Prioritization") }, ["email", "prioritization"]), undefined, ids),
      phone_numbers: list(object({ phone: text(), prioritization: ref("Prioritization") }, ["phone", "prioritization"]), undefined, ids),
    }),
    answer: success({ deleted: whole("Ids that were queued.") }, ["deleted"]),
    examples: [{ name: "by external id", body: { external_ids: ["eve"] }, answer: { deleted: 1, message: "success" } }],
  },
]);
