/** Consent over RPC: reports of senders, groups, links, the ledger and its damages, across the services that own it. */
import { putLaneMessage } from "../platform/lane/sqlite.ts";
import { packRecords } from "../platform/log/packed-records.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../platform/limits.ts";
import { Refusal } from "../platform/refusal.ts";
import { EmailMark, EmailStatus, PhoneMark, SubscriptionState } from "../proto/gen/heddle/lane/v1/lane_pb.ts";
import { Channel, MembershipStatus } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type ConsentParts, openConsentParts, scope } from "./consent-parts.ts";

let parts: ConsentParts;
beforeEach(async () => {
  parts = await openConsentParts();
});
afterEach(() => parts.close());

const externalId = (value: string) => ({ key: { case: "externalId" as const, value } });

function setGroup(state: SubscriptionState, to: { externalIds?: string[]; emails?: string[]; phones?: string[] }, group = "letter") {
  return parts.subscription.setStatus({ scope, updates: [{ subscriptionGroupId: group, state, ...to }] });
}

async function stateOf(id: string, group = "letter"): Promise<MembershipStatus | undefined> {
  const { statuses } = await parts.subscription.getStatus({ scope, subscriptionGroupId: group, users: [externalId(id)] });
  return statuses[0];
}

async function emailState(email: string) {
  const { states } = await parts.messagingStatus.getEmailStates({ scope, emails: [email] });
  return states[0];
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  return await work.then(() => "done", (error: unknown) => error instanceof Refusal ? error.reason : String(error));
}

describe("reports of senders", () => {
  test("ReportBounce rejects, ReportSpam marks; neither unsubscribes; each has its own removal", async () => {
    await parts.messagingStatus.reportBounce({ scope, emails: ["A@b.org"] });
    await parts.messagingStatus.reportSpam({ scope, emails: ["a@B.org"] });
    expect(await emailState("a@b.org")).toMatchObject({ status: EmailStatus.UNSPECIFIED, rejected: true, spam: true });
    await parts.messagingStatus.markEmails({ scope, emails: ["a@b.org"], mark: EmailMark.SPAM_REMOVED });
    expect(await emailState("a@b.org")).toMatchObject({ rejected: true, spam: false });
    await parts.messagingStatus.markEmails({ scope, emails: ["a@b.org"], mark: EmailMark.BOUNCE_REMOVED });
    expect(await emailState("a@b.org")).toMatchObject({ rejected: false });
  });

  test("ReportInvalidPhone lists the number with its reason until it is removed", async () => {
    const phone = "+12125550123";
    await parts.messagingStatus.reportInvalidPhone({ scope, phones: ["12125550123"], reason: PhoneMark.DEACTIVATED });
    const list = async () => (await parts.messagingStatus.listInvalidPhones({ scope, filter: { from: 0n } })).phones;
    expect(await list()).toMatchObject([{ address: phone, at: BigInt(parts.clock.now()), reason: PhoneMark.DEACTIVATED }]);
    await parts.messagingStatus.removeInvalidPhones({ scope, phones: [phone] });
    expect(await list()).toEqual([]);
  });

  test("what is no address, no reason or no state is refused", async () => {
    expect(await reasonOf(parts.messagingStatus.reportBounce({ scope, emails: ["nobody"] }))).toBe("INPUT_INVALID");
    expect(await reasonOf(parts.messagingStatus.reportBounce({ scope, emails: [] }))).toBe("INPUT_INVALID");
    expect(await reasonOf(parts.messagingStatus.reportInvalidPhone({ scope, phones: ["+12125550123"] }))).toBe("INPUT_INVALID");
    expect(await reasonOf(parts.messagingStatus.setEmailStatus({ scope, emails: ["a@b.org"] }))).toBe("INPUT_INVALID");
    expect(await reasonOf(parts.messagingStatus.reportSpam({ emails: ["a@b.org"] }))).toBe("INPUT_INVALID");
  });
});

