/** Saves what a person changed: all email first, then the groups; what could not be saved is reported. */
import { findById } from "../../../platform/identifier.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Choices, GlobalState, GroupState } from "./form-choices.ts";
import type { Consent, PageRequest, Person, States } from "./page-ports.ts";

export interface Saved {
  /** What holds now of what was chosen; where the states are behind, of what was recorded. */
  readonly choices: Choices;
  /** Of the last change; empty where there was none. */
  readonly position: string;
}

/** The state that a page shows of a group, also of one whose state was never set. */
export function shownState(states: States, groupId: string): GroupState {
  return states.memberships.get(idOf(states, groupId)) ?? "unsubscribed";
}

/** As it was declared: a page may have it in another case. */
function idOf({ groups }: States, groupId: string): string {
  return findById(groups, groupId)?.id ?? groupId;
}

interface Chosen {
  readonly choices: Choices;
  readonly person: Person;
  readonly states: States;
}

/**
 * Only what differs from what the page shows is recorded: a group that the person leaves alone stays unset. Who is shown as subscribed and
 * leaves that alone takes back no unsubscribe that came elsewhere since; an "unsubscribed" counts whatever was shown, as a browser that goes
 * back may show a page of before. `shown`: as the form says; what it says nothing of was shown as it is now. `all`: the author
 * of the page asks for every choice to be recorded. Where the states are behind, what was set last may be the contrary: each "unsubscribed" is recorded then.
 * All email is first: a person who unsubscribes from everything is
 * unsubscribed even if the rest fails. Refuses PARTLY_DONE where
 * something was saved and something was not, INPUT_INVALID where nothing of what was chosen can be, and what the service
 * that owns the state refuses where nothing was saved.
 */
export async function saveChoices(
  consent: Consent,
  request: PageRequest,
  { choices, shown, person, states, all }: Chosen & { readonly shown: Choices; readonly all: boolean },
): Promise<Saved> {
  const { global } = choices;
  const groups = byDeclaredId(states, choices.groups);
  const known = new Map([...groups].filter(([id]) => states.groups.some((group) => group.id === id)));
  const { email } = person;
  const seen = seenStates(states, shown);
  const left = cannotBeSaved({ choices: { ...choices, groups }, person, states: seen }, known);
  let position = "";
  function isRecorded(state: GlobalState, before: GlobalState, now: GlobalState): boolean {
    if (all) return true;
    if (state === "unsubscribed") return states.behind || state !== now;
    return state !== before && (states.behind || state !== now);
  }
  const changed: Choices = {
    ...(global !== undefined && email !== null && isRecorded(global, seen.global, states.global) ? { global } : {}),
    groups: new Map([...known].filter(([id, state]) => isRecorded(state, shownState(seen, id), shownState(states, id)))),
  };
  if (changed.global !== undefined && email !== null) position = await consent.setGlobal(request, email, changed.global);
  if (changed.groups.size > 0) {
    position = await consent.setGroups(request, person.userId, changed.groups).catch((cause: unknown) => {
      throw position === "" ? cause : new Refusal("PARTLY_DONE", "The state of all email is saved, those of groups are not", { cause });
    });
  }
  if (left && known.size === 0 && (global === undefined || email === null)) {
    throw new Refusal("INPUT_INVALID", "None of the choices can be saved");
  }
  if (left) throw new Refusal("PARTLY_DONE", "A choice is about a group that is no more, or about email to somebody without an address");
  return { choices: states.behind ? changed : holding({ ...choices, groups: known }, changed, states), position };
}

/** As the person saw them. */
function seenStates(states: States, shown: Choices): States {
  const groups = byDeclaredId(states, shown.groups);
  return { ...states, global: shown.global ?? states.global, memberships: new Map([...states.memberships, ...groups]) };
}

function byDeclaredId(states: States, groups: Choices["groups"]): Choices["groups"] {
  return new Map([...groups].map(([id, state]) => [idOf(states, id), state]));
}

/** What was left alone holds as it was. */
function holding({ global, groups }: Choices, changed: Choices, states: States): Choices {
  return {
    ...(global === undefined ? {} : { global: changed.global ?? states.global }),
    groups: new Map([...groups.keys()].map((id) => [id, changed.groups.get(id) ?? shownState(states, id)])),
  };
}

/** Whether the person changed something that is about a group not `known`, or about email without having an address. */
function cannotBeSaved({ choices: { global, groups }, person, states }: Chosen, known: Choices["groups"]): boolean {
  if (person.email === null && global !== undefined && global !== states.global) return true;
  return [...groups].some(([id, state]) => !known.has(id) && state !== shownState(states, id));
}
