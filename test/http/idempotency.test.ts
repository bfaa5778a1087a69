/** Idempotency-Key: a repeat has no second effect and the first answer, another body is refused; also across kill -9. */
import { expect, test } from "vitest";
import type { Answer } from "../client.ts";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const time = "2026-03-01T12:00:00Z";

function buy(id: string, key: string, price = 1): Promise<Answer> {
  const body = {
    purchases: [{ external_id: id, product_id: "p", currency: "USD", price, time }, { external_id: id, product_id: "p", quantity: 0 }],
  };
  return heddle.post("/users/track", body, { headers: { "idempotency-key": key } });
}

async function bought(id: string): Promise<number | undefined> {
  return (await heddle.user(id)).purchases?.[0]?.count;
}

test("Idempotency-Key: a repeat has the first answer and no second effect", async () => {
  const [id, key] = [fresh(), fresh("key")];
  const first = await buy(id, key);
  const second = await buy(id, key);
  expect(first.status).toBe(201);
  expect([second.status, second.body]).toEqual([first.status, first.body]);
  expect(await bought(id)).toBe(1);
});

test("Idempotency-Key: two keys and no key are distinct purchases", async () => {
  const id = fresh();
  await buy(id, fresh("key"));
  await buy(id, fresh("key"));
  await heddle.track({ purchases: [{ external_id: id, product_id: "p", currency: "USD", price: 1, time }] });
  expect(await bought(id)).toBe(3);
});

test("Idempotency-Key: another body is refused with 422 and has no effect", async () => {
  const [id, key] = [fresh(), fresh("key")];
  await buy(id, key);
  const other = await buy(id, key, 2);
  expect(other.status).toBe(422);
  expect(other.body.message).toMatch(/\S/);
  expect(await heddle.user(id)).toMatchObject({ total_revenue: 1 });
});

test("Idempotency-Key: twenty at once count once and answer the same", async () => {
  const [id, key] = [fresh(), fresh("key")];
  const answers = await Promise.all(Array.from({ length: 20 }, () => buy(id, key)));
  const done = answers.filter((answer) => answer.status === 201);
  expect(done.length).toBeGreaterThan(0);
  expect(answers.filter((answer) => answer.status !== 201 && answer.status !== 409)).toEqual([]);
  for (const answer of done) expect(answer.body).toEqual(done[0]?.body);
  expect(await bought(id)).toBe(1);
});

test("Idempotency-Key: the key belongs to its route", async () => {
  const [id, key] = [fresh(), fresh("key")];
  await buy(id, key);
  const alias = { alias_label: "l", alias_name: fresh() };
  const answer = await heddle.post("/users/alias/new", { user_aliases: [{ external_id: id, ...alias }] }, {
    headers: { "idempotency-key": key },
  });
  expect(answer.body).toMatchObject({ message: "success", aliases_processed: 1 });
  expect(await heddle.find({ user_aliases: [alias] })).toMatchObject([{ external_id: id }]);
});

test("Idempotency-Key: a refused request does not use the key up", async () => {
  const [id, key] = [fresh(), fresh("key")];
  const refused = await heddle.post("/users/track", { purchases: [{ external_id: id }] }, { headers: { "idempotency-key": key } });
  expect(refused.status).toBe(400);
  const again = await heddle.post("/users/track", { purchases: [{ external_id: id }] }, { headers: { "idempotency-key": key } });
  expect([again.status, again.body]).toEqual([400, refused.body]);
});

for (const key of ["", "x".repeat(256), "tab\there"]) {
  test(`Idempotency-Key: ${JSON.stringify(key.slice(0, 12))} of ${key.length} characters is refused`, async () => {
    const id = fresh();
    const answer = await buy(id, key);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/Idempotency-Key/);
    expect(await heddle.find({ external_ids: [id] })).toEqual([]);
  });
}

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`Idempotency-Key: a repeat after ${signal} and restart has the first answer and no second effect`, async () => {
    const [id, key] = [fresh(), fresh("key")];
    const first = await buy(id, key);
    await heddle.heddle.restart(signal);
    const second = await buy(id, key);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect((await buy(id, key, 2)).status).toBe(422);
    expect(await bought(id)).toBe(1);
  });
}
