/** The consent in an attributes object: `email_subscribe` and `subscription_groups`. */
import { isSameUuid } from "../../../../platform/identifier.ts";
import { limits } from "../../../../platform/limits.ts";
import { type Draft, isObject, type RawObject } from "../values/check-json.ts";
import { checkFlag, checkName } from "../values/check-text.ts";
import { type FieldFaults, Ignored, Verdict } from "../values/check-verdict.ts";
import type { ConsentChange, EmailStatus, MembershipState } from "../record/track-object.ts";

/**
 * The consent to hand on; undefined where there is none. Consent is never guessed: a value that is not one of the states
 * is reported and not taken, null too. `known`: the groups of the workspace, where they could be asked for; the change of a
 * group that is not among them is reported, and the other elements are taken. `use_double_opt_in_logic` is checked and goes no further.
 */
export function checkConsent(raw: RawObject, faults: FieldFaults, known?: ReadonlySet<string>): ConsentChange | undefined {
  const consent: Draft<ConsentChange> = {};
  const { email_subscribe: status, subscription_groups: groups } = raw;
  try {
    if (status !== undefined) consent.emailSubscribe = checkEmailStatus("email_subscribe", status);
  } catch (error) {
    faults.add("email_subscribe", error);
  }
  try {
    const changes = groups === undefined ? [] : checkGroups(groups, faults, known);
    if (changes.length > 0) consent.subscriptionGroups = changes;
  } catch (error) {
    faults.add("subscription_groups", error);
  }
  return consent.emailSubscribe === undefined && consent.subscriptionGroups === undefined ? undefined : consent;
}

export function checkEmailStatus(field: string, value: unknown): EmailStatus {
  if (value === "opted_in" || value === "subscribed" || value === "unsubscribed") return value;
  throw new Verdict(`'${field}' must be 'opted_in', 'subscribed' or 'unsubscribed'`);
}

type GroupChange = NonNullable<ConsentChange["subscriptionGroups"]>[number];

function checkGroups(value: unknown, faults: FieldFaults, known: ReadonlySet<string> | undefined): GroupChange[] {
  if (!Array.isArray(value)) throw new Verdict("'subscription_groups' must be an array of objects");
  if (value.length > limits.subscriptionGroupsPerObjectMax) {
    throw new Verdict(`'subscription_groups' must have at most ${limits.subscriptionGroupsPerObjectMax} elements`);
  }
  const changes: GroupChange[] = [];
  for (const element of value) {
    try {
      const change = checkGroup(element);
      changes.push(known === undefined || known.has(change.id) ? change : { ...change, id: declaredId(change.id, known) });
    } catch (error) {
      faults.add("subscription_groups", error);
    }
  }
  return changes;
}

/** A group's id that was sent in the case of another. */
function declaredId(sent: string, known: ReadonlySet<string>): string {
  for (const id of known) if (isSameUuid(id, sent)) return id;
  throw new Ignored(`Invalid subscription group ID: '${sent}' is no group of this workspace`);
}

function checkGroup(value: unknown): { id: string; state: MembershipState } {
  if (!isObject(value)) throw new Verdict("'subscription_groups' must be an array of objects");
  checkFlag(value, "use_double_opt_in_logic");
  const id = checkName("subscription_group_id", value["subscription_group_id"], limits.stringValueCharsMax);
  const state = value["subscription_state"];
  if (state === "subscribed" || state === "unsubscribed") return { id, state };
  throw new Verdict("'subscription_state' must be 'subscribed' or 'unsubscribed'");
}
