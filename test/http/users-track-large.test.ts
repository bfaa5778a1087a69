/** POST /users/track at its largest: what is accepted is applied with all that comes after it, and what is too large is refused with its reason. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();

/** As short as names can be, for as many as fit. */
function attributes(count: number, value: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`_${at.toString(36).padStart(5, "0")}`, value]));
}

test("an object of 14,000 attributes is taken, and others of the workspace go on", { timeout: 120_000 }, async () => {
  const [fat, other] = [fresh(), fresh()];
  await heddle.track({ attributes: [{ external_id: fat, ...attributes(14_000, "2020-01-01") }] });
  await heddle.track({ attributes: [{ external_id: other, first_name: "Ann" }] });
  expect((await heddle.user(other)).first_name).toBe("Ann");
  expect(Object.keys((await heddle.user(fat)).custom_attributes ?? {})).toHaveLength(14_000);
});

test("an object of too many attributes, or of too much as it is stored, is refused, the others of the request are taken", async () => {
  const id = fresh();
  const answer = await heddle.post("/users/track", {
    attributes: [
      { external_id: fresh(), ...attributes(40_000, 1) },
      { external_id: id, first_name: "Ann" },
      { external_id: fresh(), ...attributes(20_000, "2020-01-01") },
    ],
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ attributes_processed: 1 });
  expect(answer.body.errors).toMatchObject([
    { input_array: "attributes", index: 0, type: expect.stringMatching(/at most 20000 custom attributes/) },
    { input_array: "attributes", index: 2, type: expect.stringMatching(/at most 1048576 bytes as it is stored/) },
  ]);
  expect((await heddle.user(id)).first_name).toBe("Ann");
});

test("a request of too much as it is stored is refused as a whole, with what to do", async () => {
  const each = attributes(3_000, "2020-01-01");
  const answer = await heddle.post("/users/track", { attributes: Array.from({ length: 62 }, () => ({ external_id: fresh(), ...each })) });
  expect(answer.status).toBe(413);
  expect(answer.body.message).toMatch(/at most 12582912 bytes as it is stored, it has \d+: send its objects in several requests/);
});

test(
  "requests with keys and long answers that wait together are all answered, each with its own errors",
  { timeout: 120_000 },
  async () => {
    const bad = Array.from({ length: 74 }, () => ({ external_id: "", name: "x" }));
    const answers = await Promise.all(
      Array.from(
        { length: 40 },
        () =>
          heddle.post("/users/track", { attributes: [...bad, { external_id: fresh(), a: 1 }], events: bad, purchases: bad }, {
            headers: { "idempotency-key": fresh("key") },
          }),
      ),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(201);
      expect(answer.body.errors?.length).toBeGreaterThanOrEqual(222);
    }
  },
);

test("75 events and 75 purchases of 49 KB each, and 75 attribute objects beside them, are one request", { timeout: 120_000 }, async () => {
  const ids = Array.from({ length: 75 }, () => fresh());
  const properties = { list: Array.from({ length: 200 }, () => "x".repeat(245)) };
  const each = { time: "2026-01-01T00:00:00Z", properties };
  const body = {
    attributes: ids.map((external_id) => ({ external_id, nested: { ...attributes(50, "x".repeat(250)) } })),
    events: ids.map((external_id) => ({ external_id, name: "seen", ...each })),
    purchases: ids.map((external_id) => ({ external_id, product_id: "p", currency: "USD", price: 1.5, ...each })),
  };
  expect(JSON.stringify(body).length).toBeGreaterThan(8_000_000);
  for (const headers of [{}, { "idempotency-key": fresh("key") }]) {
    const answer = await heddle.post("/users/track", body, { headers });
    expect(answer.status, answer.text.slice(0, 300)).toBe(201);
    expect(answer.body).toEqual({ attributes_processed: 75, events_processed: 75, purchases_processed: 75, message: "success" });
  }
  for (const id of [ids[0], ids[74]]) {
    const user = await heddle.user(id ?? "");
    expect(user.custom_events).toMatchObject([{ name: "seen", count: 2 }]);
    expect(user.purchases).toMatchObject([{ name: "p", count: 2 }]);
    expect(Object.keys(user.custom_attributes?.["nested"] ?? {})).toHaveLength(50);
  }
});

test("many large requests at once are all taken in the end, once each, with 503 for what has to wait", { timeout: 240_000 }, async () => {
  const properties = { list: Array.from({ length: 200 }, () => "x".repeat(245)) };
  const statuses: number[] = [];
  const ids = await Promise.all(Array.from({ length: 12 }, async () => {
    const [external_id, key] = [fresh(), fresh("key")];
    const events = Array.from({ length: 75 }, () => ({ external_id, name: "seen", time: "2026-01-01", properties }));
    await expect.poll(async () => {
      const { status } = await heddle.post("/users/track", { events }, { headers: { "idempotency-key": key } });
      statuses.push(status);
      return status;
    }, { interval: 500, timeout: 200_000 }).toBe(201);
    return external_id;
  }));
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  for (const id of ids) expect((await heddle.user(id)).custom_events?.[0]?.count).toBe(75);
});

test("a request of more values than are parsed at once is refused with what to do", async () => {
  const answer = await heddle.post("/users/track", {
    events: Array.from(
      { length: 75 },
      () => ({ external_id: fresh(), name: "e", time: "2026-01-01", properties: { list: Array.from({ length: 24_000 }, () => [0]) } }),
    ),
  });
  expect([answer.status, answer.body.message]).toEqual([400, "The JSON holds too many values in all: send less in a request"]);
});

test("POST /users/track takes 4 MB, of objects of 50 KB and one of 100 KB", { timeout: 60_000 }, async () => {
  const text = (length: number) => Array.from({ length: length / 250 }, (_, at) => [`t${at}`, "x".repeat(250)]);
  const attributes = [...Array.from({ length: 74 }, () => text(52_000)), text(100_000)].map((fields) => ({
    external_id: fresh(),
    ...Object.fromEntries(fields),
  }));
  expect(JSON.stringify(attributes).length).toBeGreaterThan(3_900_000);
  const answer = await heddle.post("/users/track", { attributes });
  expect([answer.status, answer.body]).toEqual([201, { message: "success", attributes_processed: 75 }]);
  const last = await heddle.user(attributes.at(-1)?.external_id ?? "");
  expect(Object.keys(last.custom_attributes ?? {})).toHaveLength(400);
});
