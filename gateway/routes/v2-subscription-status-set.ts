/** POST /v2/subscription/status/set: several groups at once (specification; api-facts 4). */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { MembershipUpdateSchema } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { takeAll } from "../decode/elements.ts";
import { bodyFields, type Fields, invalid, isFilled, objectsOf } from "../decode/fields.ts";
import { emailOf, externalIdOf, phoneOf } from "../decode/identifiers.ts";
import { bothAddresses, groupIdOf, oneOrMany, subscriptionStateOf } from "../decode/lists.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** All groups or none: what is wrong with one refuses the request. */
export async function handleV2SubscriptionStatusSet(call: Call, { subscription }: Pick<Parts, "subscription">): Promise<Reply> {
  const groups = objectsOf(bodyFields(call.body)["subscription_groups"], {
    notAList: "'subscription_groups' must be an array of objects",
    tooMany: "a single request may not contain more than 50 subscription groups",
  });
  const updates = takeAll(groups, "subscription_groups", updateOf);
  return success({}, await subscription.setStatus({ scope: call.scope, updates }));
}

function updateOf(fields: Fields): MessageInitShape<typeof MembershipUpdateSchema> {
  const { external_ids, external_id, emails, phones } = fields;
  if (isFilled(emails) && isFilled(phones)) throw invalid(bothAddresses);
  const update = {
    subscriptionGroupId: groupIdOf(fields["subscription_group_id"]),
    state: subscriptionStateOf(fields["subscription_state"]),
    // The singular is what some clients send (api-facts 4)
    externalIds: oneOrMany(isFilled(external_ids) ? external_ids : external_id, "external_ids", externalIdOf),
    emails: oneOrMany(emails, "emails", emailOf),
    phones: oneOrMany(phones, "phones", phoneOf),
  };
  if (update.externalIds.length + update.emails.length + update.phones.length === 0) {
    throw invalid("Each subscription group needs one of 'external_ids', 'emails' or 'phones'");
  }
  return update;
}
