/** POST /users/export/ids: users by every identifier, chosen fields, unknown ids, and what a new user looks like. */
import { expect, test } from "vitest";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const path = "/users/export/ids";
const time = "2026-03-01T12:00:00Z";

async function someone() {
  const person = { id: fresh(), email: freshEmail(), phone: freshPhone(), alias: { alias_label: "crm", alias_name: fresh() } };
  await heddle.track({
    attributes: [{ external_id: person.id, first_name: "Ann", email: person.email, phone: person.phone, colour: "red" }],
    events: [{ external_id: person.id, name: "opened", time }],
    purchases: [{ external_id: person.id, product_id: "book", currency: "USD", price: 12.5, time }],
  });
  await heddle.accept("/users/alias/new", { user_aliases: [{ external_id: person.id, ...person.alias }] });
  return person;
}

test("POST /users/export/ids answers 201 with all that is known of the user", async () => {
  const { id, email, phone, alias } = await someone();
  const answer = await heddle.post(path, { external_ids: [id] });
  expect(answer.status).toBe(201);
  expect(answer.body.message).toBe("success");
  expect(answer.body.users).toMatchObject([{
    external_id: id,
    first_name: "Ann",
    email,
    phone,
    user_aliases: [alias],
    custom_attributes: { colour: "red" },
    custom_events: [{ name: "opened", count: 1 }],
    purchases: [{ name: "book", count: 1 }],
    total_revenue: 12.5,
  }]);
  const [user] = answer.body.users ?? [];
  expect(user?.braze_id).toMatch(/^[0-9a-f]{24}$/);
  expect(user?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  for (const event of user?.custom_events ?? []) expect(Object.keys(event).toSorted()).toEqual(["count", "first", "last", "name"]);
});

test("POST /users/export/ids finds the same user by each identifier", async () => {
  const { id, email, phone, alias } = await someone();
  const { braze_id } = await heddle.user(id);
  for (
    const selector of [
      { external_ids: [id] },
      { user_aliases: [alias] },
      { braze_id },
      { email_address: email },
      { email_address: email.toUpperCase() },
      { phone },
    ]
  ) {
    expect((await heddle.find(selector)).map((user) => user.external_id), JSON.stringify(selector)).toEqual([id]);
  }
});

test("POST /users/export/ids gives all who share an email or a phone", async () => {
  const email = freshEmail();
  const phone = freshPhone();
  const ids = [fresh(), fresh(), fresh()];
  await heddle.track({ attributes: ids.map((external_id) => ({ external_id, email, phone })) });
  for (const selector of [{ email_address: email }, { phone }]) {
    expect((await heddle.find(selector)).map((user) => user.external_id).toSorted()).toEqual(ids.toSorted());
  }
});

test("POST /users/export/ids takes external_ids and user_aliases together, each user once", async () => {
  const [ann, ben] = [await someone(), await someone()];
  const users = await heddle.find({ external_ids: [ann.id, ben.id], user_aliases: [ben.alias] });
  expect(users.map((user) => user.external_id).toSorted()).toEqual([ann.id, ben.id].toSorted());
});

test("POST /users/export/ids gives only the fields asked for", async () => {
  const { id, email } = await someone();
  const [user] = await heddle.find({ external_ids: [id], fields_to_export: ["external_id", "email", "custom_events"] });
  expect(user).toMatchObject({ external_id: id, email, custom_events: [{ name: "opened", count: 1 }] });
  expect(Object.keys(user ?? {}).toSorted()).toEqual(["custom_events", "email", "external_id"]);
});

test("appboy_id, the former name of braze_id, is given where it is named", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id }] });
  const { braze_id, ...whole } = await heddle.user(id);
  expect(await heddle.find({ external_ids: [id], fields_to_export: ["appboy_id"] })).toEqual([{ appboy_id: braze_id }]);
  expect(whole).not.toHaveProperty("appboy_id");
});

test("POST /users/export/ids lists ids that nobody has and finds the others", async () => {
  const { id } = await someone();
  const unknown = fresh("nobody");
  const answer = await heddle.post(path, { external_ids: [unknown, id] });
  expect(answer.status).toBe(201);
  expect(answer.body.users?.map((user) => user.external_id)).toEqual([id]);
  expect(answer.body.invalid_user_ids).toEqual([unknown]);
  const none = await heddle.post(path, { external_ids: [unknown] });
  expect(none.status).toBe(201);
  expect(none.body).toMatchObject({ users: [], message: "success", invalid_user_ids: [unknown] });
});

