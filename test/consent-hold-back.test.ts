/** Consent that cannot be applied, over RPC: whose records wait, and how they get on. */
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { putLaneMessage } from "../platform/lane/sqlite.ts";
import { limits } from "../platform/limits.ts";
import { packRecords } from "../platform/log/packed-records.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EmailStatus, StatusRecordSchema, SubscriptionRecordSchema, SubscriptionState } from "../proto/gen/heddle/lane/v1/lane_pb.ts";
import { MembershipStatus } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type ConsentParts, openConsentParts, scope } from "./consent-parts.ts";

let parts: ConsentParts;
beforeEach(async () => {
  parts = await openConsentParts();
});
afterEach(() => parts.close());

const externalId = (value: string) => ({ key: { case: "externalId" as const, value } });

function setGroup(state: SubscriptionState, to: { externalIds: string[] }) {
  return parts.subscription.setStatus({ scope, updates: [{ subscriptionGroupId: "letter", state, ...to }] });
}

/** Whether reads say that they are behind: by state, by user, in the history. */
async function isBehind(id: string): Promise<boolean[]> {
  const users = [externalId(id)];
  const reads = [
    parts.subscription.getStatus({ scope, subscriptionGroupId: "letter", users }),
    parts.subscription.getUserStatus({ scope, users }),
    parts.subscription.getHistory({ scope, users }),
  ];
  return (await Promise.all(reads)).map(({ behind }) => behind);
}

async function stateOf(id: string): Promise<MembershipStatus | undefined> {
  const { statuses } = await parts.subscription.getStatus({ scope, subscriptionGroupId: "letter", users: [externalId(id)] });
  return statuses[0];
}

/** Puts a record of the lane of `service` behind all others; as a newer build may have sent it. */
async function sendUnread(service: "subscription" | "messaging-status", key: string, sequence: number): Promise<void> {
  const cause = { sequence: BigInt(sequence) };
  const body = service === "subscription"
    ? toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, { workspaceId: "w", userId: key, cause }))
    : toBinary(StatusRecordSchema, create(StatusRecordSchema, { workspaceId: "w", address: key, cause }));
  await parts.database.write(() => void parts.database.prepare(putLaneMessage).run(service, packRecords([body])));
  await parts.settled();
}

test("what cannot be read holds back its user alone, is listed, and goes on in its order once it is skipped or can be read", async () => {
  await parts.track([{ external_id: "a", x: 1 }, { external_id: "b", x: 1 }]);
  await parts.settled();
  const [a] = (await parts.profile.resolveUsers({ scope, users: [externalId("a")] })).keys[0]?.users ?? [];
  const userId = a?.userId ?? "";
  await sendUnread("subscription", userId, 1);
  await setGroup(SubscriptionState.UNSUBSCRIBED, { externalIds: ["a", "b"] });
  await setGroup(SubscriptionState.SUBSCRIBED, { externalIds: ["a"] });
  await parts.settled();
  expect([await stateOf("a"), await stateOf("b")]).toEqual([MembershipStatus.UNKNOWN, MembershipStatus.UNSUBSCRIBED]);
  expect([await isBehind("a"), await isBehind("b")]).toEqual([[true, true, true], [false, false, false]]);
  const { records } = await parts.subscription.listSetAside({});
  expect(records.map(({ key, reason }) => [key, reason.replace(/,.*/, "")])).toEqual([
    [userId, "Expected a subscription record with a change"],
    [userId, "Waits for the record at 1.0"],
    [userId, "Waits for the record at 1.0"],
  ]);
  const shown = await parts.subscription.showSetAside({ workspaceId: "w", sequence: 1n, part: 0 });
  expect(JSON.parse(shown.record?.json ?? "")).toEqual({ workspace_id: "w", user_id: userId, cause: { sequence: "1" } });
  await expect(parts.subscription.showSetAside({ workspaceId: "w", sequence: 99n, part: 0 })).rejects.toMatchObject({
    reason: "NOT_FOUND",
  });
  expect((await parts.subscription.redriveSetAside({})).records).toBe(0);
  await setGroup(SubscriptionState.SUBSCRIBED, { externalIds: ["a"] });
  await parts.settled();
  const behind = { workspaceId: "w", sequence: records[1]?.sequence ?? 0n, part: records[1]?.part ?? 0 };
  await expect(parts.subscription.skipSetAside(behind)).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
  // As a build that can read it finds it
  const change = { case: "setMembership" as const, value: { subscriptionGroupId: "news", state: SubscriptionState.SUBSCRIBED } };
  const body = toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, { workspaceId: "w", userId, change }));
  await parts.database.write(() => void parts.database.prepare("UPDATE subscription_set_aside SET body = ? WHERE sequence = 1").run(body));
  expect((await parts.subscription.redriveSetAside({})).records).toBe(4);
  await parts.settled();
  expect((await parts.subscription.listSetAside({})).records).toEqual([]);
  expect([await stateOf("a"), await isBehind("a")]).toEqual([MembershipStatus.SUBSCRIBED, [false, false, false]]);
  const { entries } = await parts.subscription.getHistory({ scope, users: [externalId("a")] });
  expect(entries.map(({ what, before, after }) => [what, before, after])).toEqual([
    ["news", undefined, "subscribed"],
    ["letter", undefined, "unsubscribed"],
    ["letter", "unsubscribed", "subscribed"],
  ]);
});

