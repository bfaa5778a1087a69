/** The Consent port by the services that own states: subscription groups, and the status of addresses. */
import type { Client } from "@connectrpc/connect";
import { namesOf, numbersOf } from "../../../platform/enum-names.ts";
import { EmailStatus, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { MessagingStatusService } from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { Channel, MembershipStatus, type SubscriptionService } from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { GroupState } from "../domain/form-choices.ts";
import { type Consent, pageActor, type PageRequest } from "../domain/page-ports.ts";

export interface ConsentClients {
  readonly subscription: Pick<Client<typeof SubscriptionService>, "listGroups" | "getUserStatus" | "setStatus">;
  readonly messagingStatus: Pick<Client<typeof MessagingStatusService>, "getEmailStates" | "setEmailStatus">;
}

export function consentOf({ subscription, messagingStatus }: ConsentClients): Consent {
  return {
    async states(request, { userId, email }) {
      const scope = scopeOf(request);
      const users = [{ key: { case: "platformId", value: userId } as const }];
      const [listed, status, emails] = await Promise.all([
        subscription.listGroups({ scope }),
        subscription.getUserStatus({ scope, users }),
        email === null ? undefined : messagingStatus.getEmailStates({ scope, emails: [email] }),
      ]);
      const memberships = (status.users[0]?.groups ?? []).map((set) =>
        [set.group?.id ?? "", set.status === MembershipStatus.SUBSCRIBED ? "subscribed" : "unsubscribed"] as const
      );
      return {
        global: globalStates.get(emails?.states[0]?.status ?? EmailStatus.UNSPECIFIED) ?? "subscribed",
        groups: listed.groups.filter(({ archived }) => !archived).map(({ id, name, channel }) => ({
          id,
          name,
          channel: channel === Channel.EMAIL ? "email" : "other",
        })),
        memberships: new Map<string, GroupState>(memberships),
        behind: status.behind || emails?.behind === true,
      };
    },
    async setGlobal(request, email, state) {
      return (await messagingStatus.setEmailStatus({ scope: scopeOf(request), emails: [email], status: statuses[state] })).position;
    },
    async setGroups(request, userId, groups) {
      const updates = [...groups].map(([subscriptionGroupId, state]) => ({
        subscriptionGroupId,
        state: state === "subscribed" ? SubscriptionState.SUBSCRIBED : SubscriptionState.UNSUBSCRIBED,
        userIds: [userId],
      }));
      return (await subscription.setStatus({ scope: scopeOf(request), updates })).position;
    },
  };
}

/** Choices are states, so a form that is sent twice needs no key of its own. */
function scopeOf({ workspaceId, requestId, traceparent }: PageRequest) {
  return { workspaceId, requestId, actor: pageActor, route: "/preferences/:token", traceparent };
}

const statuses = numbersOf(EmailStatus);
const globalStates = namesOf(EmailStatus);