describe("groups", () => {
  test("CreateGroup, ListGroups, ArchiveGroup: an archived group ignores changes and stays readable", async () => {
    const { group } = await parts.subscription.createGroup({ scope, group: { name: "Weekly", channel: Channel.EMAIL } });
    const id = group?.id ?? "";
    expect((await parts.subscription.listGroups({ scope })).groups.map(({ name }) => name).toSorted()).toEqual([
      "Letter",
      "News",
      "Offers",
      "Weekly",
    ]);
    await parts.track([{ external_id: "a", x: 1 }]);
    await setGroup(SubscriptionState.SUBSCRIBED, { externalIds: ["a"] }, id);
    expect(await stateOf("a", id)).toBe(MembershipStatus.SUBSCRIBED);
    expect((await parts.subscription.archiveGroup({ scope, subscriptionGroupId: id })).group?.archived).toBe(true);
    await setGroup(SubscriptionState.UNSUBSCRIBED, { externalIds: ["a"] }, id);
    await parts.track([{ external_id: "a", subscription_groups: [{ subscription_group_id: id, subscription_state: "unsubscribed" }] }]);
    expect(await stateOf("a", id)).toBe(MembershipStatus.SUBSCRIBED);
    expect(await reasonOf(parts.subscription.archiveGroup({ scope, subscriptionGroupId: "x" }))).toBe("NOT_FOUND");
  });

  test("a group that /users/track names and nobody declared keeps nothing", async () => {
    await parts.track([{ external_id: "a", subscription_groups: [{ subscription_group_id: "late", subscription_state: "subscribed" }] }]);
    await parts.settled();
    await parts.subscription.createGroup({ scope, group: { id: "late", name: "Late", channel: Channel.EMAIL } });
    expect(await stateOf("a", "late")).toBe(MembershipStatus.UNKNOWN);
  });
});

describe("one-click unsubscribe", () => {
  const useLink = (token: string) => parts.messagingStatus.useUnsubscribeLink({ token, requestId: "click" });

  async function tokenOf(email: string, subscriptionGroupId = ""): Promise<string> {
    return (await parts.messagingStatus.createUnsubscribeLink({ scope, email, subscriptionGroupId })).path.replace("/unsubscribe/", "");
  }

  test("opening changes nothing, using unsubscribes the address, again does no more", async () => {
    const token = await tokenOf("A@b.org");
    expect(await parts.messagingStatus.openUnsubscribeLink({ token })).toMatchObject({ email: "a@b.org", subscriptionGroupId: "" });
    expect(await emailState("a@b.org")).toMatchObject({ status: EmailStatus.UNSPECIFIED });
    await useLink(token);
    await useLink(token);
    expect(await emailState("a@b.org")).toMatchObject({ status: EmailStatus.UNSUBSCRIBED });
    const { entries } = await parts.messagingStatus.getHistory({ scope, addresses: ["a@b.org"] });
    expect(entries).toMatchObject([{ actor: "unsubscribe_link", requestId: "click", after: "unsubscribed" }]);
  });

  test("a link of a group reaches all who share the address, and no other group", async () => {
    await parts.track([{ external_id: "a", email: "a@b.org" }, { external_id: "b", email: "a@b.org" }]);
    await useLink(await tokenOf("a@b.org", "letter"));
    expect([await stateOf("a"), await stateOf("b")]).toEqual([MembershipStatus.UNSUBSCRIBED, MembershipStatus.UNSUBSCRIBED]);
    expect(await emailState("a@b.org")).toMatchObject({ status: EmailStatus.UNSPECIFIED });
  });

  test("of 20,000 forged tokens none opens or unsubscribes", async () => {
    const token = await tokenOf("a@b.org");
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let accepted = 0;
    for (let made = 0; made < 20_000; made += 1) {
      const at = made % token.length;
      const shift = 1 + Math.floor(made / token.length) % (letters.length - 1);
      const forged = `${token.slice(0, at)}${letters[(letters.indexOf(token[at] ?? "") + shift) % letters.length]}${token.slice(at + 1)}`;
      const reason = await reasonOf(made % 2 === 0 ? useLink(forged) : parts.messagingStatus.openUnsubscribeLink({ token: forged }));
      if (reason !== "NOT_FOUND") accepted += 1;
    }
    expect(accepted).toBe(0);
    expect(await emailState("a@b.org")).toMatchObject({ status: EmailStatus.UNSPECIFIED });
  }, 120_000);

  test("a new key takes new links; old ones stay good; another's are none", async () => {
    const old = await tokenOf("a@b.org");
    expect(await parts.messagingStatus.rotateLinkKey({})).toMatchObject({ keyId: "2" });
    await useLink(old);
    await useLink(await tokenOf("a@b.org"));
    const elsewhere = await openConsentParts();
    try {
      await elsewhere.messagingStatus.createUnsubscribeLink({ scope, email: "x@b.org" });
      expect(await reasonOf(elsewhere.messagingStatus.useUnsubscribeLink({ token: old }))).toBe("NOT_FOUND");
    } finally {
      await elsewhere.close();
    }
    for (const token of ["", "x", `${old}A`, old.slice(1), "A".repeat(5_000)]) {
      expect(await reasonOf(useLink(token)), token).toBe("NOT_FOUND");
    }
  });
});

