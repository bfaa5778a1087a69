/** Groups and users as messages say them. */
import { numbersOf } from "../../../platform/enum-names.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type * as intake from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { Channel, MembershipStatus } from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type * as wire from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { emailToRead, phoneToRead } from "../../../platform/intake/addresses.ts";
import * as group from "../domain/group.ts";
import type { MembershipState } from "../domain/memberships.ts";

/** Refuses INPUT_INVALID for a key that is neither an id nor an address. */
export function keyToRead({ key }: intake.UserKey): Pick<intake.UserKey, "key"> {
  switch (key.case) {
    case "externalId":
    case "platformId":
      return { key };
    case "email":
      return { key: { case: "email", value: emailToRead(key.value) } };
    case "phone":
      return { key: { case: "phone", value: phoneToRead(key.value) } };
    default:
      throw new Refusal("INPUT_INVALID", "Expected an external id, an email or a phone, got another identifier");
  }
}

/** Of the ledger, too. */
export function statusOf(state: string | null | undefined): MembershipStatus {
  if (state === null || state === undefined) return MembershipStatus.UNKNOWN;
  return state === "subscribed" ? MembershipStatus.SUBSCRIBED : MembershipStatus.UNSUBSCRIBED;
}

/** Undefined: neither of the two. */
export function stateOf(status: MembershipStatus): MembershipState | undefined {
  if (status === MembershipStatus.SUBSCRIBED) return "subscribed";
  return status === MembershipStatus.UNSUBSCRIBED ? "unsubscribed" : undefined;
}

export function groupToMessage({ id, name, channel, archived }: group.Group) {
  return { id, name, channel: channelNumbers[channel], archived };
}

/** Refuses INPUT_INVALID for a group without a name or a channel. */
export function groupFromMessage(message: wire.Group | undefined): Omit<group.Group, "archived"> {
  const channel = group.channels.find((name) => channelNumbers[name] === message?.channel);
  if (message === undefined || message.name === "" || channel === undefined) {
    throw new Refusal("INPUT_INVALID", "Expected a subscription group with a name and a channel");
  }
  return { id: message.id, name: message.name, channel };
}

const channelNumbers = numbersOf(Channel);
