/** POST /email/status, /email/blocklist, the removals, and the lists that show them. */
import { expect, test } from "vitest";
import { consentDeclaration, emailGroup, groupState } from "../consent.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const heddle = heddleSuite({ apply: consentDeclaration });
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const today = `start_date=${day(-1)}&end_date=${day(2)}`;

async function exported(email: string): Promise<unknown[]> {
  return (await heddle.find({ email_address: email })).map((user) => user["email_subscribe"]);
}

async function listed(route: string, email: string): Promise<readonly Record<string, string>[]> {
  const answer = await heddle.get(`/email/${route}?email=${encodeURIComponent(email)}`);
  expect(answer.status).toBe(200);
  expect(answer.body.message).toBe("success");
  return answer.body["emails"] as Record<string, string>[];
}

test("POST /email/status: every state, seen by all who share the address, each time", async () => {
  const email = freshEmail();
  await heddle.track({ attributes: [{ external_id: fresh(), email }, { external_id: fresh(), email }] });
  expect(await exported(email)).toEqual(["subscribed", "subscribed"]);
  for (const state of ["opted_in", "unsubscribed", "subscribed"]) {
    const answer = await heddle.post("/email/status", { email: email.toUpperCase(), subscription_state: state });
    expect([answer.status, answer.body]).toEqual([201, { message: "success" }]);
    expect(await exported(email)).toEqual([state, state]);
  }
});

test("POST /email/status for an address nobody has is kept and shows when somebody gets it", async () => {
  const [email, id] = [freshEmail(), fresh()];
  await heddle.accept("/email/status", { email: [email], subscription_state: "unsubscribed" });
  expect(await listed("unsubscribes", email)).toMatchObject([{ email }]);
  await heddle.track({ attributes: [{ external_id: id, email }] });
  expect((await heddle.user(id))["email_subscribe"]).toBe("unsubscribed");
  const other = freshEmail();
  await heddle.track({ attributes: [{ external_id: id, email: other }] });
  expect((await heddle.user(id))["email_subscribe"]).toBe("subscribed");
});

test("email_subscribe of a user without an email reads back as it was accepted, and goes to the email that the user gets", async () => {
  for (const state of ["unsubscribed", "opted_in", "subscribed"]) {
    const [email, id] = [freshEmail(), fresh()];
    await heddle.track({ attributes: [{ external_id: id, email_subscribe: state }] });
    expect((await heddle.user(id))["email_subscribe"]).toBe(state);
    await heddle.track({ attributes: [{ external_id: id, email }] });
    expect(await exported(email)).toEqual([state]);
  }
});

test("an unsubscribe that waits for an email is shown by the merge preview and after the merge", async () => {
  const [merged, kept] = [fresh(), fresh()];
  await heddle.track({ attributes: [{ external_id: merged, email_subscribe: "unsubscribed" }, { external_id: kept, a: 1 }] });
  const merge_updates = [{ identifier_to_merge: { external_id: merged }, identifier_to_keep: { external_id: kept } }];
  const preview = await heddle.post("/users/merge/preview", { merge_updates });
  expect(preview.body).toMatchObject({ would_merge: true, user: { email_subscribe: "unsubscribed" } });
  await heddle.accept("/users/merge", { merge_updates });
  expect((await heddle.user(kept))["email_subscribe"]).toBe("unsubscribed");
});

test("email_subscribe of /users/track is the same state, in one order with direct calls", async () => {
  const [email, id] = [freshEmail(), fresh()];
  await heddle.track({ attributes: [{ external_id: id, email, email_subscribe: "opted_in" }] });
  expect(await exported(email)).toEqual(["opted_in"]);
  await heddle.accept("/email/status", { email, subscription_state: "unsubscribed" });
  expect(await exported(email)).toEqual(["unsubscribed"]);
  await heddle.track({ attributes: [{ external_id: id, email_subscribe: "subscribed" }] });
  expect(await exported(email)).toEqual(["subscribed"]);
});

test("a status that waited with a user never lifts the unsubscribe of the address", async () => {
  const [email, id] = [freshEmail(), fresh()];
  await heddle.track({ attributes: [{ external_id: id, email_subscribe: "opted_in" }] });
  await heddle.accept("/email/status", { email, subscription_state: "unsubscribed" });
  await heddle.track({ attributes: [{ external_id: id, email }] });
  expect(await exported(email)).toEqual(["unsubscribed"]);
});