describe("the consent ledger", () => {
  test("says which request set which state, until a time asked for", async () => {
    await parts.track([{ external_id: "a", email: "a@b.org" }]);
    await parts.subscription.setStatus({
      scope: { ...scope, requestId: "first" },
      updates: [{ subscriptionGroupId: "letter", state: SubscriptionState.SUBSCRIBED, emails: ["a@b.org"] }],
    });
    await parts.settled();
    const between = parts.clock.now();
    parts.clock.advance(1_000);
    await setGroup(SubscriptionState.UNSUBSCRIBED, { externalIds: ["a"] });
    await setGroup(SubscriptionState.UNSUBSCRIBED, { externalIds: ["a"] });
    const users = [externalId("a")];
    const { entries } = await parts.subscription.getHistory({ scope, users });
    expect(entries).toMatchObject([
      { index: 0, what: "letter", kind: "set", after: "subscribed", requestId: "first", actor: "key", previous: "" },
      { index: 1, what: "letter", kind: "set", before: "subscribed", after: "unsubscribed", previous: entries[0]?.hash },
    ]);
    expect((await parts.subscription.getHistory({ scope, users, until: BigInt(between) })).entries).toHaveLength(1);
    expect(await parts.subscription.verifyLedger({ scope })).toMatchObject({ entries: 2n });
    expect((await parts.subscription.verifyLedger({ scope })).damage).toBeUndefined();
  });

  test("is verified as a whole, or in pages for callers who ask for them", async () => {
    const people = Array.from({ length: limits.ledgerSubjectsPerAnswer + 5 }, (_, at) => `p${at}`);
    await parts.track(people.map((external_id) => ({ external_id, x: 1 })));
    await setGroup(SubscriptionState.UNSUBSCRIBED, { externalIds: people });
    await parts.settled();
    const whole = await parts.subscription.verifyLedger({ scope });
    expect([whole.entries, whole.next]).toEqual([BigInt(people.length), undefined]);
    const first = await parts.subscription.verifyLedger({ scope, from: "" });
    expect([first.entries, first.next]).toEqual([BigInt(limits.ledgerSubjectsPerAnswer), expect.stringMatching(/./)]);
    const last = await parts.subscription.verifyLedger({ scope, ...(first.next !== undefined && { from: first.next }) });
    expect([last.entries, last.next]).toEqual([5n, ""]);
  });

  test("what waited names the request that asked for it", async () => {
    await parts.subscription.setStatus({
      scope: { ...scope, requestId: "asked", actor: "asker" },
      updates: [{ subscriptionGroupId: "letter", state: SubscriptionState.UNSUBSCRIBED, externalIds: ["late"] }],
    });
    await parts.track([{ external_id: "late", x: 1 }]);
    const { entries } = await parts.subscription.getHistory({ scope, users: [externalId("late")] });
    expect(entries).toMatchObject([{ kind: "carried", after: "unsubscribed", requestId: "asked", actor: "asker" }]);
  });

  test.each(
    [
      ["subscription_ledger", "subscription"],
      ["messaging_status_ledger", "messagingStatus"],
    ] as const,
  )("verify names the first damaged entry of %s", async (table, service) => {
    await parts.track([{ external_id: "a", email: "a@b.org" }]);
    for (
      const [group, status] of [
        [SubscriptionState.SUBSCRIBED, EmailStatus.OPTED_IN],
        [SubscriptionState.UNSUBSCRIBED, EmailStatus.UNSUBSCRIBED],
        [SubscriptionState.SUBSCRIBED, EmailStatus.SUBSCRIBED],
      ] as const
    ) {
      await setGroup(group, { externalIds: ["a"] });
      await parts.messagingStatus.setEmailStatus({ scope, emails: ["a@b.org"], status });
    }
    await parts.settled();
    const verify = () => parts[service].verifyLedger({ scope });
    expect((await verify()).damage).toBeUndefined();
    await parts.database.write(() =>
      parts.database.handle.exec(`UPDATE ${table} SET body = replace(body, '"unsubscribed"', '"opted_out"') WHERE place = 1`)
    );
    expect((await verify()).damage).toMatchObject({ index: 1, reason: "The entry was changed" });
    await parts.database.write(() => parts.database.handle.exec(`DELETE FROM ${table} WHERE place = 1`));
    expect((await verify()).damage).toMatchObject({ index: 1, reason: "An entry is missing before this one" });
    await parts.database.write(() => parts.database.handle.exec(`DELETE FROM ${table}`));
    expect((await verify()).damage).toMatchObject({ index: 0 });
  });

  test("a merge shows on both sides, and a delete erases the history of all that went into the user", async () => {
    await parts.track([{ external_id: "s", x: 1 }, { external_id: "t", x: 1 }]);
    await setGroup(SubscriptionState.UNSUBSCRIBED, { externalIds: ["s"] });
    const update = { source: { key: externalId("s") }, target: { key: externalId("t") } };
    await parts.profile.mergeUsers({ scope, updates: [update] });
    const users = [externalId("t")];
    const { entries } = await parts.subscription.getHistory({ scope, users });
    expect(entries.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ["set", undefined, "unsubscribed"],
      ["merged", undefined, "unsubscribed"],
      ["merged", "unsubscribed", undefined],
    ]);
    await parts.profile.deleteUsers({ scope, users: [{ key: externalId("t") }] });
    await parts.settled();
    expect((await parts.subscription.verifyLedger({ scope })).entries).toBe(0n);
    expect(parts.database.handle.prepare("SELECT count(*) AS count FROM subscription_ledger").get()?.["count"]).toBe(0);
  });
});

