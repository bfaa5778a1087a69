/** POST /users/identify: alias-only, email-only and phone-only users get an external id, or are merged into the one that has it. */
import { expect, test } from "vitest";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const path = "/users/identify";
const time = "2026-03-01T12:00:00Z";

async function aliasOnly() {
  const alias = { alias_label: "crm", alias_name: fresh() };
  await heddle.track({
    attributes: [{ user_alias: alias, _update_existing_only: false, from_alias: 1 }],
    events: [{ user_alias: alias, name: "e", time }],
  });
  return alias;
}

test("POST /users/identify puts an unknown external_id on the alias-only user, which keeps its platform id", async () => {
  const alias = await aliasOnly();
  const [before] = await heddle.find({ user_aliases: [alias] });
  const id = fresh();
  const answer = await heddle.post(path, { aliases_to_identify: [{ external_id: id, user_alias: alias }] });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ aliases_processed: 1, message: "success" });
  expect(await heddle.user(id)).toMatchObject({
    braze_id: before?.braze_id,
    user_aliases: [alias],
    custom_attributes: { from_alias: 1 },
    custom_events: [{ count: 1 }],
  });
});

test("POST /users/identify combines an alias-only user with the user that has the external_id", async () => {
  const alias = await aliasOnly();
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, own: 1 }], events: [{ external_id: id, name: "e", time }] });
  await heddle.accept(path, { aliases_to_identify: [{ external_id: id, user_alias: alias }] });
  expect(await heddle.user(id)).toMatchObject({
    user_aliases: [alias],
    custom_attributes: { own: 1, from_alias: 1 },
    custom_events: [{ count: 2 }],
  });
  expect(await heddle.find({ user_aliases: [alias] })).toHaveLength(1);
});

test("POST /users/identify does not combine when the known user has an alias of the label", async () => {
  const alias = await aliasOnly();
  const id = fresh();
  const own = { alias_label: "crm", alias_name: fresh() };
  await heddle.track({ attributes: [{ external_id: id, own: 1 }] });
  await heddle.accept("/users/alias/new", { user_aliases: [{ external_id: id, ...own }] });
  await heddle.accept(path, { aliases_to_identify: [{ external_id: id, user_alias: alias }] });
  expect(await heddle.user(id)).toMatchObject({ user_aliases: [own], custom_attributes: { own: 1 } });
  expect((await heddle.find({ user_aliases: [alias] }))[0]?.external_id).toBeUndefined();
});

test("POST /users/identify takes email-only and phone-only users", async () => {
  const [email, phone] = [freshEmail(), freshPhone()];
  const [byEmail, byPhone] = [fresh(), fresh()];
  await heddle.track({ attributes: [{ email, a: 1 }, { phone, b: 2 }, { external_id: byPhone, own: 1 }] });
  const answer = await heddle.post(path, {
    emails_to_identify: [{ external_id: byEmail, email, prioritization: ["unidentified"] }],
    phone_numbers_to_identify: [{ external_id: byPhone, phone, prioritization: ["unidentified", "most_recently_updated"] }],
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ emails_processed: 1, phone_numbers_processed: 1, message: "success" });
  expect(await heddle.user(byEmail)).toMatchObject({ email, custom_attributes: { a: 1 } });
  expect(await heddle.user(byPhone)).toMatchObject({ phone, custom_attributes: { own: 1, b: 2 } });
});

test("POST /users/identify of an alias that nobody has changes nothing", async () => {
  const id = fresh();
  await heddle.accept(path, { aliases_to_identify: [{ external_id: id, user_alias: { alias_label: "crm", alias_name: fresh() } }] });
  expect(await heddle.find({ external_ids: [id] })).toEqual([]);
});

test("POST /users/identify accepts the older merge_behavior", async () => {
  const alias = await aliasOnly();
  const answer = await heddle.post(path, { merge_behavior: "merge", aliases_to_identify: [{ external_id: fresh(), user_alias: alias }] });
  expect(answer.body).toMatchObject({ aliases_processed: 1, message: "success" });
});

test("POST /users/identify names a bad element and processes none", async () => {
  const answer = await heddle.post(path, { aliases_to_identify: [{ user_alias: { alias_label: "l", alias_name: "n" } }] });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    aliases_processed: 0,
    message: "success",
    errors: [{ input_array: "user_identifiers", index: 0, type: "'external_id' is required" }],
  });
});

test("POST /users/identify takes 50 and not 51", async () => {
  const elements = Array.from({ length: 51 }, () => ({ external_id: fresh(), user_alias: { alias_label: "l", alias_name: fresh() } }));
  expect((await heddle.post(path, { aliases_to_identify: elements.slice(1) })).status).toBe(201);
  expect((await heddle.post(path, { aliases_to_identify: elements })).status).toBe(400);
});

test("POST /users/identify refuses both recency priorities, word for word where they are named", async () => {
  const answer = await heddle.post(path, {
    emails_to_identify: [{
      external_id: fresh(),
      email: freshEmail(),
      prioritization: ["most_recently_updated", "least_recently_updated"],
    }],
  });
  expect(answer.text).toContain(
    "Request can not contain both of 'most_recently_updated' and 'least_recently_updated' values in the 'prioritization' array",
  );
});

for (const body of [{}, { aliases_to_identify: [] }, { aliases_to_identify: "x" }]) {
  test(`POST /users/identify refuses ${JSON.stringify(body)}`, async () => {
    expect((await heddle.post(path, body)).status).toBe(400);
  });
}

test("POST /users/identify gives an external_id to the alias-only user of /users/alias/new", async () => {
  const [alias, id] = [{ alias_label: "crm", alias_name: fresh() }, fresh()];
  await heddle.accept("/users/alias/new", { user_aliases: [alias] });
  await heddle.accept(path, { aliases_to_identify: [{ external_id: id, user_alias: alias }] });
  expect(await heddle.user(id)).toMatchObject({ external_id: id, user_aliases: [alias] });
  expect(await heddle.find({ user_aliases: [alias] })).toHaveLength(1);
});
