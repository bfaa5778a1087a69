/** What a person chose: a submitted form as states of all email and of groups. Pure. */
import { Refusal } from "../../../platform/refusal.ts";

export type GlobalState = "opted_in" | "subscribed" | "unsubscribed";
export type GroupState = "subscribed" | "unsubscribed";

/** The name of the global email state in `subscribed_state`, and of its form field. */
export const globalState = "email_global";
export const globalField = "email_global_state";

/** A hidden field of this name with the value `all` has every choice of the form recorded, also what the person left alone. */
export const recordField = "record_choices";

/** Made of letters, digits, hyphens and underscores only, so it may stand anywhere in HTML. */
export function groupField(groupId: string): string {
  return `subscription_group_${groupId}`;
}

/** The group of a form field's name; undefined for another name. */
function groupOfField(name: string): string | undefined {
  return /^subscription_group_([\w-]{1,255})$/.exec(name)?.[1];
}

export interface FormFields {
  /** What the page asks for: what else is sent is not its. */
  readonly fields: ReadonlySet<string>;
  /** Fields that are nothing but one checkbox, with its value. */
  readonly boxes: ReadonlyMap<string, string>;
}

export interface Choices {
  readonly global?: GlobalState;
  readonly groups: ReadonlyMap<string, GroupState>;
}

/**
 * The last value of a name holds, as of a hidden field before a checkbox; an empty value is no choice. `whole`: the page's
 * own form was sent, so a checkbox that is absent was left empty, which says the opposite of its value; an emptied
 * "unsubscribed" of all email takes back only that, never an opt-in. Refuses INPUT_INVALID for a value that is no state.
 */
export function choicesOf(
  sent: ReadonlyMap<string, string>,
  page: FormFields,
  of: { readonly whole: boolean; readonly global: GlobalState },
): Choices {
  const groups = new Map<string, GroupState>();
  let global: GlobalState | undefined;
  for (const field of page.fields) {
    const value = sent.get(field) ?? (of.whole ? emptied(field, page.boxes.get(field), of.global) : undefined) ?? "";
    if (value === "") continue;
    const groupId = groupOfField(field);
    if (groupId === undefined) global = globalOf(value);
    else groups.set(groupId, groupOf(value));
  }
  return { ...(global === undefined ? {} : { global }), groups };
}

function emptied(field: string, value: string | undefined, now: GlobalState): string | undefined {
  if (value === "subscribed" || value === "opted_in") return "unsubscribed";
  if (value !== "unsubscribed") return undefined;
  if (field !== globalField) return "subscribed";
  return now === "unsubscribed" ? "subscribed" : undefined;
}

function globalOf(value: string): GlobalState {
  if (value === "opted_in" || value === "subscribed" || value === "unsubscribed") return value;
  throw new Refusal("INPUT_INVALID", "The state of all email must be opted_in, subscribed or unsubscribed");
}

function groupOf(value: string): GroupState {
  if (value === "subscribed" || value === "unsubscribed") return value;
  throw new Refusal("INPUT_INVALID", "The state of a group must be subscribed or unsubscribed");
}
