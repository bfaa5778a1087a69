/** Schemas of subscription groups. */
import { limits } from "../../../platform/limits.ts";
import { list, object, oneOfTexts, type Schema, text } from "./schema.ts";

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
