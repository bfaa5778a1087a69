/** Fields that hold one value or a list of up to fifty, and the members of subscription requests. */
import type { Fields } from "../../platform/fields.ts";
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import { SubscriptionState } from "../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { takeAll } from "./elements.ts";
import { invalid, isFilled, isSent } from "./fields.ts";
import { emailOf } from "./identifiers.ts";

/** The text of the specification for an email and a phone where one of them is wanted. */
export const bothAddresses = "Either an email address or a phone number should be provided, but not both.";

export const tooManyIds = "The max number of ids per request was exceeded";

/** One value or a list of 1 to 50; none where the field was not sent or is empty. Throws INPUT_INVALID, BATCH_TOO_LARGE. */
export function oneOrMany<T>(value: unknown, field: string, decode: (entry: unknown, field: string) => T): T[] {
  if (!isFilled(value)) return [];
  if (!Array.isArray(value)) return [decode(value, field)];
  checkCount(value);
  return takeIds(value, field, decode);
}

/** `email` of a body: one address or up to fifty. */
export function emailsOf({ email }: Fields): string[] {
  const emails = oneOrMany(email, "email", emailOf);
  if (emails.length === 0) throw invalid("'email' is required");
  return emails;
}

/** As takeAll: ids, addresses, or objects that name users. None may be empty. */
export function takeIds<T>(list: readonly unknown[], field: string, decode: (entry: unknown, field: string) => T): T[] {
  return takeAll(list, field, (entry, index) => {
    if (!isFilled(entry)) throw emptyId(field, index);
    return decode(entry, field);
  });
}

export function emptyId(field: string, index: number): Refusal {
  return invalid(`'${field}' holds an empty id at ${index}`);
}

export function checkCount(list: readonly unknown[]): void {
  if (list.length > limits.itemsPerRequestMax) throw new Refusal("BATCH_TOO_LARGE", tooManyIds);
}

export function groupIdOf(value: unknown): string {
  if (!isSent(value) || value === "") throw invalid("'subscription_group_id' is required");
  if (typeof value !== "string") throw invalid("'subscription_group_id' must be a string");
  return value;
}

export function subscriptionStateOf(value: unknown): SubscriptionState {
  if (!isSent(value)) throw invalid("'subscription_state' is required");
  if (value === "subscribed") return SubscriptionState.SUBSCRIBED;
  if (value === "unsubscribed") return SubscriptionState.UNSUBSCRIBED;
  throw invalid("'subscription_state' must be 'subscribed' or 'unsubscribed'");
}
