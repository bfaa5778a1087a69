/** heddle log beside a running server, about consent that cannot be applied: shown, held back, skipped and tried once more. */
import { expect, test } from "vitest";
import { positionFromToken } from "../../platform/intake/position.ts";
import { runCommand } from "../command-line.ts";
import { consentDeclaration, emailGroup, groupState, otherEmailGroup } from "../consent.ts";
import { apiKey, demoKey, operatorPermissions } from "../declaration.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";
import { mend, sendRubbish, sendUnread, unreadPart, type UnreadRecord } from "../unread-consent.ts";

const operator = "an-operator-who-may-see-no-bodies";
const keys = [apiKey("operator", operator, ["console.operate"]), apiKey("whole", demoKey, [...operatorPermissions, "console.bodies"])];
const suite = heddleSuite({
  apply: consentDeclaration.replace(
    JSON.stringify(apiKey("all", demoKey, operatorPermissions)),
    keys.map((key) => JSON.stringify(key)).join(),
  ),
});

async function log(...args: string[]) {
  return await runCommand(["log", ...args], suite.heddle.commandEnv);
}

/** The demo workspace, which alone has users. */
async function workspaceOfEvents(): Promise<string> {
  const events = async () =>
    (await runCommand(["events", "--subject", "profile.user.updated.v1", "--limit", "1"], suite.heddle.commandEnv)).output;
  await expect.poll(events).toContain("ws_");
  return String((JSON.parse(await events()) as { scope: string }).scope);
}

interface Person {
  readonly id: string;
  readonly email: string;
}

function newPerson(): Person {
  return { id: fresh(), email: freshEmail() };
}

/** What the command says beside the history. */
async function historyErrors({ email }: Person): Promise<string> {
  return (await runCommand(["consent", "history", "--workspace", "demo", "--email", email], suite.heddle.commandEnv)).errors;
}

interface Unread {
  readonly lane: "subscription" | "messaging-status";
  readonly workspaceId: string;
  readonly sequence: number;
  readonly part: number;
}

async function unread(): Promise<readonly Unread[]> {
  return (JSON.parse((await log("status", "--json")).output) as { unread: Unread[] }).unread;
}

/** Those that hold others back, and those behind them, by lane. */
async function waiting(): Promise<string[]> {
  return (await unread()).map(({ lane }) => lane).sort();
}

async function setBoth(person: Person): Promise<void> {
  const update = { subscription_group_id: emailGroup, subscription_state: "unsubscribed", external_id: person.id };
  await suite.accept("/subscription/status/set", update);
  await suite.accept("/email/status", { email: person.email, subscription_state: "unsubscribed" });
}

/** What a group, a list and an export show, and which of them, and of the history, say that they are behind. */
async function seen({ id, email }: Person) {
  const state = await suite.get(`/subscription/status/get?subscription_group_id=${emailGroup}&external_id=${id}`);
  const groups = await suite.get(`/subscription/user/status?external_id=${id}`);
  const listed = await suite.get(`/email/unsubscribes?email=${email}`);
  const exported = await suite.post("/users/export/ids", { external_ids: [id] });
  const history = await suite.post("/console/users", { external_id: id });
  return {
    shown: [
      (state.body["status"] as Record<string, string>)[id],
      (listed.body["emails"] as unknown[]).length,
      exported.body.users?.[0]?.["email_subscribe"],
    ],
    behind: [state, groups, listed, exported, history].map(({ headers }) => headers.get("x-heddle-read")),
  };
}

const behind = ["behind", "behind", "behind", "behind", "behind"];
const current = [null, null, null, null, null];
const before = { shown: ["Unknown", 0, "subscribed"], behind };
const after = { shown: ["Unsubscribed", 1, "unsubscribed"], behind: current };

