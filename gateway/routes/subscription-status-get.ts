/** GET and POST /subscription/status/get: the state of users in one group (specification; api-facts 4). */
import { MembershipStatus } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { invalid } from "../decode/fields.ts";
import { bothAddresses, groupIdOf } from "../decode/lists.ts";
import { idsOrAddressesOf, type NamedUser } from "../decode/named-users.ts";
import { onlyValue, type Query, queryOfCall } from "../decode/query.ts";
import { readReply } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** `status` has the identifiers as they were sent. */
export async function handleSubscriptionStatusGet(call: Call, { subscription }: Pick<Parts, "subscription">): Promise<Reply> {
  const query = queryOfCall(call);
  const asked = askedOf(query);
  const subscriptionGroupId = groupIdOf(onlyValue(query, "subscription_group_id"));
  const { statuses, behind } = await subscription.getStatus(
    { scope: call.scope, subscriptionGroupId, users: asked.map(({ key }) => key) },
    call.reading,
  );
  const status = Object.fromEntries(asked.map(({ sent }, at) => [sent, statusTexts.get(statuses[at] ?? 0) ?? "Unknown"]));
  return readReply({ status }, { behind });
}

function askedOf(query: Query): readonly NamedUser[] {
  const { ids, emails, phones } = idsOrAddressesOf(query);
  if (ids.length > 0) return ids;
  if (emails.length > 0 && phones.length > 0) throw invalid(bothAddresses);
  return [...emails, ...phones];
}

const statusTexts: ReadonlyMap<number, string> = new Map([
  [MembershipStatus.SUBSCRIBED, "Subscribed"],
  [MembershipStatus.UNSUBSCRIBED, "Unsubscribed"],
]);
