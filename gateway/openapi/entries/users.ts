/** DATA: what is written by hand about the routes of users and their identifiers. */
import { limits } from "../../../platform/limits.ts";
import { entriesOf } from "./entry.ts";
import { list, mapOf, object, ref, type Schema, success, text, textOrWhole, whole } from "../schemas/schema.ts";

const errors = list(
  ref("ObjectError"),
  "What was not taken; everything else was. Each thing that is wrong with an object that was not taken, and each field (`field`) of one that was, " +
    `${limits.fieldFaultsPerObjectMax} of an object at most.`,
);
const trackAnswer = success({ attributes_processed: whole(), events_processed: whole(), purchases_processed: whole(), errors });
const most = { maxItems: limits.itemsPerRequestMax };
const items = { minItems: 1, ...most };
const jobId = text("Asks `GET /users/merge/status/{id}` what came of it.");
const aliasRoom = `The aliases of one user take at most ${limits.aliasBytesPerUserMax} bytes of JSON together`;
const aliasPart = text(undefined, { minLength: 1, maxLength: limits.aliasPartCharsMax });
const alias = { alias_label: "shop", alias_name: "visitor-7" };

export const userEntries = entriesOf({ tag: "Users", reasons: ["BATCH_TOO_LARGE"] }, [
  {
    route: "POST /users/track",
    operationId: "trackUsers",
    summary: "Record attributes, events and purchases",
    description: "Each object is judged by itself: a 201 may carry `errors`, and everything else was taken. 400 where nothing was valid. " +
      "Of an attributes object whose identifier is good the good fields are taken and the others are named in `errors` with their `field`, and nothing is " +
      `cut: a string of more than ${limits.stringValueCharsMax} characters is not taken. Events and purchases are taken whole or not at all. ` +
      `At most ${limits.trackObjectsPerArrayMax} objects in each array; on a plan by monthly active users at most ` +
      `${limits.trackObjectsCombinedMauMax} in all. Objects that look alike are distinct unless the request is repeated with its Idempotency-Key.`,
    body: ref("TrackBody"),
    answer: trackAnswer,
    reasons: ["BATCH_TOO_LARGE", "NOTHING_VALID", "BEHIND"],
    examples: [{
      name: "all three kinds",
      body: {
        attributes: [{ external_id: "ann", first_name: "Ann", email: "ann@example.com", visits: { inc: 1 } }],
        events: [{ external_id: "ann", name: "signed_up", time: "2026-11-20T10:00:00Z", properties: { plan: "free" } }],
        purchases: [{ external_id: "ann", product_id: "tea", currency: "USD", price: 4.2, quantity: 2, time: "2026-11-20T10:05:00Z" }],
      },
      answer: { attributes_processed: 1, events_processed: 1, purchases_processed: 1, message: "success" },
    }, {
      name: "one object is not valid",
      body: {
        events: [
          { external_id: "ben", name: "signed_up", time: "2026-11-20T10:00:00Z" },
          { name: "signed_up", time: "2026-11-20T10:00:00Z" },
        ],
      },
      answer: {
        events_processed: 1,
        message: "success",
        errors: [{
          type: "'external_id', 'braze_id', 'user_alias', 'email' or 'phone' is required",
          input_array: "events",
          index: 1,
        }],
      },
    }, {
      name: "a user of an alias alone",
      body: { attributes: [{ user_alias: alias, _update_existing_only: false, basket: ["tea"] }] },
      answer: { attributes_processed: 1, message: "success" },
    }],
  },
  {
    route: "POST /users/track/sync",
    operationId: "trackUsersSync",
    summary: "Record one object and read the user",
    description: "Takes one object and answers with the user after it was applied. `users` is empty where update-only found nobody.",
    body: ref("TrackBody"),
    answer: success({ users: list(ref("SyncedUser")), errors }, ["users"]),
    reasons: ["BATCH_TOO_LARGE", "NOTHING_VALID", "BEHIND"],
    examples: [{
      name: "one attribute",
      body: { attributes: [{ external_id: "cleo", likes_tea: true }] },
      answer: {
        users: [{ external_id: "cleo", custom_attributes: { likes_tea: true }, custom_events: [], purchase_events: [] }],
        message: "success",
      },
    }],
  },
  {
    route: "POST /users/track/bulk",
    operationId: "trackUsersBulk",
    summary: "Record many objects with low priority",
    description: `At most ${limits.bulkObjectsMax} objects in all and ${limits.bulkObjectsPerUserMax} for one user.`,
    body: ref("TrackBulkBody"),
    answer: trackAnswer,
    reasons: ["BATCH_TOO_LARGE", "NOTHING_VALID", "BEHIND"],
    examples: [{
      name: "attributes",
      body: { attributes: [{ external_id: "dan", city: "Oslo" }, { external_id: "eve", city: "Rome" }] },
      answer: { attributes_processed: 2, message: "success" },
    }],
  },
  {
    route: "POST /users/export/ids",
    operationId: "exportUsers",
    summary: "Read users",
    description:
      `At most ${limits.itemsPerRequestMax} external ids and as many aliases. Names that nobody has are in \`invalid_user_ids\`. ` +
      "Without `fields_to_export` all fields are given. Of `device_id`, `email_address` and `phone` one may be sent. " +
      `A device means the user whose push token or session named it last, and a user is found by its last ${limits.devicesPerUserMax} devices.`,
    body: object({
      external_ids: list(textOrWhole(), undefined, most),
      user_aliases: list(ref("UserAlias"), undefined, most),
      braze_id: { anyOf: [ref("PlatformId"), list(ref("PlatformId"), undefined, most)] },
      platform_id: { anyOf: [ref("PlatformId"), list(ref("PlatformId"), undefined, most)] },
      device_id: text(),
      email_address: text(),
      phone: text(),
      fields_to_export: list(
        text(),
        "Names of fields, also `custom_events_daily`, `purchases_daily`, `revenue_by_currency`, " +
          "`purchase_count`, `updated_at` and `appboy_id` (the former name of `braze_id`), which are given only when named.",
        { maxItems: limits.exportFieldsMax },
      ),
    }),
    answer: success({ users: list(ref("ExportedUser")), invalid_user_ids: list({}, "Names that nobody has, as they were sent.") }, [
      "users",
    ]),
    examples: [{
      name: "some fields",
      body: {
        external_ids: ["ann", "nobody"],
        fields_to_export: ["external_id", "first_name", "custom_attributes", "custom_events", "purchases", "total_revenue"],
      },
      answer: {
        users: [{
          external_id: "ann",
          first_name: "Ann",
          total_revenue: 8.4,
          custom_attributes: { visits: 1 },
          custom_events: [{ name: "signed_up", first: "2026-11-20T10:00:00.000Z", last: "2026-11-20T10:00:00.000Z", count: 1 }],
          purchases: [{ name: "tea", first: "2026-11-20T10:05:00.000Z", last: "2026-11-20T10:05:00.000Z", count: 2 }],
        }],
        invalid_user_ids: ["nobody"],
        message: "success",
      },
    }],
  },
  {
    route: "POST /users/alias/new",
    operationId: "createAliases",
    summary: "Create aliases",
    description: "With `external_id` for that user, if there is one; without it for a new user of the alias alone. " +
      `${aliasRoom}: what is beyond is in \`errors\`.`,
    body: object({ user_aliases: list(newAlias(), undefined, items) }, ["user_aliases"]),
    answer: success({ aliases_processed: whole(), errors }, ["aliases_processed"]),
    reasons: ["BATCH_TOO_LARGE", "NOTHING_VALID"],
    examples: [{
      name: "for a user",
      body: { user_aliases: [{ external_id: "ann", alias_label: "crm", alias_name: "A-1" }] },
      answer: { aliases_processed: 1, message: "success" },
    }],
  },
  {
    route: "POST /users/alias/update",
    operationId: "updateAliases",
    summary: "Rename aliases",
    description:
      "An entry that is not valid refuses the whole request and is named in `errors`. An alias that does not exist changes nothing. " +
      `${aliasRoom}: a name that would pass that is in \`errors\`.`,
    body: object({ alias_updates: list(aliasUpdate(), undefined, items) }, ["alias_updates"]),
    answer: success({ errors }),
    examples: [{
      name: "rename",
      body: { alias_updates: [{ alias_label: "crm", old_alias_name: "A-1", new_alias_name: "A-2" }] },
      answer: { message: "success" },
    }],
  },
  {
    route: "POST /users/identify",
    operationId: "identifyUsers",
    summary: "Give users of an alias, email or phone an external_id",
    description:
      "Where a user with the external_id exists, the other is merged into it. 201 also where no element was good: read `errors`, " +
      "whose `input_array` is `user_identifiers` for all lists; `list` names the list where several were sent.",
    body: object({
      aliases_to_identify: list(
        object({ external_id: text(), user_alias: ref("UserAlias") }, ["external_id", "user_alias"]),
        undefined,
        most,
      ),
      emails_to_identify: list(identifyBy("email"), undefined, most),
      phone_numbers_to_identify: list(identifyBy("phone"), undefined, most),
      merge_behavior: text("Accepted and not looked at."),
    }),
    answer: success({ aliases_processed: whole(), emails_processed: whole(), phone_numbers_processed: whole(), job_id: jobId, errors }),
    examples: [{
      name: "by alias",
      body: { aliases_to_identify: [{ external_id: "fay", user_alias: alias }] },
      answer: { aliases_processed: 1, job_id: "m1-identify", message: "success" },
    }],
  },
  {
    route: "POST /users/external_ids/rename",
    operationId: "renameExternalIds",
    summary: "Rename external ids",
    description: "The old id is deprecated and still means the user, until it is removed.",
    body: object({
      external_id_renames: list(
        object({ current_external_id: text(), new_external_id: text() }, ["current_external_id", "new_external_id"]),
        undefined,
        items,
      ),
    }, ["external_id_renames"]),
    answer: success({
      external_ids: list(mapOf(text())),
      rename_errors: list({ type: "array", prefixItems: [whole(), text()] }, "`[place in the request, text]`"),
    }, ["external_ids", "rename_errors"]),
    examples: [{
      name: "rename",
      body: { external_id_renames: [{ current_external_id: "dan", new_external_id: "daniel" }] },
      answer: {
        rename_errors: [],
        external_ids: [{ current_external_id: "dan", new_external_id: "daniel" }],
        message: "success",
      },
    }],
  },
  {
    route: "POST /users/external_ids/remove",
    operationId: "removeExternalIds",
    summary: "Remove deprecated external ids",
    body: object({ external_ids: list(text(), undefined, items) }, ["external_ids"]),
    answer: success({
      removed_ids: list(text()),
      removal_errors: list({ type: "array", prefixItems: [whole(), text()] }, "`[place in the request, text]`"),
    }, ["removed_ids", "removal_errors"]),
    examples: [{
      name: "remove",
      body: { external_ids: ["dan"] },
      answer: { removed_ids: ["dan"], removal_errors: [], message: "success" },
    }],
  },
]);

function newAlias(): Schema {
  return object({ external_id: text(), alias_label: aliasPart, alias_name: aliasPart }, ["alias_label", "alias_name"]);
}

function aliasUpdate(): Schema {
  return object({ alias_label: aliasPart, old_alias_name: aliasPart, new_alias_name: aliasPart }, [
    "alias_label",
    "old_alias_name",
    "new_alias_name",
  ]);
}

function identifyBy(field: "email" | "phone"): Schema {
  return object({ external_id: text(), [field]: text(), prioritization: ref("Prioritization") }, ["external_id", field, "prioritization"]);
}