test("heddle log skip --lane, and redrive: who waits for a record that nobody can read, and how they get on", async () => {
  const [skipped, mended, other] = [newPerson(), newPerson(), newPerson()];
  const people = [skipped, mended, other];
  const { headers } = await suite.track({ attributes: people.map(({ id, email }) => ({ external_id: id, email })) });
  const sequence = positionFromToken(headers.get("x-heddle-position") ?? "")?.sequence ?? 0;
  const place = `${sequence}.${unreadPart}`;
  const workspaceId = await workspaceOfEvents();
  async function sendTo({ id, email }: Person): Promise<UnreadRecord[]> {
    const userId = String((await suite.user(id))["platform_id"]);
    const records: UnreadRecord[] = [
      { lane: "subscription", workspaceId, key: userId, groupId: otherEmailGroup, sequence },
      { lane: "messaging-status", workspaceId, key: email, groupId: "", sequence },
    ];
    for (const record of records) await sendUnread(suite.heddle, record);
    return records;
  }

  await sendTo(skipped);
  await setBoth(skipped);
  await expect.poll(() => seen(skipped)).toEqual(before);
  await setBoth(other);
  await expect.poll(() => seen(other)).toEqual(after);
  await expect.poll(() => historyErrors(skipped)).toContain("Not all that was answered");
  expect(await historyErrors(other)).toBe("");
  expect(await waiting()).toEqual(["messaging-status", "messaging-status", "subscription", "subscription"]);
  expect((await log("status")).output).toMatch(new RegExp(`CONSENT WAITS[^]*Waits for the record at ${sequence}[.]${unreadPart}`));
  expect(await log("redrive")).toMatchObject({ code: 0, output: "No user is blocked\n" });
  const skip = (lane: string, at: string) => log("skip", "--lane", lane, "--workspace", workspaceId, "--at", at);
  expect(await skip("subscription", "9.9")).toMatchObject({ code: 1, errors: expect.stringContaining("Expected a record that waits") });
  for (const lane of ["subscription", "messaging-status"]) {
    expect(await skip(lane, place)).toMatchObject({ code: 0, output: `The record at ${place} of the lanes of ${lane} is passed over\n` });
  }
  await expect.poll(() => seen(skipped)).toEqual(after);
  expect(await waiting()).toEqual([]);

  const records = await sendTo(mended);
  await setBoth(mended);
  await expect.poll(() => seen(mended)).toEqual(before);
  for (const record of records) await mend(suite.heddle, record);
  expect(await log("redrive")).toMatchObject({
    code: 0,
    output: expect.stringMatching(/\n4 dead letters of consent are tried once more\n/),
  });
  await expect.poll(() => seen(mended)).toEqual(after);
  expect(await groupState(suite, otherEmailGroup, { external_id: mended.id })).toBe("Subscribed");
  expect(await waiting()).toEqual([]);
});

test("what is no record holds up nobody, is shown, and goes when it is skipped", async () => {
  const person = newPerson();
  await suite.track({ attributes: [{ external_id: person.id, email: person.email }] });
  const workspaceId = await workspaceOfEvents();
  for (const lane of ["subscription", "messaging-status"] as const) await sendRubbish(suite.heddle, { lane, workspaceId });
  await setBoth(person);
  await expect.poll(waiting).toEqual(["messaging-status", "subscription"]);
  await expect.poll(async () => (await seen(person)).shown).toEqual(after.shown);
  for (const { lane, workspaceId: of, sequence, part } of await unread()) {
    expect(await log("skip", "--lane", lane, "--workspace", of, "--at", `${sequence}.${part}`)).toMatchObject({ code: 0 });
  }
  expect(await waiting()).toEqual([]);
});

test("/console/log shows the same to operators, who skip a record and try all once more", async () => {
  const [skipped, mended] = [newPerson(), newPerson()];
  const { headers } = await suite.track({ attributes: [skipped, mended].map(({ id, email }) => ({ external_id: id, email })) });
  const sequence = positionFromToken(headers.get("x-heddle-position") ?? "")?.sequence ?? 0;
  const at = `${sequence}.${unreadPart}`;
  const workspaceId = await workspaceOfEvents();
  const [letter, later] = [skipped, mended].map(({ email }) => {
    return { lane: "messaging-status", workspaceId, key: email, groupId: "", sequence } satisfies UnreadRecord;
  });
  if (letter === undefined || later === undefined) throw new Error("Expected two records");
  async function letters() {
    const { body } = await suite.get("/console/log");
    expect(body).toMatchObject({ blocked_users: [], away: [], message: "success" });
    return body["dead_letters"] as { lane: string; workspace_id: string; at: string; of: string; reason: string }[];
  }
  await sendUnread(suite.heddle, letter);
  await expect.poll(letters).toEqual([
    { lane: "messaging-status", workspace_id: workspaceId, of: skipped.email, at, reason: expect.stringMatching(/./) },
  ]);
  const record = { lane: "messaging-status", workspace_id: workspaceId, at };
  const refused = await suite.post("/console/log/skip", { records: [{ ...record, at: "9.9" }] });
  expect([refused.status, refused.headers.get("x-heddle-reason")]).toEqual([404, "NOT_FOUND"]);
  expect(await suite.post("/console/log/skip", { records: [record] })).toMatchObject({ status: 201, body: { skipped: 1 } });
  await expect.poll(letters).toEqual([]);

  await sendUnread(suite.heddle, later);
  await expect.poll(letters).toHaveLength(1);
  await mend(suite.heddle, later);
  const some = await suite.post("/console/log/redrive", { records: [record] });
  expect([some.status, some.body["message"]]).toEqual([400, "This request takes no fields, but has 'records'"]);
  expect(await letters()).toHaveLength(1);
  const again = await suite.post("/console/log/redrive", {});
  expect(again).toMatchObject({ status: 201, body: { blocked_users: 0, dead_letters: 1 } });
  await expect.poll(letters).toEqual([]);
});

