/** POST /subscription/status/set and its second version: who is meant, what is kept, what is refused. */
import { expect, test } from "vitest";
import { consentDeclaration, emailGroup, groupState, letteredGroup, otherEmailGroup, smsGroup, whatsappGroup } from "../consent.ts";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const heddle = heddleSuite({ apply: consentDeclaration });
const v1 = "/subscription/status/set";
const v2 = "/v2/subscription/status/set";

/** The same request in both versions. */
const versions: [string, (set: { group?: string; state?: unknown; ids?: unknown; emails?: unknown; phones?: unknown }) => object][] = [
  [v1, ({ group = emailGroup, state = "subscribed", ids, emails, phones }) => ({
    subscription_group_id: group,
    subscription_state: state,
    external_id: ids,
    email: emails,
    phone: phones,
  })],
  [v2, ({ group = emailGroup, state = "subscribed", ids, emails, phones }) => ({
    subscription_groups: [{ subscription_group_id: group, subscription_state: state, external_ids: ids, emails, phones }],
  })],
];

for (const [path, body] of versions) {
  test(`POST ${path} answers 201 and a read after it sees the state, each time`, async () => {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
    for (const [state, shown] of [["subscribed", "Subscribed"], ["unsubscribed", "Unsubscribed"], ["subscribed", "Subscribed"]] as const) {
      const answer = await heddle.post(path, body({ ids: [id], state }));
      expect([answer.status, answer.body]).toEqual([201, { message: "success" }]);
      expect(answer.headers.get("x-heddle-position")).toMatch(/\S/);
      expect(await groupState(heddle, emailGroup, { external_id: id })).toBe(shown);
    }
    expect(await groupState(heddle, otherEmailGroup, { external_id: id })).toBe("Unknown");
  });

  test(`POST ${path} means a group by its UUID in any case`, async () => {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
    await heddle.accept(path, body({ group: letteredGroup.toLowerCase(), ids: [id] }));
    expect(await groupState(heddle, letteredGroup, { external_id: id })).toBe("Subscribed");
    const subscription_groups = [{ subscription_group_id: letteredGroup.toUpperCase(), subscription_state: "unsubscribed" }];
    await heddle.track({ attributes: [{ external_id: id, subscription_groups }] });
    expect(await groupState(heddle, letteredGroup.toUpperCase(), { external_id: id })).toBe("Unsubscribed");
    const { body: { users } } = await heddle.get(`/subscription/user/status?external_id=${id}`);
    expect(users).toMatchObject([{ subscription_groups: [{ id: letteredGroup, status: "Unsubscribed" }] }]);
  });

  test(`POST ${path} by email or phone reaches all who share it`, async () => {
    const [email, phone] = [freshEmail(), freshPhone()];
    const ids = [fresh(), fresh(), fresh()];
    await heddle.track({ attributes: ids.map((external_id) => ({ external_id, email, phone })) });
    await heddle.accept(path, body({ emails: [email.toUpperCase()], state: "unsubscribed" }));
    await heddle.accept(path, body({ phones: [phone], group: smsGroup }));
    for (const external_id of ids) {
      expect(await groupState(heddle, emailGroup, { external_id })).toBe("Unsubscribed");
      expect(await groupState(heddle, smsGroup, { external_id })).toBe("Subscribed");
    }
    expect(await groupState(heddle, emailGroup, { email })).toBe("Unsubscribed");
    expect(await groupState(heddle, smsGroup, { phone })).toBe("Subscribed");
  });

  test(`POST ${path} by external id reaches that user alone`, async () => {
    const email = freshEmail();
    const [one, other] = [fresh(), fresh()];
    await heddle.track({ attributes: [{ external_id: one, email }, { external_id: other, email }] });
    await heddle.accept(path, body({ ids: [one] }));
    expect(await groupState(heddle, emailGroup, { external_id: one })).toBe("Subscribed");
    expect(await groupState(heddle, emailGroup, { external_id: other })).toBe("Unknown");
  });

  test(`POST ${path} takes an external id beside an address, and old names`, async () => {
    const [id, renamed, email] = [fresh(), fresh(), freshEmail()];
    await heddle.track({ attributes: [{ external_id: id, a: 1 }, { external_id: fresh(), email }] });
    await heddle.accept("/users/external_ids/rename", { external_id_renames: [{ current_external_id: id, new_external_id: renamed }] });
    await heddle.accept(path, body({ ids: [id], emails: [email] }));
    expect(await groupState(heddle, emailGroup, { external_id: renamed })).toBe("Subscribed");
    expect(await groupState(heddle, emailGroup, { email })).toBe("Subscribed");
  });

  test(`POST ${path} for somebody who is not there yet is kept, reads Unknown, and takes effect`, async () => {
    const [id, email, phone] = [fresh(), freshEmail(), freshPhone()];
    await heddle.accept(path, body({ ids: [id], state: "unsubscribed" }));
    await heddle.accept(path, body({ emails: [email], group: otherEmailGroup }));
    await heddle.accept(path, body({ phones: [phone], group: whatsappGroup }));
    expect(await groupState(heddle, emailGroup, { external_id: id })).toBe("Unknown");
    expect(await groupState(heddle, otherEmailGroup, { email })).toBe("Unknown");
    await heddle.track({ events: [{ external_id: id, name: "came", time: "2026-01-01T00:00:00Z" }] });
    expect(await groupState(heddle, emailGroup, { external_id: id })).toBe("Unsubscribed");
    await heddle.track({ attributes: [{ external_id: id, email, phone }] });
    expect(await groupState(heddle, otherEmailGroup, { external_id: id })).toBe("Subscribed");
    expect(await groupState(heddle, whatsappGroup, { external_id: id })).toBe("Subscribed");
  });

  const wrong: [string, object, string | RegExp][] = [
    ["an unknown group", body({ group: "no-such-group", ids: ["a"] }), "Invalid subscription group ID"],
    ["a group of another workspace", body({ group: "44444444-4444-4444-8444-444444444444", ids: ["a"] }), "Invalid subscription group ID"],
    ["no group", body({ group: "", ids: ["a"] }), /subscription_group_id/],
    [
      "both addresses",
      body({ emails: ["a@example.com"], phones: ["+12125550123"] }),
      "Either an email address or a phone number should be provided, but not both.",
    ],
    ["nobody", body({}), /external_id/],
    ["an empty list", body({ ids: [] }), /needs one of|One of/],
    ["a wrong state", body({ ids: ["a"], state: "Subscribed" }), /subscription_state/],
    ["no state", body({ ids: ["a"], state: null }), /subscription_state/],
    ["an opted_in state", body({ ids: ["a"], state: "opted_in" }), /subscription_state/],
    ["51 ids", body({ ids: Array.from({ length: 51 }, (_, at) => `${at}`) }), /exceeded/],
    ["51 emails", body({ emails: Array.from({ length: 51 }, (_, at) => `${at}@example.com`) }), /exceeded/],
    ["an invalid email", body({ emails: ["nobody"] }), /not a valid email/],
    ["an invalid phone", body({ group: smsGroup, phones: ["12"] }), /not a valid phone/],
    ["an email for an SMS group", body({ group: smsGroup, emails: ["a@example.com"] }), /sms/],
    ["a phone for an email group", body({ phones: ["+12125550123"] }), /email/],
    ["a WhatsApp group by email", body({ group: whatsappGroup, emails: ["a@example.com"] }), /whatsapp/],
  ];
  for (const [what, sent, message] of wrong) {
    test(`POST ${path} refuses ${what}`, async () => {
      const answer = await heddle.post(path, sent);
      expect(answer.status).toBe(400);
      if (typeof message === "string") expect(answer.body.message).toBe(message);
      else expect(answer.body.message).toMatch(message);
    });
  }

  test(`POST ${path} names the entry of a list that refuses the request`, async () => {
    const empty = await heddle.post(path, body({ ids: ["a", ""] }));
    const idsField = path === v1 ? "external_id" : "external_ids";
    expect([empty.status, empty.body.message]).toEqual([400, `'${idsField}' holds an empty id at 1`]);
    const { status, body: { message, errors } } = await heddle.post(path, body({ emails: [freshEmail(), "nobody"] }));
    const [first] = errors ?? [];
    const place = path === v1 ? ["email", 1, ""] : ["subscription_groups", 0, " ('emails' at 1)"];
    expect([status, errors?.length, first?.input_array, first?.index, first?.type]).toEqual([
      400,
      1,
      place[0],
      place[1],
      `${message}${place[2]}`,
    ]);
  });

  test(`POST ${path} takes 50 of each and digits without a plus`, async () => {
    const ids = Array.from({ length: 50 }, () => fresh());
    await heddle.accept(path, body({ ids }));
    const phone = freshPhone();
    await heddle.track({ attributes: [{ external_id: ids[0], phone }] });
    await heddle.accept(path, body({ group: smsGroup, phones: [phone.slice(1)] }));
    expect(await groupState(heddle, smsGroup, { external_id: ids[0] ?? "" })).toBe("Subscribed");
  });

  test(`POST ${path} with an Idempotency-Key: a repeat does nothing, another body is refused`, async () => {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
    const headers = { "idempotency-key": fresh("key") };
    expect((await heddle.post(path, body({ ids: [id] }), { headers })).status).toBe(201);
    await heddle.accept(path, body({ ids: [id], state: "unsubscribed" }));
    const repeat = await heddle.post(path, body({ ids: [id] }), { headers });
    expect([repeat.status, repeat.body, repeat.headers.get("idempotency-replayed")]).toEqual([201, { message: "success" }, "true"]);
    expect(await groupState(heddle, emailGroup, { external_id: id })).toBe("Unsubscribed");
    expect((await heddle.post(path, body({ ids: [fresh()] }), { headers })).status).toBe(422);
  });
}

