/** POST /users/track: the shape of the answer, counts, verdicts and the order inside a request. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const time = "2026-03-01T12:00:00Z";
const nothingValid = "Valid data must be provided in the 'attributes', 'events', or 'purchases' fields.";

test("POST /users/track answers 201 with counts only of the arrays that were sent", async () => {
  const id = fresh();
  const both = await heddle.post("/users/track", {
    attributes: [{ external_id: id, first_name: "Ann" }, { external_id: fresh(), first_name: "Ben" }],
    events: [{ external_id: id, name: "opened", time }],
  });
  expect(both.status).toBe(201);
  expect(both.body).toEqual({ message: "success", attributes_processed: 2, events_processed: 1 });
  const one = await heddle.post("/users/track", { purchases: [{ external_id: id, product_id: "p", currency: "USD", price: 1, time }] });
  expect(one.status).toBe(201);
  expect(one.body).toEqual({ message: "success", purchases_processed: 1 });
});

test("POST /users/track answers with JSON, rate-limit headers, a request id and a position", async () => {
  const { headers } = await heddle.post("/users/track", { attributes: [{ external_id: fresh(), bio: "x", a: 1 }] });
  expect(headers.get("content-type")).toMatch(/^application\/json/);
  expect(headers.get("x-ratelimit-limit")).toMatch(/^\d+$/);
  expect(headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/);
  expect(Number(headers.get("x-ratelimit-remaining"))).toBeLessThanOrEqual(Number(headers.get("x-ratelimit-limit")));
  const reset = Number(headers.get("x-ratelimit-reset"));
  expect(Math.abs(reset - Date.now() / 1000)).toBeLessThan(3600);
  expect(headers.get("x-request-id")).toMatch(/\S/);
  expect(headers.get("x-heddle-position")).toMatch(/^[\x21-\x7e]+$/);
});

test("POST /users/track ignores unknown keys beside the three arrays", async () => {
  const id = fresh();
  const answer = await heddle.post("/users/track", {
    partner: "someone",
    test: { nested: [1] },
    attributes: [{ external_id: id, plan: "gold" }],
  });
  expect(answer.body).toEqual({ message: "success", attributes_processed: 1 });
  expect((await heddle.user(id)).custom_attributes).toEqual({ plan: "gold" });
});

test("POST /users/track applies attributes, then events, then purchases", async () => {
  const alias = { alias_label: "order", alias_name: fresh() };
  await heddle.track({
    purchases: [{ user_alias: alias, product_id: "p", currency: "USD", price: 2.5, time }],
    events: [{ user_alias: alias, name: "seen", time }],
    attributes: [{ user_alias: alias, _update_existing_only: false, colour: "red" }],
  });
  const [user] = await heddle.find({ user_aliases: [alias] });
  expect(user).toMatchObject({ custom_attributes: { colour: "red" }, total_revenue: 2.5 });
  expect(user?.custom_events).toMatchObject([{ name: "seen", count: 1 }]);
  expect(user?.purchases).toMatchObject([{ name: "p", count: 1 }]);
});

test("POST /users/track applies the objects of an array in order", async () => {
  const id = fresh();
  await heddle.track({
    attributes: [1, 2, 3].map((step) => ({ external_id: id, step, trail: { add: [`s${step}`] } })),
  });
  expect((await heddle.user(id)).custom_attributes).toEqual({ step: 3, trail: ["s1", "s2", "s3"] });
});

test("POST /users/track keeps what is valid and tells array and index of what is not", async () => {
  const id = fresh();
  const answer = await heddle.post("/users/track", {
    attributes: [{ first_name: "Nobody" }, { external_id: id, first_name: "Ann" }, "text"],
    events: [{ external_id: id, time }, { external_id: id, name: "opened", time }, { external_id: id, name: "late", time: "yesterday" }],
    purchases: [
      { external_id: id, product_id: "p", currency: "USD", price: 3, time },
      { external_id: id, product_id: "p", currency: "USD", price: 3, time, quantity: 0 },
    ],
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ message: "success", attributes_processed: 1, events_processed: 1, purchases_processed: 1 });
  const places = (answer.body.errors ?? []).map((error) => `${error.input_array} ${error.index}`);
  expect(places).toEqual(["attributes 0", "attributes 2", "events 0", "events 2", "purchases 1"]);
  for (const error of answer.body.errors ?? []) expect(Object.keys(error).toSorted()).toEqual(["index", "input_array", "type"]);
  const user = await heddle.user(id);
  expect(user).toMatchObject({ first_name: "Ann", total_revenue: 3 });
  expect(user.custom_events).toMatchObject([{ name: "opened", count: 1 }]);
});

test("POST /users/track does not apply a part of a refused object", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, first_name: "Ann" }, { external_id: id, first_name: "Ben", email: "no address" }] });
  expect(await heddle.user(id)).toMatchObject({ first_name: "Ann" });
});

for (
  const [title, body] of [
    ["without arrays", {}],
    ["with empty arrays", { attributes: [], events: [], purchases: [] }],
    ["with unknown keys alone", { users: [{ external_id: "a" }] }],
  ] as const
) {
  test(`POST /users/track ${title} answers 400 that valid data must be provided`, async () => {
    const answer = await heddle.post("/users/track", body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe(nothingValid);
  });
}

test("POST /users/track with nothing valid answers 400 and lists every object", async () => {
  const answer = await heddle.post("/users/track", {
    attributes: [{ first_name: "Nobody" }],
    events: [{ external_id: fresh(), name: "opened" }, null],
    purchases: [{ external_id: fresh(), product_id: "p", currency: "USD", price: 1, quantity: -1, time }],
  });
  expect(answer.status).toBe(400);
  expect(answer.body.message).toBe(nothingValid);
  expect(answer.body.errors?.map((error) => [error.input_array, error.index])).toEqual([["attributes", 0], ["events", 0], ["events", 1], [
    "purchases",
    0,
  ]]);
});

for (const array of ["attributes", "events", "purchases"]) {
  for (const wrong of ["text", 1, true, { external_id: "a" }]) {
    test(`POST /users/track refuses ${array} that is ${JSON.stringify(wrong)}`, async () => {
      const answer = await heddle.post("/users/track", { [array]: wrong });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(/\S/);
    });
  }
}

for (const wrong of ["[]", "null", "1", '"text"', "true", '[{"external_id":"a"}]']) {
  test(`POST /users/track refuses the body ${wrong}`, async () => {
    const answer = await heddle.post("/users/track", wrong);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  });
}

test("POST /users/track answers a body that cannot be read in the words of the reference", async () => {
  const answer = await heddle.post("/users/track", '{"attributes": [');
  const text = "Error while parsing request body. Please check your syntax.";
  expect([answer.status, answer.body.error, answer.body.message]).toEqual([
    400,
    expect.stringContaining(text),
    expect.stringContaining(text),
  ]);
});

test("POST /users/track ignores headers that it does not know, X-Braze-Bulk among them", async () => {
  const body = { attributes: [{ external_id: fresh(), a: 1 }] };
  const answer = await heddle.post("/users/track", body, { headers: { "x-braze-bulk": "true", "x-other": "1" } });
  expect([answer.status, answer.body]).toEqual([201, { message: "success", attributes_processed: 1 }]);
});

test("POST /users/track: a count of nothing is 0 where its array was sent", async () => {
  const id = fresh();
  const answer = await heddle.post("/users/track", {
    attributes: [{ external_id: id, a: 1 }],
    purchases: [{ external_id: id, product_id: "p", currency: "USD", price: 1, time, quantity: 0 }],
  });
  expect(answer.body).toMatchObject({ message: "success", attributes_processed: 1, purchases_processed: 0 });
  expect(Object.keys(answer.body)).not.toContain("events_processed");
});