test("what cannot be read holds back its address alone, until it is skipped", async () => {
  await parts.track([{ external_id: "a", email: "a@b.org" }, { external_id: "c", email: "c@b.org" }]);
  await sendUnread("messaging-status", "a@b.org", 0);
  const set = (status: EmailStatus, ...emails: string[]) => parts.messagingStatus.setEmailStatus({ scope, emails, status });
  await set(EmailStatus.UNSUBSCRIBED, "a@b.org", "c@b.org");
  await set(EmailStatus.OPTED_IN, "a@b.org");
  await parts.settled();
  /** By state, by list of addresses, by list of all, in an export, and in the history. */
  async function behind(...addresses: string[]): Promise<boolean[]> {
    const { messagingStatus, profile } = parts;
    const reads = [
      messagingStatus.getEmailStates({ scope, emails: addresses }),
      messagingStatus.listUnsubscribes({ scope, filter: { addresses } }),
      messagingStatus.listUnsubscribes({ scope }),
      profile.exportUsers({ scope, users: addresses.map((value) => ({ key: { case: "email" as const, value } })) }),
      messagingStatus.getHistory({ scope, addresses }),
    ];
    return (await Promise.all(reads)).map((answer) => answer.behind);
  }
  const statuses = async () => {
    return (await parts.messagingStatus.getEmailStates({ scope, emails: ["a@b.org", "c@b.org"] })).states.map(({ status }) => status);
  };
  expect(await statuses()).toEqual([EmailStatus.UNSPECIFIED, EmailStatus.UNSUBSCRIBED]);
  expect(await behind("a@b.org", "c@b.org")).toEqual([true, true, true, true, true]);
  expect(await behind("c@b.org")).toEqual([false, false, true, false, false]);
  expect((await parts.messagingStatus.listSetAside({})).records.map(({ key }) => key)).toEqual(["a@b.org", "a@b.org", "a@b.org"]);
  const { record } = await parts.messagingStatus.showSetAside({ workspaceId: "w", sequence: 0n, part: 0 });
  expect(JSON.parse(record?.json ?? "")).toEqual({ workspace_id: "w", address: "a@b.org", cause: {} });
  await parts.messagingStatus.skipSetAside({ workspaceId: "w", sequence: 0n, part: 0 });
  await parts.settled();
  expect(await statuses()).toEqual([EmailStatus.OPTED_IN, EmailStatus.UNSUBSCRIBED]);
  expect((await parts.messagingStatus.listSetAside({})).records).toEqual([]);
  await expect(parts.messagingStatus.skipSetAside({ workspaceId: "w", sequence: 0n, part: 0 })).rejects.toMatchObject({
    reason: "NOT_FOUND",
  });
});

test.each(["subscription", "messaging-status"] as const)(
  "a record of a newer build stops the lane of %s, and is not set aside",
  async (service) => {
    await parts.track([{ external_id: "a", email: "a@b.org" }]);
    await parts.settled();
    const cause = { sequence: 1n };
    const body = service === "subscription"
      ? toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, { version: 99, workspaceId: "w", userId: "u", cause }))
      : toBinary(StatusRecordSchema, create(StatusRecordSchema, { version: 99, workspaceId: "w", address: "c@d.org", cause }));
    await parts.database.write(() => void parts.database.prepare(putLaneMessage).run(service, packRecords([body])));
    const [set, emails] = [EmailStatus.UNSUBSCRIBED, ["a@b.org"]];
    if (service === "subscription") await setGroup(SubscriptionState.SUBSCRIBED, { externalIds: ["a"] });
    else await parts.messagingStatus.setEmailStatus({ scope, emails, status: set });
    const reason = "Cannot apply its lane: Expected a record of version 0 to 2, got 99: run the build that wrote it, or a newer one";
    await expect.poll(() => parts.health()[service === "subscription" ? 0 : 1]).toEqual({ ready: false, reason });
    expect((await parts[service === "subscription" ? "subscription" : "messagingStatus"].listSetAside({})).records).toEqual([]);
    const count = parts.database.prepare("SELECT count(*) AS count FROM lane_messages WHERE service = ?").get(service);
    expect(count).toMatchObject({ count: 2 });
  },
);

