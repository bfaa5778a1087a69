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
  const answer = await heddle.heddle.request("POST", "/users/export/ids", { external_ids: [id] });
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