test("POST /subscription/status/set takes single values and numbers, and updates no profile", async () => {
  const id = 30_000_000 + Math.floor(Math.random() * 1e9);
  const phone = freshPhone();
  await heddle.track({ attributes: [{ external_id: id, phone }] });
  await heddle.accept(v1, { subscription_group_id: emailGroup, subscription_state: "subscribed", external_id: id, first_name: "Eve" });
  await heddle.accept(v1, { subscription_group_id: smsGroup, subscription_state: "unsubscribed", phone });
  expect(await groupState(heddle, emailGroup, { external_id: String(id) })).toBe("Subscribed");
  expect(await groupState(heddle, smsGroup, { external_id: String(id) })).toBe("Unsubscribed");
  expect((await heddle.user(String(id))).first_name).toBeUndefined();
});

test("POST /v2/subscription/status/set takes several groups, all or none, and a single external_id", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  const group = (subscription_group_id: string) => ({ subscription_group_id, subscription_state: "subscribed", external_id: id });
  const refused = await heddle.post(v2, { subscription_groups: [group(emailGroup), group("unknown")] });
  expect([refused.status, refused.body.message]).toEqual([400, "Invalid subscription group ID"]);
  expect(await groupState(heddle, emailGroup, { external_id: id })).toBe("Unknown");
  await heddle.accept(v2, { subscription_groups: [group(emailGroup), group(smsGroup)] });
  expect(await groupState(heddle, emailGroup, { external_id: id })).toBe("Subscribed");
  expect(await groupState(heddle, smsGroup, { external_id: id })).toBe("Subscribed");
});

