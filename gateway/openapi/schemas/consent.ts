/** Schemas of subscription groups, and the parameters that reads of addresses share. */
import { limits } from "../../../platform/limits.ts";
import type { Parameter } from "../entry.ts";
import { list, object, oneOfTexts, type Schema, text, whole } from "../schema.ts";

/** One value, or a list of up to fifty. */
export function oneOrMany(description: string): Schema {
  return { anyOf: [text(), list(text(), undefined, { minItems: 1, maxItems: limits.itemsPerRequestMax })], description };
}

export const consentSchemas: Readonly<Record<string, Schema>> = {
  GroupUpdate: object({
    subscription_group_id: text(),
    subscription_state: oneOfTexts(["subscribed", "unsubscribed"]),
    external_ids: oneOrMany("Goes with every group."),
    emails: oneOrMany("Email groups; changes everybody who shares the address. Not together with `phones`."),
    phones: oneOrMany("All other groups; E.164."),
  }, ["subscription_group_id", "subscription_state"]),
  UserGroups: object({
    email: { type: ["string", "null"] },
    phone: { type: ["string", "null"] },
    external_id: { type: ["string", "null"] },
    subscription_groups: list(object({
      id: text(),
      name: text(),
      channel: oneOfTexts(["email", "sms", "whatsapp", "rcs", "line"]),
      status: oneOfTexts(["Subscribed", "Unsubscribed"]),
    }, ["id", "name", "channel", "status"])),
  }, ["email", "phone", "external_id", "subscription_groups"]),
};

/** `name`, or `name[]` repeated. */
export function manyOf(name: string, description: string): Parameter {
  return {
    in: "query",
    name,
    description: `${description} Repeat it, or send \`${name}[]\`, for up to ${limits.itemsPerRequestMax}.`,
    schema: list(text(), undefined, { maxItems: limits.itemsPerRequestMax }),
  };
}

/** Dates and pages of the lists of addresses. */
export const pageParameters: readonly Parameter[] = [
  {
    in: "query",
    name: "start_date",
    description: "Midnight UTC of the day. Needed, with `end_date`, where no address is named.",
    schema: day(),
  },
  { in: "query", name: "end_date", description: "Midnight UTC of the day, which is itself no longer in.", schema: day() },
  {
    in: "query",
    name: "limit",
    description: "Most results.",
    schema: whole(undefined, { minimum: 1, maximum: limits.addressesPageMax, default: limits.addressesPageDefault }),
  },
  { in: "query", name: "offset", description: "Results to skip.", schema: whole(undefined, { minimum: 0, default: 0 }) },
];

function day(): Schema {
  return text(undefined, { format: "date" });
}
