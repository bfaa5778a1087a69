/** POST /users/delete: a user goes with all names and data, and a later object makes a new one. */
import { expect, test } from "vitest";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const path = "/users/delete";

async function someone() {
  const person = { id: fresh(), email: freshEmail(), phone: freshPhone(), alias: { alias_label: "crm", alias_name: fresh() } };
  await heddle.track({ attributes: [{ external_id: person.id, email: person.email, phone: person.phone, secret: 1 }] });
  await heddle.accept("/users/alias/new", { user_aliases: [{ external_id: person.id, ...person.alias }] });
  return person;
}

test("POST /users/delete takes away the user and all its names", async () => {
  const { id, email, phone, alias } = await someone();
  const answer = await heddle.post(path, { external_ids: [id] });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ deleted: 1, message: "success" });
  for (const selector of [{ external_ids: [id] }, { email_address: email }, { phone }, { user_aliases: [alias] }]) {
    expect(await heddle.find(selector)).toEqual([]);
  }
});

test("POST /users/delete takes each kind of identifier", async () => {
  const people = await Promise.all([someone(), someone(), someone(), someone()]);
  const [byAlias, byId, byEmail, byPhone] = people;
  const { braze_id } = await heddle.user(byId?.id ?? "");
  for (
    const body of [
      { user_aliases: [byAlias?.alias] },
      { braze_ids: [braze_id] },
      { email_addresses: [{ email: byEmail?.email, prioritization: ["most_recently_updated"] }] },
      { phone_numbers: [{ phone: byPhone?.phone, prioritization: ["identified"] }] },
    ]
  ) expect((await heddle.post(path, body)).body, JSON.stringify(body)).toEqual({ deleted: 1, message: "success" });
  expect(await heddle.find({ external_ids: people.map((person) => person.id) })).toEqual([]);
});

test("POST /users/delete: a later object for the id makes a new user with a new platform id", async () => {
  const { id } = await someone();
  const before = (await heddle.user(id)).braze_id;
  await heddle.accept(path, { external_ids: [id] });
  await heddle.track({ attributes: [{ external_id: id, again: true }] });
  const after = await heddle.user(id);
  expect(after.custom_attributes).toEqual({ again: true });
  expect(after.user_aliases ?? []).toEqual([]);
  expect(after.email).toBeUndefined();
  expect(after.braze_id).not.toBe(before);
});

test("POST /users/delete takes numbers as ids", async () => {
  const id = 30_000_000 + Math.floor(Math.random() * 1e9);
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  expect((await heddle.post(path, { external_ids: [id] })).body).toEqual({ deleted: 1, message: "success" });
  expect(await heddle.find({ external_ids: [String(id)] })).toEqual([]);
});

test("POST /users/delete with an email that two share and nothing to choose by deletes nobody", async () => {
  const email = freshEmail();
  const ids = [fresh(), fresh()];
  await heddle.track({ attributes: ids.map((external_id) => ({ external_id, email })) });
  await heddle.post(path, { email_addresses: [{ email, prioritization: ["identified"] }] });
  expect(await heddle.find({ external_ids: ids })).toHaveLength(2);
});

test("POST /users/delete takes 50 ids and not 51", async () => {
  const ids = Array.from({ length: 51 }, () => fresh());
  expect((await heddle.post(path, { external_ids: ids.slice(1) })).status).toBe(201);
  expect((await heddle.post(path, { external_ids: ids })).status).toBe(400);
});

for (
  const body of [{}, { external_ids: [] }, { external_ids: "a" }, { external_ids: [{}] }, { external_ids: ["a"], braze_ids: ["b"] }, {
    user_aliases: ["a"],
  }, { email_addresses: ["a"] }]
) {
  test(`POST /users/delete refuses ${JSON.stringify(body)}`, async () => {
    const answer = await heddle.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  });
}
