/** Which choices of a form are recorded, by what is known of the states before. */
import { expect, test } from "vitest";
import type { GlobalState, GroupState } from "./form-choices.ts";
import type { Consent, States } from "./page-ports.ts";
import { saveChoices } from "./save-choices.ts";

const request = { workspaceId: "w", requestId: "r", traceparent: "" };
const person = { userId: "u", email: "ann@example.com" };
const news = { id: "news", name: "News", channel: "email" as const };

interface Case {
  readonly was: GroupState;
  /** As the page said that was sent; absent: it said nothing. */
  readonly seen?: GroupState;
  readonly chosen: GroupState;
  readonly behind: boolean;
  readonly all?: boolean;
}

type Pair = [global: GlobalState | undefined, group: GroupState | undefined];

async function recorded({ was, seen, chosen, behind, all = false }: Case): Promise<{ readonly set: Pair; readonly said: Pair }> {
  let [global, group]: Pair = [undefined, undefined];
  const consent: Consent = {
    states: () => Promise.reject(new Error("Not asked for")),
    setGlobal: (_request, _email, state) => Promise.resolve((global = state, "p-1")),
    setGroups: (_request, _id, groups) => Promise.resolve((group = groups.get("news"), "p-2")),
  };
  const states: States = { global: was, groups: [news], memberships: new Map([["news", was]]), behind };
  const shown = seen === undefined ? { groups: new Map() } : { global: seen, groups: new Map([["news", seen]]) };
  const choices = { global: chosen, groups: new Map([["news", chosen]]) };
  const saved = await saveChoices(consent, request, { choices, shown, person, states, all });
  return { set: [global, group], said: [saved.choices.global, saved.choices.groups.get("news")] };
}

test.each(
  [
    { was: "subscribed", chosen: "unsubscribed", behind: false, records: true },
    { was: "unsubscribed", chosen: "subscribed", behind: false, records: true },
    { was: "subscribed", chosen: "subscribed", behind: false, records: false },
    { was: "unsubscribed", chosen: "unsubscribed", behind: false, records: false },
    { was: "unsubscribed", chosen: "unsubscribed", behind: false, all: true, records: true },
    // Left alone on a page that was open while something else was chosen elsewhere
    { was: "unsubscribed", seen: "subscribed", chosen: "subscribed", behind: false, records: false },
    // A browser that goes back may show a page of before, on which this is a choice
    { was: "subscribed", seen: "unsubscribed", chosen: "unsubscribed", behind: false, records: true },
    { was: "unsubscribed", seen: "subscribed", chosen: "subscribed", behind: false, all: true, records: true },
    // Chosen elsewhere too
    { was: "unsubscribed", seen: "subscribed", chosen: "unsubscribed", behind: false, records: false },
    { was: "unsubscribed", seen: "subscribed", chosen: "unsubscribed", behind: true, records: true },
    { was: "subscribed", seen: "unsubscribed", chosen: "subscribed", behind: true, records: true },
    // What was set last may be "subscribed" and not applied yet
    { was: "unsubscribed", chosen: "unsubscribed", behind: true, records: true },
    // Nobody who left alone what the page showed takes back an unsubscribe that is not applied yet, and nobody is told that it holds
    { was: "subscribed", chosen: "subscribed", behind: true, records: false },
  ] as const,
)("saveChoices() of $chosen where $seen was shown and $was holds, behind: $behind, records: $records", async ({ records, ...one }) => {
  const { set, said } = await recorded(one);
  const kept = one.behind ? undefined : one.was;
  expect(set).toEqual(records ? [one.chosen, one.chosen] : [undefined, undefined]);
  expect(said).toEqual(records ? [one.chosen, one.chosen] : [kept, kept]);
});
