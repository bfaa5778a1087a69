/** What a hosted page needs from other services. */
import type { GlobalState, GroupState } from "./form-choices.ts";
import type { PersonFields, WantedFields } from "./person-fields.ts";

/** Whose page it is. */
export interface Person {
  /** That of the link, also where the user was merged into another since: what is set by it goes back with the user. */
  readonly userId: string;
  readonly email: string | null;
}

interface Group {
  readonly id: string;
  readonly name: string;
  readonly channel: "email" | "other";
}

export interface States {
  /** Without an address: subscribed, as no other state was set. */
  readonly global: GlobalState;
  /** Those in use, in the order of the workspace. */
  readonly groups: readonly Group[];
  /** Of groups in which the person's state was set. */
  readonly memberships: ReadonlyMap<string, GroupState>;
  /** What was answered last may not be in it yet. */
  readonly behind: boolean;
}

/** On whose behalf: a page has no API key. */
export interface PageRequest {
  readonly workspaceId: string;
  readonly requestId: string;
  /** Of the span that asks; empty where the request is not recorded. */
  readonly traceparent: string;
}

/** How the consent ledger names a person's own page. */
export const pageActor = "preference_page";

/** The profile service's knowledge of people. Reads wait, bounded, for what was answered before. */
export interface People {
  byExternalId(
    request: PageRequest & { readonly actor: string; readonly readAfter: string },
    externalId: string,
  ): Promise<Person | undefined>;
  byUserId(request: PageRequest, userId: string): Promise<Person | undefined>;
  /** What the person has of these. A refusal, at the latest after `limits.pageFieldsWaitMs`, means that they cannot be read now. */
  fields(request: PageRequest, userId: string, wanted: WantedFields): Promise<PersonFields>;
}

/** Consent, kept by the services that own it. A write resolves with its position when it is durable. */
export interface Consent {
  states(request: PageRequest, person: Person): Promise<States>;
  setGlobal(request: PageRequest, email: string, state: GlobalState): Promise<string>;
  setGroups(request: PageRequest, userId: string, groups: ReadonlyMap<string, GroupState>): Promise<string>;
}
