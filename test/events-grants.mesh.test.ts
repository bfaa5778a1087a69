/** What docs/events.md grants a team, on a real nats-server: the events of its workspaces through its own consumer, and nothing else. */
import { readFileSync } from "node:fs";
import { AckPolicy, connect, type NatsConnection } from "nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "./servers/require.ts";
import { type NatsServer, startNats } from "./servers/nats.ts";

const stream = "heddle_events";
const passwords = { HEDDLE_NATS_PASSWORD: "of-heddle", CRM_PASSWORD: "of-crm", SHOP_PASSWORD: "of-shop" };
const apiPrefix = "heddle.API";
const subject = (workspace: string) => `${stream}.profile.user.updated.v1.${workspace}`;

await describeWith(["nats"], "grants of teams", () => {
  let server: NatsServer | undefined;
  const opened: NatsConnection[] = [];
  let admin: Awaited<ReturnType<NatsConnection["jetstreamManager"]>>;

  beforeAll(async () => {
    server = await startNats({ accounts: documentedAccounts() });
    admin = await (await as("heddle", passwords.HEDDLE_NATS_PASSWORD)).jetstreamManager();
    await admin.streams.add({ name: stream, subjects: [`${stream}.>`] });
    await admin.streams.add({ name: "heddle_log", subjects: ["heddle_log.>"] });
    for (const [name, workspaces] of [["crm", ["ws_1", "ws_2"]], ["shop", ["ws_3"]]] as const) {
      const filter_subjects = workspaces.map((workspace) => `${stream}.*.*.*.*.${workspace}`);
      await admin.consumers.add(stream, { durable_name: name, ack_policy: AckPolicy.Explicit, filter_subjects });
    }
  });
  afterAll(async () => {
    for (const connection of opened) await connection.close();
    await server?.stop();
  });

  async function as(user: string, pass: string): Promise<NatsConnection> {
    const connection = await connect({ servers: server?.url ?? "", user, pass });
    opened.push(connection);
    return connection;
  }

  test("a team reads the events of its workspaces and acknowledges them", async () => {
    const heddle = (await as("heddle", passwords.HEDDLE_NATS_PASSWORD)).jetstream();
    for (const workspace of ["ws_1", "ws_3", "ws_2"]) await heddle.publish(subject(workspace), workspace);
    const consumer = await (await as("crm", passwords.CRM_PASSWORD)).jetstream({ apiPrefix }).consumers.get(stream, "crm");
    const messages = await consumer.fetch({ max_messages: 3, expires: 2_000 });
    const read: string[] = [];
    for await (const message of messages) {
      read.push(message.string());
      message.ack();
    }
    expect(read).toEqual(["ws_1", "ws_2"]);
    await expect.poll(async () => (await admin.consumers.info(stream, "crm")).ack_floor.consumer_seq).toBe(2);
    expect((await admin.consumers.info(stream, "shop")).num_pending).toBe(1);
  });

  test("it reaches no other consumer, no stream and no log", async () => {
    const crm = await as("crm", passwords.CRM_PASSWORD);
    const seen: string[] = [];
    for (const all of [">", `${stream}.>`]) {
      crm.subscribe(all, { callback: (_, message) => void (isOwn(message.subject) || seen.push(message.subject)) });
    }
    const heddle = await as("heddle", passwords.HEDDLE_NATS_PASSWORD);
    await heddle.jetstream().publish(subject("ws_1"), "later");
    const create = { stream_name: stream, config: { durable_name: "own", ack_policy: "explicit" } };
    const asked: readonly (readonly [string, unknown])[] = [
      [`$JS.API.CONSUMER.MSG.NEXT.${stream}.shop`, { batch: 1 }],
      [`${apiPrefix}.CONSUMER.MSG.NEXT.${stream}.shop`, { batch: 1 }],
      [`${apiPrefix}.CONSUMER.INFO.${stream}.shop`, ""],
      [`${apiPrefix}.CONSUMER.DELETE.${stream}.crm`, ""],
      [`${apiPrefix}.STREAM.INFO.${stream}`, ""],
      [`$JS.API.CONSUMER.INFO.${stream}.shop`, ""],
      [`$JS.API.CONSUMER.DELETE.${stream}.shop`, ""],
      [`$JS.API.CONSUMER.DELETE.${stream}.crm`, ""],
      [`$JS.API.CONSUMER.CREATE.${stream}.own`, create],
      [`$JS.API.CONSUMER.DURABLE.CREATE.${stream}.own`, create],
      [`$JS.API.CONSUMER.LIST.${stream}`, ""],
      [`$JS.API.STREAM.INFO.${stream}`, ""],
      [`$JS.API.STREAM.INFO.heddle_log`, ""],
      [`$JS.API.STREAM.MSG.GET.${stream}`, { seq: 1 }],
      [`$JS.API.STREAM.PURGE.${stream}`, ""],
      [`$JS.API.DIRECT.GET.${stream}`, { seq: 1 }],
      [subject("ws_1"), "forged"],
      ["heddle_log.forged", "forged"],
    ];
    const before = await admin.streams.info(stream);
    for (const [name, body] of asked) {
      const answer = crm.request(name, typeof body === "string" ? body : JSON.stringify(body), { timeout: 500 });
      expect([name, await answer.then((message) => message.string(), (error: Error) => error.message)]).toEqual([
        name,
        expect.stringMatching(/^(503|TIMEOUT|no responders|.*not enabled.*)/i),
      ]);
    }
    expect((await admin.streams.info(stream)).state.last_seq).toBe(before.state.last_seq);
    expect((await admin.consumers.info(stream, "shop")).num_pending).toBe(1);
    expect(seen.filter((name) => !asked.some(([own]) => own === name))).toEqual([]);
  });

  test("its acknowledgements end nothing of another team, and an answer goes nowhere but to its own account", async () => {
    const [crm, shop] = [await as("crm", passwords.CRM_PASSWORD), await as("shop", passwords.SHOP_PASSWORD)];
    const message = await (await shop.jetstream({ apiPrefix }).consumers.get(stream, "shop")).next({ expires: 2_000 });
    if (message === null) throw new Error("Expected a message");
    const { streamSequence, deliverySequence, timestampNanos, pending } = message.info;
    crm.publish(`$JS.ACK.${stream}.shop.1.${streamSequence}.${deliverySequence}.${timestampNanos}.${pending}`, "+ACK");
    crm.subscribe("heddle_log.forged", { callback: () => undefined });
    // Sent by the server as the answer, were it to go where it is asked to
    crm.publish(`${apiPrefix}.CONSUMER.MSG.NEXT.${stream}.crm`, JSON.stringify({ batch: 1 }), { reply: "heddle_log.forged" });
    await crm.flush();
    await expect.poll(async () => (await admin.consumers.info(stream, "crm")).num_ack_pending).toBe(1);
    expect((await admin.consumers.info(stream, "shop")).num_ack_pending).toBe(1);
    expect((await admin.streams.info("heddle_log")).state.messages).toBe(0);
  });
});

/** Answers, and what the server reports to an account of its own requests. */
function isOwn(name: string): boolean {
  return name.startsWith("_INBOX") || name.startsWith("$JS.EVENT.ADVISORY.API");
}

/** As an operator would copy it. */
function documentedAccounts(): string {
  const [, text = ""] = /```conf\n([^]*?)```/.exec(readFileSync("docs/events.md", "utf8")) ?? [];
  return Object.entries(passwords).reduce((whole, [name, password]) => whole.replaceAll(`$${name}`, password), text);
}