test("POST /users/export/ids has empty users for an alias, email or phone that nobody has", async () => {
  for (
    const selector of [{ user_aliases: [{ alias_label: "crm", alias_name: fresh() }] }, { email_address: freshEmail() }, {
      phone: freshPhone(),
    }, { braze_id: "0".repeat(24) }]
  ) {
    const answer = await heddle.post(path, selector);
    expect(answer.status, JSON.stringify(selector)).toBe(201);
    expect(answer.body).toMatchObject({ users: [], message: "success" });
  }
});

test("POST /users/export/ids leaves empty fields out and shows the defaults of a new user", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  const user = await heddle.user(id);
  expect(user).toMatchObject({ external_id: id, user_aliases: [], total_revenue: 0 });
  for (const field of ["first_name", "email", "dob", "country", "custom_events", "purchases", "devices", "apps"]) {
    expect(Object.keys(user)).not.toContain(field);
  }
  const full = {
    first_name: "Ann",
    image_url: "https://example.com/a",
    push_tokens: [{ app_id: "app-1", token: "t" }],
    facebook: { id: "1" },
  };
  const empty = { first_name: "", image_url: "", push_tokens: [], facebook: {} };
  const source = fresh();
  await heddle.track({ attributes: [{ external_id: source, ...full }, { external_id: id, ...full }] });
  await heddle.track({ attributes: [{ external_id: id, ...empty }] });
  const emptied = await heddle.user(id);
  expect(Object.keys(empty).filter((field) => field in emptied)).toEqual([]);
  await heddle.merge(source, id);
  expect(await heddle.user(id)).toMatchObject(full);
});

test("POST /users/export/ids takes numbers as external ids", async () => {
  const id = 20_000_000 + Math.floor(Math.random() * 1e9);
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  expect((await heddle.find({ external_ids: [id] })).map((user) => user.external_id)).toEqual([String(id)]);
});

test("POST /users/export/ids takes 50 ids and not 51", async () => {
  const ids = Array.from({ length: 51 }, () => fresh());
  expect((await heddle.post(path, { external_ids: ids.slice(1) })).status).toBe(201);
  const more = await heddle.post(path, { external_ids: ids });
  expect(more.status).toBe(400);
  expect(more.body.message).toMatch(/\S/);
});

for (
  const body of [
    {},
    { external_ids: "a" },
    { external_ids: [] },
    { external_ids: [{}] },
    { external_ids: [null] },
    { user_aliases: ["a"] },
    { user_aliases: [{ alias_label: "l" }] },
    { email_address: 1 },
    { email_address: "a@example.com", phone: "+12125550123" },
    { external_ids: ["a"], fields_to_export: "email" },
    { external_ids: ["a"], fields_to_export: [1] },
  ]
) {
  test(`POST /users/export/ids refuses ${JSON.stringify(body)}`, async () => {
    const answer = await heddle.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  });
}

test("POST /users/export/ids takes 50 aliases and not 51", async () => {
  const user_aliases = Array.from({ length: 51 }, () => ({ alias_label: "crm", alias_name: fresh() }));
  expect((await heddle.post(path, { user_aliases: user_aliases.slice(1) })).status).toBe(201);
  expect((await heddle.post(path, { user_aliases })).status).toBe(400);
});

test("POST /users/export/ids and /users/delete tell of more than 50 ids in the words of the reference", async () => {
  const external_ids = Array.from({ length: 51 }, () => fresh());
  const exported = await heddle.post(path, { external_ids });
  expect(exported.body.message).toBe("The max number of external_ids and aliases per request was exceeded");
  expect((await heddle.post("/users/delete", { external_ids })).body.message).toBe("The max number of ids per request was exceeded");
});

test("POST /users/export/ids: a user has a random bucket of 0 to 9999 that stays", async () => {
  const { id } = await someone();
  const bucket = (await heddle.user(id))["random_bucket"];
  expect(Number.isInteger(bucket) && Number(bucket) >= 0 && Number(bucket) <= 9999, String(bucket)).toBe(true);
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  expect((await heddle.user(id))["random_bucket"]).toBe(bucket);
});

test("POST /users/export/ids takes one of device_id, email_address and phone", async () => {
  expect((await heddle.post(path, { device_id: "d1" })).body).toMatchObject({ users: [], message: "success" });
  for (const body of [{ device_id: "d1", phone: freshPhone() }, { device_id: "d1", email_address: freshEmail() }]) {
    expect((await heddle.post(path, body)).status).toBe(400);
  }
});
