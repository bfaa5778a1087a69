/** What tests of consent share: a declaration with groups of each channel, and reads of states. */
import type { Suite } from "./suite.ts";
import { apiKey, declared, demoKey, operatorPermissions, workspace } from "./declaration.ts";

export const emailGroup = "11111111-1111-4111-8111-111111111111";
export const otherEmailGroup = "11111111-1111-4111-8111-222222222222";
export const letteredGroup = "aaaaaaaa-1111-4111-8111-BBBBBBBBBBBB";
export const smsGroup = "22222222-2222-4222-8222-222222222222";
export const whatsappGroup = "33333333-3333-4333-8333-333333333333";

export const otherKey = "key-of-the-other-workspace";

export const consentDeclared = {
  demo: {
    apiKeys: [apiKey("all", demoKey, operatorPermissions)],
    subscriptionGroups: [
      { id: emailGroup, name: "Letter", channel: "email" },
      { id: otherEmailGroup, name: "News", channel: "email" },
      { id: letteredGroup, name: "Prose", channel: "email" },
      { id: smsGroup, name: "Offers", channel: "sms" },
      { id: whatsappGroup, name: "Chat", channel: "whatsapp" },
    ],
  },
  others: [workspace("other", [apiKey("all", otherKey)], {
    subscriptionGroups: [{ id: "44444444-4444-4444-8444-444444444444", name: "Foreign", channel: "email" }],
  })],
};

export const consentDeclaration = declared(consentDeclared);

/** The state of one identifier in a group. */
export async function groupState(heddle: Suite, group: string, by: Readonly<Record<string, string>>): Promise<unknown> {
  const query = new URLSearchParams({ subscription_group_id: group, ...by });
  const { status, body, text } = await heddle.get(`/subscription/status/get?${query}`);
  if (status !== 200) throw new Error(text);
  const [state] = Object.values(body["status"] as object);
  return state;
}