for (const subscription_groups of [undefined, [], {}, "x", [1], [null], Array.from({ length: 51 }, () => ({}))]) {
  test(`POST /v2/subscription/status/set refuses ${JSON.stringify(subscription_groups)?.slice(0, 40)}`, async () => {
    const answer = await heddle.post(v2, { subscription_groups });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  });
}

test("subscription_groups of /users/track reach all who share the email, in one order with direct calls", async () => {
  const email = freshEmail();
  const [one, other] = [fresh(), fresh()];
  const groups = (state: string) => [{ subscription_group_id: emailGroup, subscription_state: state }];
  await heddle.track({ attributes: [{ external_id: one, email }, { external_id: other, email }] });
  for (let round = 0; round < 5; round += 1) {
    await heddle.accept(v1, { subscription_group_id: emailGroup, subscription_state: "unsubscribed", email });
    await heddle.track({ attributes: [{ external_id: one, subscription_groups: groups("subscribed") }] });
    expect(await groupState(heddle, emailGroup, { external_id: other })).toBe("Subscribed");
    await heddle.accept(v1, { subscription_group_id: emailGroup, subscription_state: "unsubscribed", external_id: other });
    expect(await groupState(heddle, emailGroup, { external_id: other })).toBe("Unsubscribed");
    expect(await groupState(heddle, emailGroup, { external_id: one })).toBe("Subscribed");
    expect(await groupState(heddle, emailGroup, { email })).toBe("Unsubscribed");
  }
});