test("what a dead letter says is shown to those who may see what was sent, and by heddle log show", async () => {
  const person = newPerson();
  const { headers } = await suite.track({ attributes: [{ external_id: person.id, email: person.email }] });
  const sequence = positionFromToken(headers.get("x-heddle-position") ?? "")?.sequence ?? 0;
  const at = `${sequence}.${unreadPart}`;
  const workspaceId = await workspaceOfEvents();
  await sendUnread(suite.heddle, { lane: "messaging-status", workspaceId, key: person.email, groupId: "", sequence });
  await expect.poll(waiting).toEqual(["messaging-status"]);
  const place = { lane: "messaging-status", workspace_id: workspaceId, at };
  const shown = await suite.post("/console/log/records", { records: [place] });
  const record = { workspace_id: workspaceId, address: person.email, cause: { request_id: "unread", part: unreadPart } };
  expect(shown).toMatchObject({ status: 200, body: { records: [{ record, bytes: expect.any(Number) }], message: "success" } });
  const [told] = shown.body["records"] as { bytes: number; first_bytes: string }[];
  expect(told?.first_bytes).toHaveLength(2 * (told?.bytes ?? 0));
  expect(Buffer.from(told?.first_bytes ?? "", "hex").toString()).toContain(person.email);
  const refused = await suite.post("/console/log/records", { records: [place] }, { key: operator });
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("'console.bodies'")]);
  const listed = await suite.get("/console/log", { key: operator });
  expect(listed.body["dead_letters"]).toEqual([{ ...place, reason: expect.any(String) }]);
  const lane = ["--lane", "messaging-status", "--workspace", workspaceId, "--at", at];
  expect(JSON.parse((await log("show", ...lane, "--json")).output)).toMatchObject({ record });
  expect((await log("show", ...lane)).output).toContain(person.email);
  expect(await log("skip", ...lane)).toMatchObject({ code: 0 });
  await expect.poll(waiting).toEqual([]);
  expect((await suite.post("/console/log/records", { records: [place] })).status).toBe(404);
});

test("of what is no record its size and bytes are shown", async () => {
  const workspaceId = await workspaceOfEvents();
  await sendRubbish(suite.heddle, { lane: "subscription", workspaceId });
  await expect.poll(waiting).toEqual(["subscription"]);
  const [{ sequence, part }] = await unread() as [Unread];
  const place = { lane: "subscription", workspace_id: "", at: `${sequence}.${part}` };
  const { body } = await suite.post("/console/log/records", { records: [place] });
  expect(body).toEqual({ records: [{ bytes: 1, first_bytes: "ff" }], message: "success" });
  expect(await suite.post("/console/log/skip", { records: [place] })).toMatchObject({ status: 201 });
  await expect.poll(waiting).toEqual([]);
});

test("a blocked user or dead letter that is not there is not found, and what names neither is refused with its field", async () => {
  for (const record of [{ workspace_id: "ws_1", platform_id: "0".repeat(24), at: "17.0" }, { partition: 0, at: "17" }]) {
    const answer = await suite.post("/console/log/skip", { records: [record] });
    expect([answer.status, answer.headers.get("x-heddle-reason")], answer.text).toEqual([404, "NOT_FOUND"]);
    expect((await suite.post("/console/log/records", { records: [record] })).status).toBe(404);
  }
  const wrong = { lane: "profile", workspace_id: "ws_1", at: "17.0" };
  const records: object[] = [wrong, { partition: -1, at: "17" }, { partition: 0, at: "17.0" }, { workspace_id: "ws_1", at: "17.0" }];
  for (const [at, field] of ["'lane'", "'partition'", "'at'", "'platform_id'"].entries()) {
    const answer = await suite.post("/console/log/skip", { records: [records[at]] });
    expect([answer.status, answer.body.message], field).toEqual([400, expect.stringContaining(field)]);
  }
  expect((await suite.post("/console/log/skip", { records: {} })).status).toBe(400);
});
