/** POST /users/track: how many objects a request may hold, on the standard plan and on the monthly-active-user plan. */
import { expect, test } from "vitest";
import { apiKey, declared, workspace } from "../declaration.ts";
import { fresh, heddleSuite } from "../suite.ts";

const mauKey = "mau-key-of-the-tests";
const heddle = heddleSuite({
  apply: declared({
    others: [workspace("active", [apiKey("all", mauKey)], {
      plan: { kind: "monthly_active_users", requestsPerHour: 100_000, requestsPerSecondBurst: 1_000 },
    })],
  }),
});
const time = "2026-03-01T12:00:00Z";

test("75 attributes, 75 events and 75 purchases go in one request", async () => {
  const answer = await heddle.post("/users/track", { attributes: objects(75), events: objects(75), purchases: objects(75) });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ message: "success", attributes_processed: 75, events_processed: 75, purchases_processed: 75 });
});

for (const array of ["attributes", "events", "purchases"]) {
  test(`76 ${array} are refused as a whole`, async () => {
    const sent = objects(76);
    const answer = await heddle.post("/users/track", { [array]: sent });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain("Max Input Length Exceeded");
    expect(await heddle.find({ external_ids: sent.slice(0, 50).map((object) => object.external_id) })).toEqual([]);
  });
}

test("objects that are refused count towards the limit", async () => {
  const answer = await heddle.post("/users/track", { attributes: Array.from({ length: 76 }, () => ({})) });
  expect(answer.status).toBe(400);
  expect(answer.body.message).toContain("Max Input Length Exceeded");
});

test("monthly-active-user plan: 50 objects of all kinds together, not 51", async () => {
  const call = { key: mauKey };
  const fifty = await heddle.post("/users/track", { attributes: objects(20), events: objects(20), purchases: objects(10) }, call);
  expect(fifty.status, fifty.text).toBe(201);
  const more = await heddle.post("/users/track", { attributes: objects(20), events: objects(20), purchases: objects(11) }, call);
  expect(more.status).toBe(400);
  expect(more.body.message).toContain("Max Input Length Exceeded");
});

function objects(count: number) {
  return Array.from({ length: count }, () => ({ external_id: fresh(), name: "e", product_id: "p", currency: "USD", price: 1, time }));
}
