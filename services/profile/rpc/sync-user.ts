/** A user in the answer of /users/track/sync (api-facts 2.9): the identifier as it was sent, and what is tracked. */
import type { Profile } from "../domain/profile.ts";
import { renderProfile } from "../domain/render-profile.ts";
import type { Json, JsonObject } from "../domain/track-object.ts";
import type { UserKey } from "../domain/user-key.ts";

export function syncUser(key: UserKey, profile: Profile): JsonObject {
  const { custom_attributes, custom_events, purchases } = renderProfile(profile, {
    fields: ["custom_attributes", "custom_events", "purchases"],
  });
  return {
    ...identifier(key),
    custom_attributes: custom_attributes ?? {},
    custom_events: custom_events ?? [],
    purchase_events: isList(purchases) ? purchases.map(purchaseEvent) : [],
  };
}

function identifier(key: UserKey): JsonObject {
  switch (key.by) {
    case "externalId":
      return { external_id: key.id };
    case "alias":
      return { user_alias: { alias_name: key.name, alias_label: key.label } };
    case "platformId":
      return { braze_id: key.id };
    case "email":
      return { email: key.address };
    case "phone":
      return { phone: key.number };
  }
}

function purchaseEvent(purchase: Json): Json {
  if (purchase === null || typeof purchase !== "object" || isList(purchase)) return purchase;
  const { name, ...summary } = purchase;
  return { product_id: name ?? null, ...summary };
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
