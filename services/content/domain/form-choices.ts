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

/** Undefined for a name that is no group's. */
export function groupOfField(field: string): string | undefined {
  return field.startsWith(groupPrefix) ? field.slice(groupPrefix.length) : undefined;
}

/** Ids of groups that a stored page can name: nothing in them ends or begins anything, wherever in HTML they stand. */
export const nameableId = /^[\w.-]{1,255}$/;

/** A hidden field of this name stands before each checkbox that a page shows: browsers send nothing of one that is left empty. */
export const boxField = "shown_box";

/** Hidden fields of this name say which states the page showed: what is sent with the same state was left alone. */
export const stateField = "shown_state";

/** What one of those says of a field: the value of its box, or its state. */
export function fieldMark(field: string, value: string): string {
  return `${field}.${value}`;
}

/** A form as it was sent. */
export interface SentForm {
  /** The last value of each name, as of a hidden field before a checkbox. */
  readonly values: ReadonlyMap<string, string>;
  /** The checkboxes that stood in it, as its own page said: the value of each by its field; empty where they differ. */
  readonly boxes: ReadonlyMap<string, string>;
  /** The states that its page said that it showed. */
  readonly shown: Choices;
}

export function sentForm(pairs: readonly (readonly [name: string, value: string])[]): SentForm {
  const boxes = new Map<string, string>();
  const groups = new Map<string, GroupState>();
  let global: GlobalState | undefined;
  for (const [name, said] of pairs) {
    // An id may have dots, a state has none
    const dot = Math.max(0, said.lastIndexOf("."));
    const [field, value] = [said.slice(0, dot), said.slice(dot + 1)];
    const groupId = groupOfField(field);
    if (name === boxField) boxes.set(field, (boxes.get(field) ?? value) === value ? value : "");
    if (name !== stateField) continue;
    if (field === globalField && isGlobalState(value)) global = value;
    if (groupId !== undefined && isGroupState(value)) groups.set(groupId, value);
  }
  return { values: new Map(pairs), boxes, shown: { ...(global === undefined ? {} : { global }), groups } };
}

export interface Choices {
  readonly global?: GlobalState;
  readonly groups: ReadonlyMap<string, GroupState>;
}

/**
 * `fields`: what the page asks for; what else is sent is not its. An empty value is no choice. `whole`: the page's own form
 * was sent, so a checkbox that stood in it and is absent was left empty, which says the opposite of its value; an emptied
 * "unsubscribed" of all email takes back only that, where the page showed it and it holds, never an opt-in. Refuses INPUT_INVALID for a value that is no state.
 */
export function choicesOf(
  { values, boxes, shown }: SentForm,
  fields: ReadonlySet<string>,
  of: { readonly whole: boolean; readonly global: GlobalState },
): Choices {
  const groups = new Map<string, GroupState>();
  const isOff = of.global === "unsubscribed" && (shown.global ?? of.global) === of.global;
  let global: GlobalState | undefined;
  for (const field of fields) {
    const value = values.get(field) ?? (of.whole ? emptied(field, boxes.get(field), isOff) : undefined) ?? "";
    if (value === "") continue;
    const groupId = groupOfField(field);
    if (groupId === undefined) global = globalOf(value);
    else groups.set(groupId, groupOf(value));
  }
  return { ...(global === undefined ? {} : { global }), groups };
}

function emptied(field: string, value: string | undefined, isOff: boolean): string | undefined {
  if (value === "subscribed" || value === "opted_in") return "unsubscribed";
  if (value !== "unsubscribed") return undefined;
  if (field !== globalField) return "subscribed";
  return isOff ? "subscribed" : undefined;
}

/** What a field may be sent with. */
export function statesOf(field: string): readonly string[] {
  return field === globalField ? globalStates : groupStates;
}

const groupStates: readonly string[] = ["subscribed", "unsubscribed"] satisfies GroupState[];
const globalStates: readonly string[] = ["opted_in", "subscribed", "unsubscribed"] satisfies GlobalState[];

function isGlobalState(value: string): value is GlobalState {
  return globalStates.includes(value);
}

function isGroupState(value: string): value is GroupState {
  return groupStates.includes(value);
}

function globalOf(value: string): GlobalState {
  if (isGlobalState(value)) return value;
  throw new Refusal("INPUT_INVALID", "The state of all email must be opted_in, subscribed or unsubscribed");
}

function groupOf(value: string): GroupState {
  if (isGroupState(value)) return value;
  throw new Refusal("INPUT_INVALID", "The state of a group must be subscribed or unsubscribed");
}
