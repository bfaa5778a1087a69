/** What a request that sets memberships must be, as far as it depends on the groups of the workspace. */
import { Refusal } from "../../../platform/refusal.ts";
import { checkAddresses, type Group, groupOf } from "./group.ts";

export interface StatusUpdate {
  readonly groupId: string;
  readonly externalIds: readonly string[];
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly userIds: readonly string[];
}

/** The text that clients know (specification, POST /subscription/status/set). */
const bothAddresses = "Either an email address or a phone number should be provided, but not both.";

/** The ids of the groups as they are declared, one an update. Refuses INPUT_INVALID; nothing of the request is written then. */
export function checkSetStatus(groups: readonly Group[], updates: readonly StatusUpdate[]): readonly string[] {
  if (updates.length === 0) throw new Refusal("INPUT_INVALID", "At least one subscription group is required");
  return updates.map(({ groupId, externalIds, emails, phones, userIds }) => {
    if (emails.length > 0 && phones.length > 0) throw new Refusal("INPUT_INVALID", bothAddresses);
    if (externalIds.length + emails.length + phones.length + userIds.length === 0) {
      throw new Refusal("INPUT_INVALID", "At least one external id, email or phone is required");
    }
    const group = groupOf(groups, groupId);
    checkAddresses(group, { emails: emails.length > 0, phones: phones.length > 0 });
    return group.id;
  });
}
