/** Schemas of users: what is sent about them and what is read back. */
import { limits } from "../../../platform/limits.ts";
import { flag, list, mapOf, number, object, oneOfTexts, ref, type Schema, text, textOrWhole, whole } from "./schema.ts";

const time = text(
  "ISO 8601 in any form that can be read in one way only, also basic (`20240101T000000Z`), week and ordinal dates, hours alone, " +
    "24:00 and leap seconds; or `yyyy-MM-ddTHH:mm:ss:SSSZ`, `MM/dd/yyyy`. No zone is UTC. What lies in the future becomes now.",
);
const currency = text("ISO 4217 code.");

/** At least one of them names the user. */
const identifiers = {
  external_id: textOrWhole(`Your id of the user, at most ${limits.externalIdBytesMax} bytes. Numbers are taken as text.`),
  user_alias: ref("UserAlias"),
  platform_id: ref("PlatformId"),
  braze_id: ref("PlatformId"),
  email: text("Names the user where no other identifier but `phone` is there; else it is a field of the profile."),
  phone: text("As `email`, which wins over it. E.164."),
};

const updateOnly = flag("Changes users that exist and makes no new one.");

export const userSchemas: Readonly<Record<string, Schema>> = {
  PlatformId: text("Heddle's own id of the user: 24 hexadecimal digits.", { pattern: "^[0-9a-fA-F]{24}$" }),
  UserAlias: object({
    alias_name: text(undefined, { minLength: 1, maxLength: limits.aliasPartCharsMax }),
    alias_label: text(undefined, { minLength: 1, maxLength: limits.aliasPartCharsMax }),
  }, ["alias_name", "alias_label"]),
  Attributes: object(
    {
      ...identifiers,
      email: nullable(identifiers.email),
      phone: nullable(identifiers.phone),
      _update_existing_only: flag("With `user_alias` the default is true: send false to create a user of the alias alone."),
      _merge_objects: flag("Merges nested objects instead of replacing them.", { default: false }),
      first_name: nullable(text()),
      last_name: nullable(text()),
      country: nullable(text("ISO 3166-1 alpha-2.")),
      home_city: nullable(text()),
      language: nullable(text("ISO 639-1.")),
      dob: nullable(text("`YYYY-MM-DD`")),
      gender: nullable(oneOfTexts(["M", "F", "O", "N", "P"])),
      time_zone: nullable(text("IANA name.")),
      email_subscribe: oneOfTexts(["opted_in", "subscribed", "unsubscribed"], "Also changes everybody who shares the user's email."),
      push_subscribe: nullable(oneOfTexts(["opted_in", "subscribed", "unsubscribed"])),
      subscription_groups: list(
        object({ subscription_group_id: text(), subscription_state: oneOfTexts(["subscribed", "unsubscribed"]) }, [
          "subscription_group_id",
          "subscription_state",
        ]),
        "Also changes everybody who shares the user's email.",
        { maxItems: limits.subscriptionGroupsPerObjectMax },
      ),
    },
    [],
    {
      description:
        "One identifier, standard fields, and custom attributes under any other name: a value, `null` to remove it, `{inc}` for " +
        "numbers, `{add}` and `{remove}` for arrays, `{$add}`, `{$update}`, `{$remove}` for arrays of objects.",
      additionalProperties: true,
    },
  ),
  Event: object({
    ...identifiers,
    app_id: text(),
    name: text(undefined, { minLength: 1, maxLength: limits.eventNameCharsMax }),
    time,
    properties: ref("Properties"),
    _update_existing_only: updateOnly,
  }, ["name", "time"]),
  Purchase: object({
    ...identifiers,
    app_id: text(),
    product_id: textOrWhole(),
    currency,
    price: number("Revenue is price x quantity, rounded to cents.", {
      minimum: -limits.purchasePriceMax,
      maximum: limits.purchasePriceMax,
    }),
    quantity: whole(undefined, { minimum: 1, maximum: limits.purchaseQuantityMax, default: 1 }),
    time,
    properties: ref("Properties"),
    _update_existing_only: updateOnly,
  }, ["product_id", "currency", "price", "time"]),
  Properties: {
    ...mapOf(
      {},
      `Names of 1 to ${limits.propertyNameCharsMax} characters that do not begin with \`$\`; with arrays or objects at most 50 KB.`,
    ),
  },
  TrackBody: trackBody(limits.trackObjectsPerArrayMax),
  TrackBulkBody: trackBody(limits.bulkObjectsMax),
  ExportedUser: object(
    {
      external_id: text(),
      platform_id: ref("PlatformId"),
      braze_id: ref("PlatformId"),
      created_at: text(),
      email: text(),
      phone: text(),
      user_aliases: list(ref("UserAlias")),
      total_revenue: number("US dollars: those sent, and other currencies for which the workspace declares a rate."),
      custom_attributes: mapOf({}),
      custom_events: list(ref("Summary")),
      purchases: list(ref("Summary")),
    },
    [],
    { additionalProperties: true },
  ),
  SyncedUser: object(
    {
      external_id: text(),
      custom_attributes: mapOf({}),
      custom_events: list(ref("Summary")),
      purchase_events: list(object({ product_id: text(), first: text(), last: text(), count: whole() })),
    },
    ["custom_attributes", "custom_events", "purchase_events"],
    { additionalProperties: true },
  ),
  Summary: object({ name: text(), first: text("The earliest time."), last: text("The latest time."), count: whole() }, [
    "name",
    "first",
    "last",
    "count",
  ]),
  MergeIdentifier: object(
    {
      external_id: text(),
      user_alias: ref("UserAlias"),
      email: text(),
      phone: text(),
      prioritization: ref("Prioritization"),
    },
    [],
    { description: "Exactly one of the four; `email` and `phone` need `prioritization`." },
  ),
  Prioritization: list(
    oneOfTexts(["identified", "unidentified", "most_recently_updated", "least_recently_updated"]),
    "How to choose among users who share the address, in order.",
    { minItems: 1 },
  ),
  MergeUpdate: object({ identifier_to_merge: ref("MergeIdentifier"), identifier_to_keep: ref("MergeIdentifier") }, [
    "identifier_to_merge",
    "identifier_to_keep",
  ], { additionalProperties: false }),
  MergeOutcome: object({
    index: whole("The place of the update in its request."),
    status: oneOfTexts(["merged", "identified", "not_merged", "undone", "undo_refused"]),
    reason: text("Why nothing was merged."),
    merged_platform_id: ref("PlatformId"),
    kept_platform_id: ref("PlatformId"),
    undo_until: text("Until when it can be taken back."),
  }, ["index", "status"]),
};

function trackBody(objectsMax: number): Schema {
  const most = { maxItems: objectsMax };
  return object(
    {
      attributes: list(ref("Attributes"), undefined, most),
      events: list(ref("Event"), undefined, most),
      purchases: list(ref("Purchase"), undefined, most),
    },
    [],
    { description: "At least one object in one of the arrays. Attributes are applied first, then events, then purchases." },
  );
}

function nullable(schema: Schema): Schema {
  return { ...schema, type: ["string", "null"], ...(schema.enum ? { enum: [...schema.enum, null] } : {}) };
}
