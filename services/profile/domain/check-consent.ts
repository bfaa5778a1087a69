/** What an attributes object says about consent: `email_subscribe` and `subscription_groups`. */
import { limits } from "../../../platform/limits.ts";
import { type Draft, isObject, type RawObject } from "./check-json.ts";
import { checkFlag, checkName } from "./check-text.ts";
import { Verdict } from "./check-verdict.ts";
import type { ConsentChange, EmailStatus, MembershipState } from "./track-object.ts";

/**
 * The consent to hand on; undefined where there is none. Consent is never guessed: whatever is not one of the states
 * refuses the whole object, null too. Whether the group exists is for its owner to say. `use_double_opt_in_logic` is
 * checked and goes no further.
 */
export function checkConsent(raw: RawObject): ConsentChange | undefined {
  const consent: Draft<ConsentChange> = {};
  const { email_subscribe: status, subscription_groups: groups } = raw;
  if (status !== undefined) consent.emailSubscribe = checkEmailStatus("email_subscribe", status);
  if (groups !== undefined) {
    const changes = checkGroups(groups);
    if (changes.length > 0) consent.subscriptionGroups = changes;
  }
  return consent.emailSubscribe === undefined && consent.subscriptionGroups === undefined ? undefined : consent;
}

export function checkEmailStatus(field: string, value: unknown): EmailStatus {
  if (value === "opted_in" || value === "subscribed" || value === "unsubscribed") return value;
  throw new Verdict(`'${field}' must be 'opted_in', 'subscribed' or 'unsubscribed'`);
}

function checkGroups(value: unknown): NonNullable<ConsentChange["subscriptionGroups"]> {
  if (!Array.isArray(value)) throw new Verdict("'subscription_groups' must be an array of objects");
  if (value.length > limits.subscriptionGroupsPerObjectMax) {
    throw new Verdict(`'subscription_groups' must have at most ${limits.subscriptionGroupsPerObjectMax} elements`);
  }
  return value.map(checkGroup);
}

function checkGroup(value: unknown): { id: string; state: MembershipState } {
  if (!isObject(value)) throw new Verdict("'subscription_groups' must be an array of objects");
  checkFlag(value, "use_double_opt_in_logic");
  const id = checkName("subscription_group_id", value["subscription_group_id"], limits.stringValueCharsMax);
  const state = value["subscription_state"];
  if (state === "subscribed" || state === "unsubscribed") return { id, state };
  throw new Verdict("'subscription_state' must be 'subscribed' or 'unsubscribed'");
}
