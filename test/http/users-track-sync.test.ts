/** POST /users/track/sync: exactly one object, answered with the user as it is after the object was applied. */
import { expect, test } from "vitest";
import { fresh, heddleSuite, instant } from "../suite.ts";

const heddle = heddleSuite();
const time = "2026-03-01T12:00:00Z";
const path = "/users/track/sync";

test("POST /users/track/sync answers 201 with the custom attributes after the change", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, visits: 1 }] });
  const answer = await heddle.post(path, { attributes: [{ external_id: id, visits: { inc: 2 }, plan: "gold" }] });
  expect(answer.status).toBe(201);
  expect(answer.body.message).toBe("success");
  expect(answer.body.users).toMatchObject([{ external_id: id, custom_attributes: { visits: 3, plan: "gold" } }]);
});

test("POST /users/track/sync answers with the summary of the event or product", async () => {
  const id = fresh();
  const event = await heddle.post(path, { events: [{ external_id: id, name: "e", time }] });
  expect(event.body.users).toMatchObject([{ external_id: id, custom_events: [{ name: "e", count: 1 }] }]);
  const bought = await heddle.post(path, {
    purchases: [{ external_id: id, product_id: "p", currency: "USD", price: 2, quantity: 2, time }],
  });
  const summaries = bought.body.users?.[0]?.purchase_events;
  expect(summaries).toMatchObject([{ product_id: "p", count: 2 }]);
  expect(instant(Array.isArray(summaries) ? summaries[0].first : undefined)).toBe(Date.parse(time));
});

test("POST /users/track/sync is readable at once, without any position", async () => {
  const id = fresh();
  await heddle.post(path, { attributes: [{ external_id: id, a: 1 }] });
  const answer = await heddle.request("POST", "/users/export/ids", { external_ids: [id] });
  expect(answer.body.users).toMatchObject([{ custom_attributes: { a: 1 } }]);
});

test("POST /users/track/sync answers no user when update-only found nobody", async () => {
  const answer = await heddle.post(path, { attributes: [{ external_id: fresh(), _update_existing_only: true, a: 1 }] });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ users: [], message: "success" });
});

test("POST /users/track/sync refuses two objects", async () => {
  const object = { external_id: fresh(), name: "e", time };
  for (const body of [{ events: [object, object] }, { events: [object], attributes: [object] }]) {
    const answer = await heddle.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  }
});

test("POST /users/track/sync refuses no object and a bad one", async () => {
  for (const body of [{}, { attributes: [] }, { attributes: [{ a: 1 }] }]) {
    expect((await heddle.post(path, body)).status).toBe(400);
  }
});

function count(id: string, key: string, by = 1) {
  return heddle.post(path, { attributes: [{ external_id: id, visits: { inc: by } }] }, { headers: { "idempotency-key": key } });
}

test("POST /users/track/sync with an Idempotency-Key: a repeat has the first answer whatever was sent since", async () => {
  const [id, key] = [fresh(), fresh("key")];
  const first = await count(id, key);
  expect(first.body.users).toMatchObject([{ custom_attributes: { visits: 1 } }]);
  await heddle.track({ attributes: [{ external_id: id, visits: 50, plan: "gold" }] });
  const repeat = await count(id, key);
  expect([repeat.status, repeat.text]).toEqual([first.status, first.text]);
  expect(repeat.headers.get("idempotency-replayed")).toBe("true");
  expect((await heddle.user(id)).custom_attributes).toMatchObject({ visits: 50 });
  expect((await count(id, key, 2)).status).toBe(422);
  expect((await count(id, fresh("key"))).body.users).toMatchObject([{ custom_attributes: { visits: 51 } }]);
});

test("POST /users/track/sync with an Idempotency-Key: a repeat that finds nobody any more has the first answer", async () => {
  const [id, key] = [fresh(), fresh("key")];
  const first = await count(id, key);
  await heddle.accept("/users/delete", { external_ids: [id] });
  const repeat = await count(id, key);
  expect([repeat.status, repeat.text]).toEqual([first.status, first.text]);
  expect(await heddle.find({ external_ids: [id] })).toEqual([]);
  const [other, none] = [fresh(), { attributes: [{ external_id: fresh(), _update_existing_only: true, a: 1 }] }];
  for (const _ of [1, 2]) {
    const answer = await heddle.post(path, none, { headers: { "idempotency-key": other } });
    expect(answer.body).toMatchObject({ users: [], message: "success" });
    await heddle.track({ attributes: [{ external_id: none.attributes[0]?.external_id, a: 2 }] });
  }
});

test("POST /users/track/sync with an Idempotency-Key: ten at once count once and answer the same", async () => {
  const [id, key] = [fresh(), fresh("key")];
  const answers = await Promise.all(Array.from({ length: 10 }, () => count(id, key)));
  const first = answers[0]?.text;
  expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [201, first]));
  expect((await heddle.user(id)).custom_attributes).toEqual({ visits: 1 });
});

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`POST /users/track/sync with an Idempotency-Key: a large first answer is still there after ${signal} and restart`, async () => {
    const [id, key] = [fresh(), fresh("key")];
    // Texts that no compression makes small
    const texts = Array.from({ length: 400 }, (_, at) => [`name${at}`, Array.from({ length: 6 }, () => fresh("")).join("")]);
    await heddle.track({ attributes: [{ external_id: id, ...Object.fromEntries(texts) }] });
    const first = await count(id, key);
    expect(first.text.length).toBeGreaterThan(80_000);
    await heddle.track({ attributes: [{ external_id: id, visits: 50 }] });
    await heddle.heddle.restart(signal);
    const repeat = await count(id, key);
    expect([repeat.status, repeat.text]).toEqual([first.status, first.text]);
  });
}