for (const path of ["/email/blocklist", "/email/blacklist"]) {
  test(`POST ${path} unsubscribes and rejects; only the removal lifts the rejection`, async () => {
    const [email, alone] = [freshEmail(), freshEmail()];
    await heddle.track({ attributes: [{ external_id: fresh(), email }] });
    const answer = await heddle.post(path, { email: [email, alone] });
    expect([answer.status, answer.body]).toEqual([201, { message: "success" }]);
    for (const one of [email, alone]) {
      expect(await listed("unsubscribes", one)).toHaveLength(1);
      expect(await listed("hard_bounces", one)).toMatchObject([{ email: one }]);
    }
    expect(await exported(email)).toEqual(["unsubscribed"]);
    await heddle.accept("/email/status", { email, subscription_state: "opted_in" });
    expect(await exported(email)).toEqual(["opted_in"]);
    expect(await listed("hard_bounces", email)).toHaveLength(1);
    await heddle.accept("/email/spam/remove", { email });
    expect(await listed("hard_bounces", email)).toHaveLength(1);
    const removed = await heddle.post("/email/bounce/remove", { email });
    expect([removed.status, removed.body]).toEqual([201, { message: "success" }]);
    expect(await listed("hard_bounces", email)).toEqual([]);
  });

  test(`POST ${path} takes one address as text and 50 in a list`, async () => {
    const email = freshEmail();
    await heddle.accept(path, { email });
    expect(await listed("hard_bounces", email)).toHaveLength(1);
    await heddle.accept(path, { email: Array.from({ length: 50 }, () => freshEmail()) });
  });
}

test("a global unsubscribe does not change what a group shows", async () => {
  const [email, id] = [freshEmail(), fresh()];
  await heddle.track({ attributes: [{ external_id: id, email }] });
  await heddle.accept("/subscription/status/set", { subscription_group_id: emailGroup, subscription_state: "subscribed", external_id: id });
  await heddle.accept("/email/status", { email, subscription_state: "unsubscribed" });
  expect(await groupState(heddle, emailGroup, { external_id: id })).toBe("Subscribed");
});

test("look-alikes are other addresses", async () => {
  const name = fresh("kim");
  const plain = `${name}@example.com`;
  await heddle.accept("/email/blocklist", { email: plain });
  for (const other of [plain.replace("k", "\u212a"), plain.replace("i", "\u0131"), plain.replace("kim", "kim+a")]) {
    const answer = await heddle.get(`/email/hard_bounces?email=${encodeURIComponent(other)}`);
    expect(answer.body["emails"] ?? [], other).toEqual([]);
  }
  expect(await listed("hard_bounces", ` ${plain.toUpperCase()}`.trim())).toHaveLength(1);
});

for (const path of ["/email/status", "/email/blocklist", "/email/blacklist", "/email/bounce/remove", "/email/spam/remove"]) {
  for (
    const email of [
      undefined,
      null,
      [],
      "",
      "nobody",
      5,
      {},
      ["a@example.com", "nobody"],
      Array.from({ length: 51 }, (_, at) => `${at}@example.com`),
    ]
  ) {
    test(`POST ${path} refuses ${JSON.stringify(email)?.slice(0, 30)}`, async () => {
      const answer = await heddle.post(path, { email, subscription_state: "subscribed" });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(/\S/);
      expect(await listed("hard_bounces", "a@example.com")).toEqual([]);
    });
  }
}

for (const subscription_state of [undefined, null, "", "Unsubscribed", "unknown", 1, ["subscribed"]]) {
  test(`POST /email/status refuses the state ${JSON.stringify(subscription_state)}`, async () => {
    const answer = await heddle.post("/email/status", { email: freshEmail(), subscription_state });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/subscription_state/);
  });
}