test("a lane record that cannot be read is kept, shown and passed over", async () => {
  const body = packRecords([Uint8Array.of(255, 255)]);
  await parts.database.write(() => {
    for (const service of ["subscription", "messaging-status"]) parts.database.prepare(putLaneMessage).run(service, body);
  });
  await parts.settled();
  expect(parts.health()).toMatchObject(
    [{ ready: true, reason: /dead letters: 1/ }, { ready: true, reason: /dead letters: 1/ }].map(({ ready, reason }) => ({
      ready,
      reason: expect.stringMatching(reason),
    })),
  );
  await parts.track([{ external_id: "a", x: 1 }]);
  await setGroup(SubscriptionState.SUBSCRIBED, { externalIds: ["a"] });
  expect(await stateOf("a")).toBe(MembershipStatus.SUBSCRIBED);
});

test("an email shared by 10,000 users reaches them all, with one answer at once", async () => {
  for (let at = 0; at < 10_000; at += 2_000) {
    const ids = Array.from({ length: 2_000 }, (_, index) => ({ external_id: `${at + index}`, email: "all@b.org" }));
    await parts.track(ids);
  }
  await parts.settled();
  await setGroup(SubscriptionState.UNSUBSCRIBED, { emails: ["all@b.org"] });
  await parts.settled();
  const { statuses } = await parts.subscription.getStatus({
    scope,
    subscriptionGroupId: "letter",
    users: ["0", "4999", "9999"].map(externalId),
  });
  expect(statuses).toEqual([MembershipStatus.UNSUBSCRIBED, MembershipStatus.UNSUBSCRIBED, MembershipStatus.UNSUBSCRIBED]);
});

test("sides of a merge that can no longer be undone are forgotten, their history goes with the user", async () => {
  await parts.track([{ external_id: "s", x: 1 }, { external_id: "t", x: 1 }]);
  await setGroup(SubscriptionState.UNSUBSCRIBED, { externalIds: ["s"] });
  await parts.profile.mergeUsers({ scope, updates: [{ source: { key: externalId("s") }, target: { key: externalId("t") } }] });
  await parts.settled();
  const bodies = () =>
    parts.database.handle.prepare("SELECT group_concat(body) AS all_bodies FROM subscription_memberships").get()?.["all_bodies"];
  expect(bodies()).toContain('"mergeId"');
  function bodiesLater() {
    parts.clock.advance(limits.frozenSweepMs);
    return bodies();
  }
  parts.clock.advance(2 * 3_600_000);
  await expect.poll(bodiesLater).not.toContain('"mergeId"');
  expect((await parts.subscription.getHistory({ scope, users: [externalId("t")] })).entries).toHaveLength(3);
});
