/** POST /users/track: the answer names all that is wrong with an object; the good fields of an attributes object are taken. */
import { expect, test } from "vitest";
import { consentDeclaration, emailGroup, groupState } from "../consent.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const heddle = heddleSuite({ apply: consentDeclaration });
const time = "2026-03-01T12:00:00Z";
const long = "x".repeat(256);

/** Fields that cannot be taken as they are: docs/users.md, "What becomes of a field". */
const badFields: readonly (readonly [field: string, value: unknown])[] = [
  ["phone", ""],
  ["phone", "12"],
  ["email", ""],
  ["gender", "m"],
  ["gender", ""],
  ["dob", ""],
  ["dob", "01/02/2003"],
  ["first_name", long],
  ["last_name", 5],
  ["home_city", {}],
  ["language", "klingon"],
  ["language", ""],
  ["country", 5],
  ["country", ""],
  ["time_zone", "Nowhere/Never"],
  ["image_url", "x".repeat(2049)],
  ["current_location", { longitude: 181, latitude: 0 }],
  ["date_of_first_session", "yesterday"],
  ["marked_email_as_spam_at", 5],
  ["push_subscribe", "perhaps"],
  ["email_subscribe", "perhaps"],
  ["email_subscribe", null],
  ["email_open_tracking_disabled", "yes"],
  ["push_tokens", [{ app_id: "a" }]],
  ["facebook", []],
  ["twitter", { id: "x" }],
  ["subscription_groups", "all"],
  ["subscription_groups", [{ subscription_group_id: "no-group-of-this-workspace", subscription_state: "subscribed" }]],
  ["a_text", long],
  ["a_list", ["a", long]],
  ["a_mixed_list", [1, {}]],
  ["a_counter", { inc: "1" }],
  ["a_nested", { good: 1, "bad name": 2 }],
  ["a_nested", { good: 1, bad: null }],
  ["a_nested", { good: [[1]] }],
  ["a_nested", { good: 1, at: { $time: "never" } }],
  ["a_large", { list: Array.from({ length: 500 }, () => "x".repeat(250)) }],
  ["some_objects", { $add: [{ "a.b": 1 }] }],
  [long, 1],
  ["", 1],
];

test("the good fields of an attributes object are taken, and each bad one is told with its name", async () => {
  for (const [field, value] of badFields) {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, kept: "before" }] });
    const { body } = await heddle.track({ attributes: [{ external_id: id, [field]: value, kept: "after" }] });
    const shown = field.length > 60 ? `${field.slice(0, 60)}…` : field;
    expect(body, `${field}: ${JSON.stringify(value).slice(0, 80)}`).toEqual({
      attributes_processed: 1,
      message: "success",
      errors: [{ type: expect.stringMatching(/\w/), input_array: "attributes", index: 0, field: shown }],
    });
    expect((await heddle.user(id)).custom_attributes).toEqual({ kept: "after" });
  }
});

test("a field that is not taken stays as it was", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, gender: "F", phone: "+491511234567", note: "short", nested: { a: 1 } }] });
  const answer = await heddle.track({
    attributes: [{ external_id: id, gender: "f", phone: "", note: long, nested: { b: null }, last: 1 }],
  });
  expect(answer.body.errors?.map((error) => error.field)).toEqual(["phone", "gender", "note", "nested"]);
  expect(await heddle.user(id)).toMatchObject({
    gender: "F",
    phone: "+491511234567",
    custom_attributes: { note: "short", nested: { a: 1 }, last: 1 },
  });
});

test("a country that means none empties the field and is told", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, country: "DE" }] });
  const { body } = await heddle.track({ attributes: [{ external_id: id, country: "Atlantis" }] });
  expect(body).toMatchObject({ attributes_processed: 1, errors: [{ field: "country", index: 0 }] });
  expect((await heddle.user(id))["country"]).toBeUndefined();
});

test("an object of whose fields none can be taken is refused, and makes no user", async () => {
  const id = fresh();
  const error = await heddle.verdict("attributes", { external_id: id, gender: "m", phone: "" });
  expect(error.field).toBeUndefined();
  expect(await heddle.find({ external_ids: [id] })).toEqual([]);
});

test("an email that is none refuses its object, and no user is made", async () => {
  const id = fresh();
  const { type } = await heddle.verdict("attributes", { external_id: id, email: "no-address", a: 1 });
  expect(type).toBe("The value provided for the 'email' field is not a valid email.");
  expect(await heddle.find({ external_ids: [id] })).toEqual([]);
});