test("what very many are told holds up nobody else of the workspace, and what one of them is told later wins", async () => {
  const [email, bystander] = [freshEmail(), fresh()];
  const ids = Array.from({ length: 225 }, () => fresh());
  const [first = "", last = ""] = [ids[0], ids.at(-1)];
  for (let at = 0; at < ids.length; at += 75) {
    await heddle.track({ attributes: ids.slice(at, at + 75).map((external_id) => ({ external_id, email })) });
  }
  await heddle.track({ attributes: [{ external_id: bystander, a: 1 }] });
  /** Without the position of a write, and whether the answer may be older than what was answered before. */
  async function look(by: string, group = emailGroup): Promise<{ states: unknown; behind: boolean }> {
    const { body, headers } = await heddle.request("GET", `/subscription/status/get?subscription_group_id=${group}&${by}`);
    return { states: body["status"], behind: headers.get("x-heddle-read") === "behind" };
  }
  /** Rounds that met the fan-out under way; a quick one may be over before the test looks. */
  const underWay: unknown[] = [];
  for (let round = 0; round < 6 && !underWay.includes("held up only who asks for all"); round += 1) {
    const [state, shown] = round % 2 === 0 ? ["subscribed", "Subscribed"] : ["unsubscribed", "Unsubscribed"];
    for (let times = 0; times <= round; times += 1) {
      await heddle.accept(v1, { subscription_group_id: emailGroup, subscription_state: state, email });
    }
    await heddle.accept(v1, { subscription_group_id: emailGroup, subscription_state: state, external_id: bystander });
    const other = await look(`external_id=${bystander}`);
    const one = await look(`external_id=${last}`);
    const all = await look(`email=${email}`);
    if (!other.behind) expect(other.states).toEqual({ [bystander]: shown });
    if (!one.behind) expect(one.states).toEqual({ [last]: shown });
    if (all.behind) underWay.push(other.behind || one.behind ? { other, one, all } : "held up only who asks for all");
  }
  if (underWay.length > 0) expect(underWay).toContain("held up only who asks for all");
  await heddle.accept(v1, { subscription_group_id: otherEmailGroup, subscription_state: "unsubscribed", email });
  await heddle.accept(v1, { subscription_group_id: emailGroup, subscription_state: "subscribed", external_id: first });
  await heddle.accept(v1, { subscription_group_id: otherEmailGroup, subscription_state: "subscribed", external_id: last });
  expect(await groupState(heddle, otherEmailGroup, { external_id: last })).toBe("Subscribed");
  await expect.poll(async () => (await look(`email=${email}`)).behind, { timeout: 50_000 }).toBe(false);
  const some = [first, ...ids.slice(1, 25), ...ids.slice(-25, -1), last].map((id) => `external_id[]=${id}`);
  const { states } = await look(some.join("&"), otherEmailGroup);
  const unlike = Object.entries(states as Record<string, unknown>).filter(([, state]) => state !== "Unsubscribed");
  expect(unlike).toEqual([[last, "Subscribed"]]);
}, 120_000);

