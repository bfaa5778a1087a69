/** What a person chose: a submitted form as states of all email and of groups. Pure. */
import { Refusal } from "../../../platform/refusal.ts";

export type GlobalState = "opted_in" | "subscribed" | "unsubscribed";
export type GroupState = "subscribed" | "unsubscribed";

/** The name of the global email state in `subscribed_state`, and of its form field. */
export const globalState = "email_global";
export const globalField = "email_global_state";

/** A hidden field of this name with the value `all` has every choice of the form recorded, also what the person left alone. */
export const recordField = "record_choices";

const groupPrefix = "subscription_group_";

export function groupField(groupId: string): string {
  return groupPrefix + groupId;
}

/** Ids of groups that a stored page can name: nothing in them ends or begins anything, wherever in HTML they stand. */
export const nameableId = /^[\w.-]{1,255}$/;

/** A hidden field of this name stands before each checkbox that a page shows: browsers send nothing of one that is left empty. */
export const boxField = "shown_box";

/** What that field says of a box. */
export function shownBox(field: string, value: string): string {
  return `${field}.${value}`;
}

/** A form as it was sent. */
export interface SentForm {
  /** The last value of each name, as of a hidden field before a checkbox. */
  readonly values: ReadonlyMap<string, string>;
  /** The checkboxes that stood in it, as its own page said: the value of each by its field; empty where they differ. */
  readonly boxes: ReadonlyMap<string, string>;
}

export function sentForm(pairs: readonly (readonly [name: string, value: string])[]): SentForm {
  const boxes = new Map<string, string>();
  for (const [name, said] of pairs) {
    if (name !== boxField) continue;
    // An id may have dots, a state has none
    const dot = said.lastIndexOf(".");
    const [field, value] = [said.slice(0, Math.max(0, dot)), said.slice(dot + 1)];
    boxes.set(field, (boxes.get(field) ?? value) === value ? value : "");
  }
  return { values: new Map(pairs), boxes };
}

export interface Choices {
  readonly global?: GlobalState;
  readonly groups: ReadonlyMap<string, GroupState>;
}

/**
 * `fields`: what the page asks for; what else is sent is not its. An empty value is no choice. `whole`: the page's own form
 * was sent, so a checkbox that stood in it and is absent was left empty, which says the opposite of its value; an emptied
 * "unsubscribed" of all email takes back only that, never an opt-in. Refuses INPUT_INVALID for a value that is no state.
 */
export function choicesOf(
  { values, boxes }: SentForm,
  fields: ReadonlySet<string>,
  of: { readonly whole: boolean; readonly global: GlobalState },
): Choices {
  const groups = new Map<string, GroupState>();
  let global: GlobalState | undefined;
  for (const field of fields) {
    const value = values.get(field) ?? (of.whole ? emptied(field, boxes.get(field), of.global) : undefined) ?? "";
    if (value === "") continue;
    if (field === globalField) global = globalOf(value);
    else groups.set(field.slice(groupPrefix.length), groupOf(value));
  }
  return { ...(global === undefined ? {} : { global }), groups };
}

function emptied(field: string, value: string | undefined, now: GlobalState): string | undefined {
  if (value === "subscribed" || value === "opted_in") return "unsubscribed";
  if (value !== "unsubscribed") return undefined;
  if (field !== globalField) return "subscribed";
  return now === "unsubscribed" ? "subscribed" : undefined;
}

/** What a field may be sent with. */
export function statesOf(field: string): readonly string[] {
  return field === globalField ? ["opted_in", "subscribed", "unsubscribed"] : ["subscribed", "unsubscribed"];
}

function globalOf(value: string): GlobalState {
  if (value === "opted_in" || value === "subscribed" || value === "unsubscribed") return value;
  throw new Refusal("INPUT_INVALID", "The state of all email must be opted_in, subscribed or unsubscribed");
}

function groupOf(value: string): GroupState {
  if (value === "subscribed" || value === "unsubscribed") return value;
  throw new Refusal("INPUT_INVALID", "The state of a group must be subscribed or unsubscribed");
}
