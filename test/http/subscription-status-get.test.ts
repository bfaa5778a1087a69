/** GET /subscription/status/get and GET /subscription/user/status: identifiers in the query, shapes, what is refused. */
import { expect, test } from "vitest";
import { consentDeclaration, emailGroup, groupState, otherEmailGroup, smsGroup } from "../consent.ts";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const heddle = heddleSuite({ apply: consentDeclaration });
const path = "/subscription/status/get";
const both = "Either an email address or a phone number should be provided, but not both.";

async function member(state: "subscribed" | "unsubscribed", group = emailGroup) {
  const person = { id: fresh(), email: freshEmail(), phone: freshPhone() };
  await heddle.track({ attributes: [{ external_id: person.id, email: person.email, phone: person.phone }] });
  await heddle.accept("/subscription/status/set", { subscription_group_id: group, subscription_state: state, external_id: person.id });
  return person;
}

for (const array of ["external_id[]", "external_id%5B%5D", "external_id[0]", "external_id"]) {
  test(`GET ${path} takes ${array}= several times and answers with the ids as they were sent`, async () => {
    const [ann, ben] = [await member("subscribed"), await member("unsubscribed")];
    const nobody = fresh();
    const query = [ann.id, ben.id, nobody].map((id) => `${array}=${id}`).join("&");
    const answer = await heddle.get(`${path}?subscription_group_id=${emailGroup}&${query}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: { [ann.id]: "Subscribed", [ben.id]: "Unsubscribed", [nobody]: "Unknown" },
      message: "success",
    });
  });
}

test(`GET ${path} by email and by phone, as they were sent, also with a plus that is not encoded`, async () => {
  const ann = await member("subscribed");
  const ben = await member("unsubscribed", smsGroup);
  expect((await heddle.get(`${path}?subscription_group_id=${emailGroup}&email[]=${ann.email.toUpperCase()}`)).body).toMatchObject({
    status: { [ann.email.toUpperCase()]: "Subscribed" },
  });
  for (const phone of [ben.phone, encodeURIComponent(ben.phone)]) {
    expect((await heddle.get(`${path}?subscription_group_id=${smsGroup}&phone=${phone}`)).body).toMatchObject({
      status: { [ben.phone]: "Unsubscribed" },
    });
  }
});

test(`GET ${path} looks at the external id alone where an email or phone stands beside it`, async () => {
  const [ann, ben] = [await member("subscribed"), await member("unsubscribed")];
  const query = `subscription_group_id=${emailGroup}&external_id=${ann.id}`;
  expect((await heddle.get(`${path}?${query}&email=${ben.email}`)).body["status"]).toEqual({ [ann.id]: "Subscribed" });
  expect((await heddle.get(`${path}?${query}&phone=${encodeURIComponent(ben.phone)}`)).body["status"]).toEqual({ [ann.id]: "Subscribed" });
});

test(`GET ${path}: ids that are names of the language are ids like others; a trailing slash is tolerated`, async () => {
  for (const id of ["__proto__", "constructor", "toString"]) {
    const answer = await heddle.get(`${path}/?subscription_group_id=${emailGroup}&external_id=${id}`);
    expect(answer.text).toBe(`{"status":{"${id}":"Unknown"},"message":"success"}`);
  }
});

const many = Array.from({ length: 51 }, (_, at) => `external_id[]=${at}`);
const refused: [string, string, string | RegExp][] = [
  ["an unknown group", "subscription_group_id=x&external_id=a", "Invalid subscription group ID"],
  ["no group", "external_id=a", /subscription_group_id/],
  ["nobody", `subscription_group_id=${emailGroup}`, /external_id/],
  ["empty values", `subscription_group_id=${emailGroup}&external_id=&email=`, /external_id/],
  ["an email and a phone", `subscription_group_id=${emailGroup}&email=a@example.com&phone=%2B12125550123`, both],
  ["51 ids", `subscription_group_id=${emailGroup}&${many.join("&")}`, /exceeded/],
  ["an invalid email", `subscription_group_id=${emailGroup}&email=nobody`, /valid email/],
  ["an invalid phone", `subscription_group_id=${smsGroup}&phone=12`, /valid phone/],
  ["an email in an SMS group", `subscription_group_id=${smsGroup}&email=a@example.com`, /sms/],
  ["a phone in an email group", `subscription_group_id=${emailGroup}&phone=%2B12125550123`, /email/],
  ["what is no text", `subscription_group_id=${emailGroup}&external_id=%ff`, /percent-encoded/],
];
for (const [what, query, message] of refused) {
  test(`GET ${path} refuses ${what}`, async () => {
    const answer = await heddle.get(`${path}?${query}`);
    expect(answer.status).toBe(400);
    if (typeof message === "string") expect(answer.body.message).toBe(message);
    else expect(answer.body.message).toMatch(message);
  });
}

for (const read of [path, "/subscription/user/status"]) {
  test(`GET and POST ${read} pass over empty entries of a list`, async () => {
    const [one, other] = [await member("subscribed"), fresh()];
    const query = `subscription_group_id=${emailGroup}&external_id[]=${one.id}&external_id[]=&external_id[]=${other}`;
    const got = await heddle.get(`${read}?${query}`);
    expect([got.status, got.text.includes(one.id)]).toEqual([200, true]);
    for (const external_id of [[one.id, "", other], [null, one.id, other]]) {
      const posted = await heddle.post(read, { subscription_group_id: emailGroup, external_id });
      expect([posted.status, posted.text]).toEqual([200, got.text]);
    }
    const empty = await heddle.post(read, { subscription_group_id: emailGroup, external_id: [""] });
    expect([empty.status, empty.body.message]).toEqual([400, "One of 'external_id', 'email' or 'phone' is required"]);
  });
}

for (
  const [read, name, good, bad] of [
    [path, "email", freshEmail(), "nobody"],
    ["/subscription/user/status", "phone", freshPhone(), "12"],
    ["/email/hard_bounces", "email", freshEmail(), "nobody"],
    ["/email/unsubscribes", "email", freshEmail(), "nobody"],
    ["/sms/invalid_phone_numbers", "phone_numbers", freshPhone(), "12"],
  ] as const
) {
  test(`GET ${read} names the entry of a list that refuses the request`, async () => {
    const list = new URLSearchParams([["subscription_group_id", emailGroup], [`${name}[]`, good], [`${name}[]`, bad]]);
    const { status, body } = await heddle.get(`${read}?${list}`);
    expect([status, body.errors]).toEqual([400, [{ type: body.message, input_array: name, index: 1 }]]);
  });
}

test(`GET ${path} takes 50 ids`, async () => {
  const answer = await heddle.get(`${path}?subscription_group_id=${emailGroup}&${many.slice(1).join("&")}`);
  expect(Object.keys(answer.body["status"] as object)).toHaveLength(50);
});

test("GET /subscription/user/status has every group in which something was set, users apart", async () => {
  const [email, one, other] = [freshEmail(), fresh(), fresh()];
  await heddle.track({ attributes: [{ external_id: one, email }, { external_id: other, email }] });
  const set = (group: string, state: string) =>
    heddle.accept("/subscription/status/set", { subscription_group_id: group, subscription_state: state, external_id: one });
  await set(emailGroup, "subscribed");
  await set(otherEmailGroup, "unsubscribed");
  const answer = await heddle.get(`/subscription/user/status?email=${email}`);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ total_count: 2, message: "success" });
  const users = [...(answer.body.users ?? [])].toSorted((a) => a.external_id === one ? -1 : 1);
  expect(users).toEqual([
    {
      email,
      phone: null,
      external_id: one,
      subscription_groups: [
        { id: emailGroup, name: "Letter", channel: "email", status: "Subscribed" },
        { id: otherEmailGroup, name: "News", channel: "email", status: "Unsubscribed" },
      ],
    },
    { email, phone: null, external_id: other, subscription_groups: [] },
  ]);
  const page = await heddle.get(`/subscription/user/status?email=${email}&limit=1&offset=1`);
  expect([page.body.users?.length, page.body["total_count"]]).toEqual([1, 2]);
  expect((await heddle.get(`/subscription/user/status?external_id[]=${one}&external_id[]=${other}`)).body["total_count"]).toBe(2);
  expect((await heddle.get(`/subscription/user/status?external_id=${fresh()}`)).body).toEqual({
    users: [],
    total_count: 0,
    message: "success",
  });
});

for (
  const query of [
    "",
    "external_id=",
    "email=nobody",
    "phone=1",
    "external_id=a&limit=0",
    "external_id=a&limit=101",
    "external_id=a&offset=-1",
    many.join("&"),
  ]
) {
  test(`GET /subscription/user/status refuses ${query.slice(0, 40)}`, async () => {
    const answer = await heddle.get(`/subscription/user/status?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  });
}

test("memberships survive alias, identify and merge into the identified user", async () => {
  const [id, alias] = [fresh(), { alias_label: "crm", alias_name: fresh() }];
  const email = freshEmail();
  await heddle.accept("/users/alias/new", { user_aliases: [alias] });
  await heddle.track({ attributes: [{ user_alias: alias, email, _update_existing_only: false }] });
  await heddle.accept("/subscription/status/set", { subscription_group_id: emailGroup, subscription_state: "unsubscribed", email });
  await heddle.accept("/users/identify", { aliases_to_identify: [{ external_id: id, user_alias: alias }] });
  expect(await groupState(heddle, emailGroup, { external_id: id })).toBe("Unsubscribed");
});

for (const route of [path, "/subscription/user/status"]) {
  test(`GET ${route} takes fifty external ids of 310 characters, and POST those that no query has room for`, async () => {
    const [first, ...ids] = Array.from({ length: 50 }, () => fresh().padEnd(310, "x"));
    await heddle.track({ attributes: [{ external_id: first }] });
    await heddle.accept("/subscription/status/set", {
      subscription_group_id: emailGroup,
      subscription_state: "subscribed",
      external_id: [first],
    });
    const query = [first, ...ids].map((id) => `external_id[]=${id}`).join("&");
    const answer = await heddle.get(`${route}?subscription_group_id=${emailGroup}&${query}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toContain(first);
    const longest = ids.map((id) => id.padEnd(640, "ü"));
    const asked = { subscription_group_id: emailGroup, external_id: [first, ...longest] };
    const posted = await heddle.post(route, asked);
    expect(posted.status, posted.text).toBe(200);
    expect(posted.text).toContain(`"${first}"`);
    const inQuery = asked.external_id.map((id) => `external_id[]=${encodeURIComponent(id ?? "")}`).join("&");
    expect((await heddle.get(`${route}?subscription_group_id=${emailGroup}&${inQuery}`)).status).toBe(431);
  });

  test(`POST ${route} answers as GET does, and refuses the same`, async () => {
    const ann = await member("subscribed");
    for (const field of ["external_id", "email"] as const) {
      const value = field === "email" ? ann.email : ann.id;
      const got = await heddle.get(`${route}?subscription_group_id=${emailGroup}&${field}=${encodeURIComponent(value)}`);
      for (const sent of [value, [value]]) {
        const posted = await heddle.post(route, { subscription_group_id: emailGroup, [field]: sent });
        expect([posted.status, posted.body]).toEqual([200, got.body]);
      }
    }
    for (const external_id of [[], null, "", {}, [{}], Array.from({ length: 51 }, (_, at) => `${at}`)]) {
      expect((await heddle.post(route, { subscription_group_id: emailGroup, external_id })).status).toBe(400);
    }
    expect((await heddle.post(route, { subscription_group_id: emailGroup, external_id: 12 })).status).toBe(200);
  });
}