test("items beyond those that an array may hold are told, of a set and of an add", async () => {
  const id = fresh();
  const items = Array.from({ length: 30 }, (_, at) => at);
  for (const value of [items, { add: items }]) {
    const { body } = await heddle.track({ attributes: [{ external_id: id, list: value }] });
    expect(body).toEqual({
      attributes_processed: 1,
      message: "success",
      errors: [{
        type: "'list' has 30 members and may have 25: the last 25 were taken",
        input_array: "attributes",
        index: 0,
        field: "list",
      }],
    });
    expect((await heddle.user(id)).custom_attributes?.["list"]).toEqual(items.slice(5));
  }
});

test("the change of an unknown subscription group is told, those of known ones are taken, on every form of the route", async () => {
  const unknown = "99999999-9999-4999-8999-999999999999";
  for (const path of ["/users/track", "/users/track/bulk", "/users/track/sync"]) {
    const id = fresh();
    const subscription_groups = [unknown, emailGroup].map((subscription_group_id) => ({
      subscription_group_id,
      subscription_state: "subscribed",
    }));
    const { body } = await heddle.accept(path, { attributes: [{ external_id: id, subscription_groups }] });
    expect(body.errors).toEqual([{
      type: `Invalid subscription group ID: '${unknown}' is no group of this workspace`,
      input_array: "attributes",
      index: 0,
      field: "subscription_groups",
    }]);
    expect(await groupState(heddle, emailGroup, { external_id: id })).toBe("Subscribed");
    const sent = JSON.stringify({ attributes: [{ external_id: id, subscription_groups }] });
    const escaped = sent.replaceAll("subscription_group", "\\u0073ubscription_group");
    expect((await heddle.accept(path, escaped)).body.errors).toEqual(body.errors);
  }
});

test("properties beyond those that are kept are told", async () => {
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, at]));
  const { body } = await heddle.track({ events: [{ external_id: fresh(), name: "e", time, properties }] });
  expect(body).toMatchObject({ events_processed: 1, errors: [{ input_array: "events", index: 0, field: "properties" }] });
});

test("everything that is wrong with an object is told, not the first thing alone", async () => {
  const answer = await heddle.post("/users/track", {
    attributes: [{ gender: "m", dob: "", email: "no-address" }],
    events: [{ external_id: "", time: "never", app_id: 5, properties: { $a: 1, time: 2, long }, _update_existing_only: 7 }],
    purchases: [{ user_alias: {}, currency: "?", price: "1", quantity: 0 }],
  });
  expect(answer.status).toBe(400);
  const told = (array: string) =>
    answer.body.errors?.filter(({ input_array }) => input_array === array).map(({ type }) => type).join(" | ");
  for (const word of ["email", "gender", "dob"]) expect(told("attributes")).toContain(word);
  for (const word of ["external_id", "'name'", "'time'", "app_id", "'$'", "reserved", "longer", "_update_existing_only"]) {
    expect(told("events")).toContain(word);
  }
  for (const word of ["user_alias", "currency", "price", "quantity", "product_id", "'time'"]) expect(told("purchases")).toContain(word);
});

test("an event is taken whole or not at all, so that it can be sent again", async () => {
  const id = fresh();
  await heddle.verdict("events", { external_id: id, name: "e", time, properties: { good: 1, long } });
  expect(await heddle.find({ external_ids: [id] })).toEqual([]);
});

test("an answer stays small whatever is wrong: ten errors of an object, and how many more", async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`n${at}`, long]));
  const answer = await heddle.track({
    attributes: Array.from({ length: 75 }, () => ({ external_id: fresh(), email: freshEmail(), ...many })),
  });
  expect(answer.body.attributes_processed).toBe(75);
  expect(answer.body.errors?.filter(({ index }) => index === 0)).toHaveLength(10);
  expect(answer.body.errors?.filter(({ index }) => index === 0).at(-1)?.type).toMatch(/; 90 more fields were not taken$/);
  expect(answer.body.errors?.filter(({ index }) => index === 74)).toMatchObject([{
    type: expect.stringMatching(/; 99 more fields were not taken$/),
  }]);
  expect(answer.text.length).toBeLessThan(100_000);
});

test("a repeat with its Idempotency-Key has the same errors", async () => {
  const body = { attributes: [{ external_id: fresh(), phone: "", a: 1 }], events: [{ name: "e" }] };
  const headers = { "idempotency-key": fresh("key") };
  const [first, second] = [await heddle.post("/users/track", body, { headers }), await heddle.post("/users/track", body, { headers })];
  expect(first.body.errors).toHaveLength(3);
  expect([second.status, second.body]).toEqual([first.status, first.body]);
});