test("a merge never gives up an unsubscribe, undo gives both states back, a delete forgets", async () => {
  const [source, target] = [fresh(), fresh()];
  await heddle.track({ attributes: [{ external_id: source, a: 1 }, { external_id: target, a: 1 }] });
  const set = (external_id: string, group: string, state: string) =>
    heddle.accept(v1, { subscription_group_id: group, subscription_state: state, external_id });
  await set(source, emailGroup, "unsubscribed");
  await set(target, emailGroup, "subscribed");
  await set(source, smsGroup, "subscribed");
  const job_id = await heddle.merge(source, target);
  expect(await groupState(heddle, emailGroup, { external_id: target })).toBe("Unsubscribed");
  expect(await groupState(heddle, smsGroup, { external_id: target })).toBe("Subscribed");
  expect(await groupState(heddle, emailGroup, { external_id: source })).toBe("Unknown");
  await heddle.accept("/users/merge/undo", { job_id });
  expect(await groupState(heddle, emailGroup, { external_id: target })).toBe("Subscribed");
  expect(await groupState(heddle, smsGroup, { external_id: target })).toBe("Unknown");
  expect(await groupState(heddle, emailGroup, { external_id: source })).toBe("Unsubscribed");
  await heddle.accept("/users/delete", { external_ids: [source] });
  await heddle.track({ attributes: [{ external_id: source, a: 2 }] });
  expect(await groupState(heddle, emailGroup, { external_id: source })).toBe("Unknown");
});

test("an unsubscribe by an address that both sides of a merge have is theirs both after its undo", async () => {
  const [source, target] = [fresh(), fresh()];
  const email = `${fresh()}@example.com`;
  await heddle.track({ attributes: [{ external_id: source, email }, { external_id: target, email }] });
  await heddle.accept(v1, { subscription_group_id: emailGroup, subscription_state: "subscribed", external_id: source });
  const job_id = await heddle.merge(source, target);
  await heddle.accept(v1, { subscription_group_id: emailGroup, subscription_state: "unsubscribed", email });
  await heddle.accept("/users/merge/undo", { job_id });
  for (const external_id of [source, target]) expect(await groupState(heddle, emailGroup, { external_id })).toBe("Unsubscribed");
});

test("an unsubscribe in /users/track of one side of a merge is theirs both after its undo, where they have the same email", async () => {
  const [source, target] = [fresh(), fresh()];
  const email = `${fresh()}@example.com`;
  await heddle.track({ attributes: [{ external_id: source, email }, { external_id: target, email }] });
  const job_id = await heddle.merge(source, target);
  const subscription_groups = [{ subscription_group_id: emailGroup, subscription_state: "unsubscribed" }];
  await heddle.track({ attributes: [{ external_id: target, subscription_groups }] });
  await heddle.accept("/users/merge/undo", { job_id });
  for (const external_id of [source, target]) expect(await groupState(heddle, emailGroup, { external_id })).toBe("Unsubscribed");
});

test("what was answered outlives a crash right after the answer", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  for (const [state, shown] of [["unsubscribed", "Unsubscribed"], ["subscribed", "Subscribed"]] as const) {
    await heddle.accept(v1, { subscription_group_id: emailGroup, subscription_state: state, external_id: id });
    await heddle.heddle.kill("SIGKILL");
    await heddle.heddle.restart();
    expect(await groupState(heddle, emailGroup, { external_id: id })).toBe(shown);
  }
});

test("states and what waits outlive a crash", async () => {
  const [id, waiting] = [fresh(), fresh()];
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  await heddle.accept(v1, { subscription_group_id: emailGroup, subscription_state: "unsubscribed", external_id: [id, waiting] });
  await heddle.heddle.restart("SIGKILL");
  expect(await groupState(heddle, emailGroup, { external_id: id })).toBe("Unsubscribed");
  await heddle.track({ attributes: [{ external_id: waiting, a: 1 }] });
  expect(await groupState(heddle, emailGroup, { external_id: waiting })).toBe("Unsubscribed");
});
