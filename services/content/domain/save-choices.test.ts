/** Which choices of a form are recorded, by what is known of the states before. */
import { expect, test } from "vitest";
import type { GlobalState, GroupState } from "./form-choices.ts";
import type { Consent, States } from "./page-ports.ts";
import { saveChoices } from "./save-choices.ts";

const request = { workspaceId: "w", requestId: "r", traceparent: "" };
const person = { userId: "u", email: "ann@example.com" };
const news = { id: "news", name: "News", channel: "email" as const };

async function recorded(
  { was, chosen, behind, all = false }: { was: GroupState; chosen: GroupState; behind: boolean; all?: boolean },
): Promise<[global: GlobalState | undefined, group: GroupState | undefined]> {
  let [global, group]: Awaited<ReturnType<typeof recorded>> = [undefined, undefined];
  const consent: Consent = {
    states: () => Promise.reject(new Error("Not asked for")),
    setGlobal: (_request, _email, state) => Promise.resolve((global = state, "p-1")),
    setGroups: (_request, _id, groups) => Promise.resolve((group = groups.get("news"), "p-2")),
  };
  const states: States = { global: was, groups: [news], memberships: new Map([["news", was]]), behind };
  await saveChoices(consent, request, { choices: { global: chosen, groups: new Map([["news", chosen]]) }, person, states, all });
  return [global, group];
}

test.each(
  [
    { was: "subscribed", chosen: "unsubscribed", behind: false, records: true },
    { was: "unsubscribed", chosen: "subscribed", behind: false, records: true },
    { was: "subscribed", chosen: "subscribed", behind: false, records: false },
    { was: "unsubscribed", chosen: "unsubscribed", behind: false, records: false },
    { was: "unsubscribed", chosen: "unsubscribed", behind: false, all: true, records: true },
    // What was set last may be "subscribed" and not applied yet
    { was: "unsubscribed", chosen: "unsubscribed", behind: true, records: true },
    // Nobody who left alone what the page showed takes back an unsubscribe that is not applied yet
    { was: "subscribed", chosen: "subscribed", behind: true, records: false },
  ] as const,
)("saveChoices() of $chosen where $was is shown, behind: $behind, records: $records", async ({ chosen, records, ...rest }) => {
  expect(await recorded({ chosen, ...rest })).toEqual(records ? [chosen, chosen] : [undefined, undefined]);
});