test("what a command sends beside the server is applied without news, and a skip that is asked twice passes over once", async () => {
  await parts.track([{ external_id: "a", email: "a@b.org" }]);
  await parts.settled();
  async function sendBeside(record: MessageInitShape<typeof StatusRecordSchema>): Promise<void> {
    const body = toBinary(StatusRecordSchema, create(StatusRecordSchema, { workspaceId: "w", ...record }));
    await parts.database.write(() => void parts.database.prepare(putLaneMessage).run("messaging-status", packRecords([body])));
  }
  const count = (table: string) => parts.database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"];
  async function soon(rows: number): Promise<void> {
    await expect.poll(() => {
      parts.clock.advance(limits.embeddedLaneLookMs);
      return [count("messaging_status_set_aside"), count("lane_messages")];
    }, { interval: 1 }).toEqual([rows, 0]);
  }
  await sendBeside({ address: "a@b.org", cause: { sequence: 900n } });
  await soon(1);
  const said = { status: EmailStatus.UNSUBSCRIBED };
  await sendBeside({ address: "a@b.org", cause: { sequence: 901n }, change: { case: "setEmailStatus", value: said } });
  await soon(2);
  const skipped = [{ sequence: 900n, part: 0, key: "a@b.org" }];
  for (let times = 0; times < 2; times += 1) await sendBeside({ change: { case: "redrive", value: { keys: ["a@b.org"], skipped } } });
  await soon(0);
  const { states } = await parts.messagingStatus.getEmailStates({ scope, emails: ["a@b.org"] });
  expect(states.map(({ status }) => status)).toEqual([EmailStatus.UNSUBSCRIBED]);
});

test("what can be read is reached behind as many as are looked at at once that cannot", async () => {
  await parts.track([{ external_id: "a", x: 1 }]);
  await parts.settled();
  const [a] = (await parts.profile.resolveUsers({ scope, users: [externalId("a")] })).keys[0]?.users ?? [];
  const userId = a?.userId ?? "";
  const change = { case: "setMembership" as const, value: { subscriptionGroupId: "letter", state: SubscriptionState.SUBSCRIBED } };
  const body = toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, { workspaceId: "w", userId, change }));
  const put =
    `INSERT INTO subscription_set_aside (workspace_id, sequence, part, lane_key, reason, body) VALUES ('w', ?, 0, ?, 'planted', ?)`;
  await parts.database.write(() => {
    const statement = parts.database.prepare(put);
    for (let sequence = 1; sequence <= 10_000; sequence += 1) statement.run(sequence, "other", Uint8Array.of(255));
    for (const sequence of [20_000, 20_001]) statement.run(sequence, userId, body);
  });
  const { records, more } = await parts.subscription.listSetAside({ limit: 2, after: { workspaceId: "w", sequence: 9_999n, part: 0 } });
  expect([records.map(({ sequence }) => sequence), more]).toEqual([[10_000n, 20_000n], true]);
  const rest = await parts.subscription.listSetAside({ limit: 2, after: { workspaceId: "w", sequence: 20_000n, part: 0 } });
  expect([rest.records.map(({ sequence }) => sequence), rest.more]).toEqual([[20_001n], false]);
  expect((await parts.subscription.showSetAside({ workspaceId: "w", sequence: 20_000n, part: 0 })).record?.json).toContain("letter");
  await parts.subscription.skipSetAside({ workspaceId: "w", sequence: 20_000n, part: 0 });
  await parts.settled();
  expect(await stateOf("a")).toBe(MembershipStatus.SUBSCRIBED);
  await parts.database.write(() => void parts.database.prepare(put).run(20_002, userId, body));
  expect((await parts.subscription.redriveSetAside({})).records).toBe(1);
  await parts.settled();
  const { records: left } = await parts.subscription.listSetAside({ after: { workspaceId: "w", sequence: 10_000n, part: 0 } });
  expect(left).toEqual([]);
});
