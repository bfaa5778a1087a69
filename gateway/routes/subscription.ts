/** /subscription/…: the state of users in groups (specification; api-facts 4). */
import { namesOf } from "../../platform/enum-names.ts";
import type { Fields } from "../../platform/fields.ts";
import { limits } from "../../platform/limits.ts";
import { Channel, MembershipStatus, type UserStatus } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { takeAll } from "../decode/elements.ts";
import { bodyFields, invalid, isFilled, objectsOf } from "../decode/fields.ts";
import { emailOf, externalIdOf, phoneOf } from "../decode/identifiers.ts";
import { bothAddresses, groupIdOf, oneOrMany, subscriptionStateOf } from "../decode/lists.ts";
import { idsOrAddressesOf, type NamedUser, namedUsersOf } from "../decode/named-users.ts";
import { offsetOf, onlyValue, type Query, queryOfCall, wholeOf } from "../decode/query.ts";
import { readReply, success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

type RouteDeps = Pick<Deps, "subscription">;

/** POST /subscription/status/set: one group. Profile fields in the body are ignored: this never updates a profile. */
export async function handleSubscriptionStatusSet(call: Call, { subscription }: RouteDeps): Promise<Reply> {
  const update = updateOf(bodyFields(call.body), ["external_id", "email", "phone"]);
  if (countOfNames(update) === 0) throw invalid("One of 'external_id', 'email' or 'phone' is required");
  return success({}, await subscription.setStatus({ scope: call.scope, updates: [update] }));
}

/** POST /v2/subscription/status/set: several groups, all of them or none: what is wrong with one refuses the request. */
export async function handleV2SubscriptionStatusSet(call: Call, { subscription }: RouteDeps): Promise<Reply> {
  const groups = objectsOf(bodyFields(call.body)["subscription_groups"], {
    notAList: "'subscription_groups' must be an array of objects",
    tooMany: "a single request may not contain more than 50 subscription groups",
  });
  const updates = takeAll(groups, "subscription_groups", (group) => {
    // The singular is what some clients send (api-facts 4)
    const external_ids = isFilled(group["external_ids"]) ? group["external_ids"] : group["external_id"];
    const update = updateOf({ ...group, external_ids }, ["external_ids", "emails", "phones"]);
    if (countOfNames(update) === 0) throw invalid("Each subscription group needs one of 'external_ids', 'emails' or 'phones'");
    return update;
  });
  return success({}, await subscription.setStatus({ scope: call.scope, updates }));
}

/** Of a group, with the names of the fields that name users; each is a list or a single value. */
function updateOf(fields: Fields, [ids, emails, phones]: readonly [ids: string, emails: string, phones: string]) {
  if (isFilled(fields[emails]) && isFilled(fields[phones])) throw invalid(bothAddresses);
  return {
    subscriptionGroupId: groupIdOf(fields["subscription_group_id"]),
    state: subscriptionStateOf(fields["subscription_state"]),
    externalIds: oneOrMany(fields[ids], ids, externalIdOf),
    emails: oneOrMany(fields[emails], emails, emailOf),
    phones: oneOrMany(fields[phones], phones, phoneOf),
  };
}

function countOfNames({ externalIds, emails, phones }: ReturnType<typeof updateOf>): number {
  return externalIds.length + emails.length + phones.length;
}

/** GET and POST /subscription/status/get: the state of users in one group, by identifier as it was sent. */
export async function handleSubscriptionStatusGet(call: Call, { subscription }: RouteDeps): Promise<Reply> {
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

/**
 * GET and POST /subscription/user/status: all groups of users, as it was recorded.
 * Users who share an address stand apart; an unknown user is left out. `total_count` is the number of users on all pages.
 */
export async function handleSubscriptionUserStatus(call: Call, { subscription }: RouteDeps): Promise<Reply> {
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

const channels = namesOf(Channel);
