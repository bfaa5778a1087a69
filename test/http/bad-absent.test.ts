/** What counts as not sent: empty lists and texts and null, beside a filled list and alone, at every route that names users. */
import { expect, test } from "vitest";
import { routeTable } from "../../gateway/route-table.ts";
import { declared } from "../declaration.ts";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const groupId = "22222222-2222-4222-8222-222222222222";
const smsGroupId = "33333333-3333-4333-8333-333333333333";
const heddle = heddleSuite({
  apply: declared({
    demo: {
      subscriptionGroups: [{ id: groupId, name: "letters", channel: "email" }, { id: smsGroupId, name: "texts", channel: "sms" }],
    },
  }),
});
const empties = [[], "", null] as const;

const consentRoutes = routeTable.filter(({ path }) => /^\/(v2\/)?(subscription|email|sms)\//.test(path));

test.each(consentRoutes)("$method $path: a request that names nothing is 400, also with a slash at the end", async ({ method, path }) => {
  for (const written of [path, `${path}/`]) {
    const answer = await heddle.request(method, written, method === "POST" ? {} : undefined);
    expect([written, answer.status]).toEqual([written, 400]);
  }
});

for (const empty of empties) {
  const sent = JSON.stringify(empty);

  test(`subscription status set: ${sent} beside a filled list is a list that was not sent`, async () => {
    const [email, phone, id] = [freshEmail(), freshPhone(), fresh()];
    const v2 = (group: object) => ({ subscription_groups: [{ subscription_state: "subscribed", ...group }] });
    const bodies: readonly (readonly [path: string, body: object])[] = [
      ["/v2/subscription/status/set", v2({ subscription_group_id: groupId, emails: [email], phones: empty })],
      ["/v2/subscription/status/set", v2({ subscription_group_id: smsGroupId, emails: empty, phones: [phone] })],
      ["/v2/subscription/status/set", v2({ subscription_group_id: groupId, external_ids: empty, external_id: id })],
      ["/subscription/status/set", { subscription_group_id: groupId, subscription_state: "subscribed", email, phone: empty }],
      ["/subscription/status/set", { subscription_group_id: smsGroupId, subscription_state: "subscribed", email: empty, phone }],
      ["/subscription/status/set", { subscription_group_id: groupId, subscription_state: "subscribed", email, external_id: empty }],
    ];
    for (const [path, body] of bodies) {
      const answer = await heddle.post(path, body);
      expect([answer.status, answer.text], JSON.stringify(body)).toEqual([201, '{"message":"success"}']);
    }
  });

  test(`subscription status set: ${sent} alone is told as what is missing`, async () => {
    const state = { subscription_group_id: groupId, subscription_state: "subscribed" };
    const v2 = await heddle.post(
      "/v2/subscription/status/set",
      { subscription_groups: [{ ...state, emails: empty, phones: empty }] },
    );
    expect([v2.status, v2.body.message]).toEqual([400, "Each subscription group needs one of 'external_ids', 'emails' or 'phones'"]);
    const v1 = await heddle.post("/subscription/status/set", { ...state, external_id: empty, email: empty, phone: empty });
    expect([v1.status, v1.body.message]).toEqual([400, "One of 'external_id', 'email' or 'phone' is required"]);
  });

  test(`users/delete, users/identify and users/export/ids: ${sent} beside a filled list is a list that was not sent`, async () => {
    const [id, email] = [fresh(), freshEmail()];
    const alias = { alias_label: "crm", alias_name: fresh() };
    await heddle.track({ attributes: [{ external_id: id, email, a: 1 }, { user_alias: alias, _update_existing_only: false, b: 1 }] });
    const exported = await heddle.post("/users/export/ids", {
      external_ids: [id],
      user_aliases: empty,
      email_address: empty,
      phone: empty,
      device_id: empty,
    });
    expect(exported.body.users).toMatchObject([{ external_id: id }]);
    const next = fresh();
    const identified = await heddle.post("/users/identify", {
      aliases_to_identify: [{ external_id: next, user_alias: alias }],
      emails_to_identify: empty,
      phone_numbers_to_identify: empty,
    });
    expect(identified.body).toMatchObject({ aliases_processed: 1, message: "success" });
    const deleted = await heddle.post("/users/delete", { external_ids: [id, next], email_addresses: empty, braze_ids: empty });
    expect(deleted.body).toEqual({ deleted: 2, message: "success" });
  });

  test(`users/delete and users/identify: ${sent} alone is told as what is missing`, async () => {
    const deleted = await heddle.post("/users/delete", { external_ids: empty });
    expect([deleted.status, deleted.body.message]).toEqual([400, expect.stringMatching(/^Exactly one of .* is required$/)]);
    const identified = await heddle.post("/users/identify", { emails_to_identify: empty });
    expect([identified.status, identified.body.message]).toEqual([400, expect.stringMatching(/^One of .* is required$/)]);
  });

  test(`email routes: ${sent} as email is told as what is missing`, async () => {
    for (const path of ["/email/blocklist", "/email/bounce/remove", "/email/spam/remove", "/email/status"]) {
      const answer = await heddle.post(path, { email: empty, subscription_state: "subscribed" });
      expect([answer.status, answer.body.message], path).toEqual([400, "'email' is required"]);
    }
  });
}

test("users/merge and users/alias: an empty list is told as one without elements", async () => {
  for (
    const [path, field] of [["/users/merge", "merge_updates"], ["/users/alias/new", "user_aliases"], [
      "/users/alias/update",
      "alias_updates",
    ]]
  ) {
    const answer = await heddle.post(`${path}`, { [`${field}`]: [] });
    expect([answer.status, answer.body.message]).toEqual([400, `'${field}' must be an array of objects with at least one element`]);
  }
});

test("users/merge: an empty identifier beside a filled one was not sent; numbers are ids as elsewhere", async () => {
  const number = Math.floor(Math.random() * 1e12);
  const [email, keep] = [freshEmail(), fresh()];
  await heddle.track({ attributes: [{ external_id: number, a: 1 }, { email, b: 2 }, { external_id: keep, c: 3 }] });
  for (
    const identifier_to_merge of [
      { external_id: number, email: "", phone: null, user_alias: [] },
      { external_id: "", email, phone: "", prioritization: ["unidentified"] },
    ]
  ) {
    const answer = await heddle.post("/users/merge", {
      merge_updates: [{ identifier_to_merge, identifier_to_keep: { external_id: keep } }],
    });
    expect(answer.status, answer.text).toBe(202);
  }
  const { body } = await heddle.post("/users/export/ids", { external_ids: [keep] });
  expect(body.users).toMatchObject([{ email, custom_attributes: { a: 1, b: 2, c: 3 } }]);
});

test("users/alias/new: an empty external_id was not sent, so a user of the alias alone is made", async () => {
  for (const external_id of ["", null, []]) {
    const alias = { alias_label: "crm", alias_name: fresh() };
    const answer = await heddle.post("/users/alias/new", { user_aliases: [{ external_id, ...alias }] });
    expect(answer.body).toEqual({ aliases_processed: 1, message: "success" });
    expect((await heddle.post("/users/export/ids", { user_aliases: [alias] })).body.users).toMatchObject([{ user_aliases: [alias] }]);
  }
});

test("alias names and labels that are whole numbers are taken as text at every door", async () => {
  const [one, two] = [Math.floor(Math.random() * 1e12), Math.floor(Math.random() * 1e12)];
  await heddle.track({ attributes: [{ user_alias: { alias_label: 7, alias_name: one }, _update_existing_only: false, a: 1 }] });
  await heddle.post("/users/alias/update", { alias_updates: [{ alias_label: 7, old_alias_name: one, new_alias_name: two }] });
  const read = await heddle.post("/users/export/ids", { user_aliases: [{ alias_label: 7, alias_name: two }] });
  expect(read.body.users).toMatchObject([{ user_aliases: [{ alias_label: "7", alias_name: String(two) }], custom_attributes: { a: 1 } }]);
});

test("users/track: _update_existing_only and other control keys that are null were not sent", async () => {
  const id = fresh();
  const time = "2026-03-01T12:00:00Z";
  await heddle.track({
    attributes: [{ external_id: id, _update_existing_only: null, _merge_objects: null, push_token_import: null, a: 1 }],
    events: [{ external_id: id, name: "e", time, _update_existing_only: null }],
  });
  expect((await heddle.post("/users/export/ids", { external_ids: [id] })).body.users).toMatchObject([
    { custom_attributes: { a: 1 }, custom_events: [{ name: "e", count: 1 }] },
  ]);
});

test("users/track: errors of a fatal error is an array with the message, also of an empty request", async () => {
  const many = { events: Array.from({ length: 76 }, () => ({})) };
  for (const body of [{}, { events: [] }, { attributes: null }, "", "[]", "{", { events: "x" }, many]) {
    const answer = await heddle.post("/users/track", body);
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.body.message).toMatch(/\w/);
    expect(answer.body.errors, answer.text).toContain(answer.body.message);
  }
});

test("subscription status get: what stands beside an external_id is not judged", async () => {
  const id = fresh();
  const emails = Array.from({ length: 51 }, () => "&email[]=no-address").join("");
  const answer = await heddle.get(
    `/subscription/status/get?subscription_group_id=${groupId}&external_id=${id}${emails}&phone=no-number`,
  );
  expect([answer.status, answer.body]).toEqual([200, { status: { [id]: "Unknown" }, message: "success" }]);
});
