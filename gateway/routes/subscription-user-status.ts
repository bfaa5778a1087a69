/** GET and POST /subscription/user/status: all groups of users (api-facts 4, as it was recorded). */
import { limits } from "../../platform/limits.ts";
import { Channel, MembershipStatus, type UserStatus } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { namedUsersOf } from "../decode/named-users.ts";
import { offsetOf, queryOfCall, wholeOf } from "../decode/query.ts";
import { readReply } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** Users who share an address stand apart; an unknown user is left out. `total_count` is the number of users on all pages. */
export async function handleSubscriptionUserStatus(call: Call, { subscription }: Pick<Parts, "subscription">): Promise<Reply> {
  const query = queryOfCall(call);
  const { ids, emails, phones } = namedUsersOf(query);
  const response = await subscription.getUserStatus({
    scope: call.scope,
    users: [...ids, ...emails, ...phones].map(({ key }) => key),
    limit: wholeOf(query, "limit", { min: 1, max: limits.userStatusPageMax, fallback: limits.userStatusPageMax }),
    offset: offsetOf(query),
  }, call.reading);
  return readReply({ users: response.users.map(userOf), total_count: response.totalCount }, response);
}

function userOf({ externalId, email, phone, groups }: UserStatus): Readonly<Record<string, unknown>> {
  return {
    email: email ?? null,
    phone: phone ?? null,
    external_id: externalId ?? null,
    subscription_groups: groups.map(({ group, status }) => ({
      id: group?.id,
      name: group?.name,
      channel: channels.get(group?.channel ?? Channel.UNSPECIFIED),
      status: status === MembershipStatus.SUBSCRIBED ? "Subscribed" : "Unsubscribed",
    })),
  };
}

const channels: ReadonlyMap<Channel, string> = new Map([
  [Channel.EMAIL, "email"],
  [Channel.SMS, "sms"],
  [Channel.WHATSAPP, "whatsapp"],
  [Channel.RCS, "rcs"],
  [Channel.LINE, "line"],
]);
