/** Saves what a person chose: all email first, then the groups; what could not be saved is said. */
import { Refusal } from "../../../platform/refusal.ts";
import type { Choices } from "./form-choices.ts";
import type { Consent, PageRequest, Person, States } from "./page-ports.ts";

export interface Saved {
  /** The choices that were taken. */
  readonly choices: Choices;
  /** Of the last change; empty where there was none. */
  readonly position: string;
}

/**
 * All email is first: who unsubscribes from everything is unsubscribed even if the rest fails. Refuses PARTLY_DONE where
 * something was saved and something was not, INPUT_INVALID where nothing of what was chosen can be, and what the service
 * that owns the state refuses where nothing was saved.
 */
export async function saveChoices(
  consent: Consent,
  request: PageRequest,
  { choices, person, states }: { readonly choices: Choices; readonly person: Person; readonly states: States },
): Promise<Saved> {
  const { global, groups } = choices;
  const known = new Map([...groups].filter(([id]) => states.groups.some((group) => group.id === id)));
  const { email } = person;
  const left = groups.size > known.size || (global !== undefined && email === null);
  let position = "";
  if (global !== undefined && email !== null) position = await consent.setGlobal(request, email, global);
  if (known.size > 0) {
    position = await consent.setGroups(request, person.externalId, known).catch((cause: unknown) => {
      throw position === "" ? cause : new Refusal("PARTLY_DONE", "The state of all email is saved, those of groups are not", { cause });
    });
  }
  if (left && position === "") throw new Refusal("INPUT_INVALID", "None of the choices can be saved");
  if (left) throw new Refusal("PARTLY_DONE", "A choice is about a group that is no more, or about email to somebody without an address");
  return { choices: { ...(global === undefined ? {} : { global }), groups: known }, position };
}