for (const [route, key] of [["unsubscribes", "unsubscribed_at"], ["hard_bounces", "hard_bounced_at"]] as const) {
  test(`GET /email/${route} by dates: newest first, in pages`, async () => {
    const emails = [freshEmail(), freshEmail(), freshEmail()];
    for (const email of emails) {
      await heddle.accept("/email/blocklist", { email });
      // What is decided in one step of the mesh has one time
      expect(await listed(route, email)).toHaveLength(1);
    }
    const read = async (rest: string) => (await heddle.get(`/email/${route}/?${today}${rest}`)).body["emails"] as Record<string, string>[];
    const newest = await read("&limit=3");
    expect(newest.map(({ email }) => email)).toEqual(emails.toReversed());
    for (const entry of newest) {
      expect(Object.keys(entry)).toEqual(["email", key]);
      expect(entry[key]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000$/);
    }
    expect((await read("&limit=1&offset=1"))[0]).toEqual(newest[1]);
    expect((await heddle.get(`/email/${route}?start_date=${day(-9)}&end_date=${day(-8)}`)).body).toEqual({
      emails: [],
      message: "success",
    });
  });

  for (
    const query of [
      "",
      `start_date=${day(0)}`,
      `end_date=${day(0)}`,
      "start_date=x&end_date=y",
      "start_date=2026-02-30&end_date=2026-03-01",
      `start_date=${day(1)}&end_date=${day(0)}`,
      `${today}&limit=501`,
      `${today}&limit=0`,
      `${today}&offset=-1`,
      "email=nobody",
    ]
  ) {
    test(`GET /email/${route} refuses ${query}`, async () => {
      const answer = await heddle.get(`/email/${route}?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(/\S/);
    });
  }
}

test("what was answered outlives a crash right after the answer, and what waits with it", async () => {
  const [blocked, set, late, id] = [freshEmail(), freshEmail(), freshEmail(), fresh()];
  await heddle.accept("/email/status", { email: late, subscription_state: "unsubscribed" });
  await heddle.accept("/email/status", { email: set, subscription_state: "opted_in" });
  await heddle.accept("/email/blocklist", { email: blocked });
  await heddle.heddle.restart("SIGKILL");
  expect([await listed("unsubscribes", blocked), await listed("hard_bounces", blocked)]).toMatchObject([[{ email: blocked }], [{
    email: blocked,
  }]]);
  await heddle.track({ attributes: [{ external_id: id, email: set }] });
  expect(await exported(set)).toEqual(["opted_in"]);
  await heddle.track({ attributes: [{ external_id: id, email: late }] });
  expect(await exported(late)).toEqual(["unsubscribed"]);
  await heddle.accept("/email/bounce/remove", { email: blocked });
  await heddle.heddle.restart("SIGKILL");
  expect([await listed("unsubscribes", blocked), await listed("hard_bounces", blocked)]).toMatchObject([[{ email: blocked }], []]);
});

test("GET /email/unsubscribes in both directions, no other", async () => {
  const emails = [freshEmail(), freshEmail()];
  const query = emails.map((email) => `email[]=${email}`).join("&");
  const order = async (rest: string) =>
    ((await heddle.get(`/email/unsubscribes?${query}${rest}`)).body["emails"] as { email: string }[]).map(({ email }) => email);
  for (const [at, email] of emails.entries()) {
    await heddle.accept("/email/status", { email, subscription_state: "unsubscribed" });
    // What is decided together has one time
    await expect.poll(() => order("")).toHaveLength(at + 1);
  }
  expect(await order("&sort_direction=asc")).toEqual(emails);
  expect(await order("&sort_direction=desc")).toEqual(emails.toReversed());
  expect(await order("")).toEqual(emails.toReversed());
  expect((await heddle.get(`/email/unsubscribes?${today}&sort_direction=up`)).status).toBe(400);
});

test("email_subscribe of an attributes object by external_id reaches all who share the email", async () => {
  const [email, id] = [freshEmail(), fresh()];
  await heddle.track({ attributes: [{ external_id: id, email }, { external_id: fresh(), email }, { external_id: fresh(), email }] });
  for (const state of ["opted_in", "unsubscribed", "subscribed"]) {
    await heddle.track({ attributes: [{ external_id: id, email_subscribe: state }] });
    expect(await exported(email)).toEqual([state, state, state]);
  }
});

test("POST /email/spam/remove answers 201 with success, for one address and for 50", async () => {
  for (const email of [freshEmail(), Array.from({ length: 50 }, () => freshEmail())]) {
    const answer = await heddle.post("/email/spam/remove", { email });
    expect([answer.status, answer.body]).toEqual([201, { message: "success" }]);
  }
});

test("lists of emails have 100 entries where no limit is named, and 500 at most", async () => {
  for (let sent = 0; sent < 3; sent += 1) {
    await heddle.accept("/email/blocklist", { email: Array.from({ length: 50 }, () => freshEmail()) });
  }
  for (const route of ["unsubscribes", "hard_bounces"]) {
    const read = async (rest: string) => (await heddle.get(`/email/${route}?${today}${rest}`)).body["emails"] as unknown[] | undefined;
    await expect.poll(async () => (await read("&limit=500"))?.length).toBeGreaterThanOrEqual(150);
    expect(await read("")).toHaveLength(100);
    expect((await heddle.get(`/email/${route}?${today}&limit=501`)).status).toBe(400);
  }
});

test("of an email and dates the email counts, on both lists", async () => {
  const email = freshEmail();
  await heddle.accept("/email/blocklist", { email });
  for (const route of ["unsubscribes", "hard_bounces"]) {
    const answer = await heddle.get(`/email/${route}?email=${email}&start_date=${day(-9)}&end_date=${day(-8)}`);
    expect(answer.body["emails"]).toMatchObject([{ email }]);
  }
});
