/** Consent over RPC: an address is the same in every spelling, where it is written and where it is read; a state is one that there is. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { Refusal } from "../platform/refusal.ts";
import { type EmailMark, EmailStatus, PhoneMark, SubscriptionState } from "../proto/gen/heddle/lane/v1/lane_pb.ts";
import { MembershipStatus } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type ConsentParts, openConsentParts, scope } from "./consent-parts.ts";

let parts: ConsentParts;
beforeEach(async () => {
  parts = await openConsentParts();
});
afterEach(() => parts.close());

test("GetEmailStates, lists and GetHistory of messaging-status know an address in every spelling, as writes do", async () => {
  const { messagingStatus } = parts;
  await messagingStatus.setEmailStatus({ scope, emails: ["Ann@Example.com"], status: EmailStatus.UNSUBSCRIBED });
  await messagingStatus.reportBounce({ scope, emails: ["b@example.com"] });
  await messagingStatus.reportInvalidPhone({ scope, phones: ["(212) 555-0123"], reason: PhoneMark.DEACTIVATED });
  const emails = ["nobody", " B@EXAMPLE.com", "Ann@Example.com", "ann@example.com"];
  expect((await messagingStatus.getEmailStates({ scope, emails })).states).toMatchObject([
    { status: EmailStatus.UNSPECIFIED, rejected: false },
    { status: EmailStatus.UNSPECIFIED, rejected: true },
    { status: EmailStatus.UNSUBSCRIBED },
    { status: EmailStatus.UNSUBSCRIBED },
  ]);
  const ann = { addresses: ["ANN@example.com", "ann@example.com"] };
  expect((await messagingStatus.listUnsubscribes({ scope, filter: ann })).emails).toMatchObject([{ address: "ann@example.com" }]);
  const bounced = await messagingStatus.listHardBounces({ scope, filter: { addresses: ["B@example.com"] } });
  expect(bounced.emails).toMatchObject([{ address: "b@example.com" }]);
  const invalid = await messagingStatus.listInvalidPhones({ scope, filter: { addresses: ["212-555-0123"] } });
  expect(invalid.phones).toMatchObject([{ address: "+12125550123" }]);
  const history = async (...addresses: string[]) => (await messagingStatus.getHistory({ scope, addresses })).entries.length;
  expect([await history(...ann.addresses), await history("2125550123")]).toEqual([1, 1]);
});

test("SetStatus, GetStatus and GetUserStatus know an address in every spelling; what is none is refused where it is written", async () => {
  const { subscription } = parts;
  const set = (subscriptionGroupId: string, to: { emails?: string[]; phones?: string[] }) =>
    subscription.setStatus({ scope, updates: [{ subscriptionGroupId, state: SubscriptionState.SUBSCRIBED, ...to }] });
  await parts.track([{ external_id: "a", email: "ann@example.com", phone: "+12125550123" }]);
  await set("letter", { emails: ["Ann@Example.com"] });
  await set("offers", { phones: ["212-555-0123"] });
  const emails = ["ann@example.com", " ANN@example.com", "nobody"].map((value) => ({ key: { case: "email" as const, value } }));
  const phone = { key: { case: "phone" as const, value: "(212) 555-0123" } };
  expect((await subscription.getStatus({ scope, subscriptionGroupId: "letter", users: emails })).statuses)
    .toEqual([MembershipStatus.SUBSCRIBED, MembershipStatus.SUBSCRIBED, MembershipStatus.UNKNOWN]);
  expect((await subscription.getStatus({ scope, subscriptionGroupId: "offers", users: [phone] })).statuses)
    .toEqual([MembershipStatus.SUBSCRIBED]);
  expect((await subscription.getUserStatus({ scope, users: [phone] })).users).toMatchObject([{ externalId: "a" }]);
  for (const [group, to] of [["letter", { emails: ["ann@example.com", "nobody"] }], ["offers", { phones: ["12"] }]] as const) {
    await expect(set(group, { ...to } as { emails?: string[] })).rejects.toThrow(Refusal);
  }
});

test("a state that nobody knows is refused, and nothing is in the log: the resolver could do nothing with it", async () => {
  const { messagingStatus, subscription } = parts;
  const emails = ["ann@example.com"];
  for (const unknown of [0, 99, -1]) {
    const asked = [
      messagingStatus.setEmailStatus({ scope, emails, status: unknown as EmailStatus }),
      messagingStatus.markEmails({ scope, emails, mark: unknown as EmailMark }),
      messagingStatus.reportInvalidPhone({ scope, phones: ["+12125550123"], reason: unknown as PhoneMark }),
      subscription.setStatus({ scope, updates: [{ subscriptionGroupId: "letter", state: unknown as SubscriptionState, emails }] }),
    ];
    for (const one of asked) await expect(one).rejects.toMatchObject({ reason: "INPUT_INVALID" });
  }
});

test("the profile service knows an address in every spelling, and what can name nobody is nobody where it is read", async () => {
  const { profile, subscription, messagingStatus } = parts;
  await parts.track([{ external_id: "ann", email: "ann@example.com" }]);
  const long = "x".repeat(70_000);
  const users = [
    { case: "email" as const, value: " Ann@EXAMPLE.com" },
    { case: "externalId" as const, value: long },
    { case: "alias" as const, value: { $typeName: "heddle.intake.v1.Alias" as const, label: long, name: "a" } },
    { case: "platformId" as const, value: long },
    { case: "email" as const, value: long },
    { case: "phone" as const, value: "nobody" },
  ].map((key) => ({ key }));
  const { usersJson, unknown } = await profile.exportUsers({ scope, users, deviceId: long });
  expect([usersJson.length, unknown]).toEqual([1, [1, 2, 3, 4, 5, 6]]);
  expect((await profile.resolveUsers({ scope, users })).keys.map((key) => key.users.length)).toEqual([1, 0, 0, 0, 0, 0]);
  expect((await profile.listUsers({ scope, userIds: [long] })).usersJson).toEqual([]);
  await expect(profile.getMergeStatus({ scope, jobId: long })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  expect((await messagingStatus.getEmailStates({ scope, emails: [long] })).states).toMatchObject([{ rejected: false }]);
  const update = { subscriptionGroupId: "letter", state: SubscriptionState.SUBSCRIBED, externalIds: [long] };
  await expect(subscription.setStatus({ scope, updates: [update] })).rejects.toMatchObject({ reason: "INPUT_INVALID" });
});
