/** POST /subscription/status/set: one group (specification; api-facts 4). */
import { bodyFields, invalid, isFilled } from "../decode/fields.ts";
import { emailOf, externalIdOf, phoneOf } from "../decode/identifiers.ts";
import { bothAddresses, groupIdOf, oneOrMany, subscriptionStateOf } from "../decode/lists.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** Each list may be a single value. Profile fields in the body are ignored: this never updates a profile. */
export async function handleSubscriptionStatusSet(call: Call, { subscription }: Pick<Parts, "subscription">): Promise<Reply> {
  const { subscription_group_id, subscription_state, external_id, email, phone } = bodyFields(call.body);
  if (isFilled(email) && isFilled(phone)) throw invalid(bothAddresses);
  const update = {
    subscriptionGroupId: groupIdOf(subscription_group_id),
    state: subscriptionStateOf(subscription_state),
    externalIds: oneOrMany(external_id, "external_id", externalIdOf),
    emails: oneOrMany(email, "email", emailOf),
    phones: oneOrMany(phone, "phone", phoneOf),
  };
  if (update.externalIds.length + update.emails.length + update.phones.length === 0) {
    throw invalid("One of 'external_id', 'email' or 'phone' is required");
  }
  return success({}, await subscription.setStatus({ scope: call.scope, updates: [update] }));
}
