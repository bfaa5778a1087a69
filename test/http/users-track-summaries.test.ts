/** POST /users/track: events and purchases, their summaries, and revenue exact to the cent. */
import { expect, test } from "vitest";
import { fresh, heddleSuite, instant } from "../suite.ts";

const heddle = heddleSuite();
const time = "2026-03-01T12:00:00Z";
const purchase = { product_id: "p", currency: "USD", price: 1, time };

test("events are summed by name: first, last and count, in any order of their times", async () => {
  const id = fresh();
  await heddle.track({ events: ["2026-02-02", "2026-02-01", "2026-02-03"].map((time) => ({ external_id: id, name: "a", time })) });
  await heddle.track({ events: [{ external_id: id, name: "b", time }, { external_id: id, name: "a", time: "2025-01-01" }] });
  const events = (await heddle.user(id)).custom_events ?? [];
  expect(events.map(({ name, count }) => [name, count]).toSorted()).toEqual([["a", 4], ["b", 1]]);
  const a = events.find((event) => event.name === "a");
  expect([instant(a?.first), instant(a?.last)]).toEqual([Date.UTC(2025, 0, 1), Date.UTC(2026, 1, 3)]);
});

test("identical events and purchases are distinct", async () => {
  const id = fresh();
  const same = { external_id: id, name: "a", time };
  await heddle.track({ events: [same, same], purchases: [{ ...purchase, external_id: id }, { ...purchase, external_id: id }] });
  await heddle.track({ events: [same] });
  expect(await heddle.user(id)).toMatchObject({
    custom_events: [{ name: "a", count: 3 }],
    purchases: [{ name: "p", count: 2 }],
    total_revenue: 2,
  });
});

test("summaries are all-time: an event of twenty years ago is in them", async () => {
  const id = fresh();
  await heddle.track({
    events: [{ external_id: id, name: "old", time: "2004-05-06T07:08:09Z" }],
    purchases: [{ ...purchase, external_id: id, time: "1999-12-31" }],
  });
  const user = await heddle.user(id);
  expect(instant(user.custom_events?.[0]?.first)).toBe(Date.UTC(2004, 4, 6, 7, 8, 9));
  expect(instant(user.purchases?.[0]?.first)).toBe(Date.UTC(1999, 11, 31));
});

test("a purchase of quantity n counts as n and brings n times the price", async () => {
  const id = fresh();
  await heddle.track({
    purchases: [{ ...purchase, external_id: id, price: 19.99, quantity: 3 }, { ...purchase, external_id: id, price: 0.01 }],
  });
  expect(await heddle.user(id)).toMatchObject({ purchases: [{ name: "p", count: 4 }], total_revenue: 59.98 });
});

test("total_revenue is exact where binary floating point is not", async () => {
  const id = fresh();
  const prices = [0.1, 0.2, 0.7, 4.35, 1.1, 2.2, 33.33, 1.005];
  await heddle.track({ purchases: prices.map((price) => ({ ...purchase, external_id: id, price })) });
  const tenths = Array.from({ length: 70 }, () => ({ ...purchase, external_id: id, price: 0.1 }));
  await heddle.track({ purchases: tenths });
  // 1.005 is rounded half away from zero to 1.01 as the decimal it was sent as.
  expect((await heddle.user(id)).total_revenue).toBe(49.99);
});

for (
  const [price, quantity, revenue] of [[1.005, 1, 1.01], [0.335, 3, 1.01], [2.675, 100, 267.5], [0, 5, 0], [99999.99, 100, 9999999], [
    1e-7,
    1,
    0,
  ]] as const
) {
  test(`a price of ${price} times ${quantity} brings ${revenue}`, async () => {
    const id = fresh();
    const answer = await heddle.post("/users/track", {
      purchases: [{ ...purchase, external_id: id, price, quantity }, { ...purchase, external_id: id, price: 0 }],
    });
    expect(answer.status).toBe(201);
    expect((await heddle.user(id)).total_revenue ?? 0).toBe(revenue);
  });
}

test("total_revenue adds other currencies at the declared rate and leaves out those without", async () => {
  const id = fresh();
  await heddle.track({
    purchases: [
      { ...purchase, external_id: id, price: 10 },
      { ...purchase, external_id: id, price: 100, currency: "EUR" },
      { ...purchase, external_id: id, price: 5, currency: "JPY" },
    ],
  });
  expect(await heddle.user(id)).toMatchObject({ total_revenue: 118, purchases: [{ name: "p", count: 3 }] });
});

test("products are summed apart; a numeric product_id is text", async () => {
  const id = fresh();
  await heddle.track({
    purchases: [{ ...purchase, external_id: id, product_id: 17 }, { ...purchase, external_id: id, product_id: "17" }, {
      ...purchase,
      external_id: id,
      product_id: "x",
    }],
  });
  const products = ((await heddle.user(id)).purchases ?? []).map(({ name, count }) => [name, count]).toSorted();
  expect(products).toEqual([["17", 2], ["x", 1]]);
});

for (
  const [field, wrongs] of Object.entries({
    product_id: [undefined, "", null, {}, true, "x".repeat(256)],
    currency: [undefined, "", "US", "dollars", "XXQ", 840, null],
    price: [undefined, "ten", null, {}, true],
    quantity: [0, -1, 101, 1.5, "two", {}],
    time: [undefined],
    properties: ["x", 1, [1]],
    app_id: [5, {}],
  })
) {
  for (const wrong of wrongs) {
    test(`a purchase with ${field} ${JSON.stringify(wrong)?.slice(0, 20)} is refused`, async () => {
      const { type } = await heddle.verdict("purchases", { ...purchase, external_id: fresh(), [field]: wrong });
      if (field === "quantity") expect(type).toBe("'quantity' is not valid");
    });
  }
}

for (const name of [undefined, "", null, 5, {}, "n".repeat(256)]) {
  test(`an event named ${JSON.stringify(name)?.slice(0, 20)} is refused`, async () => {
    await heddle.verdict("events", { external_id: fresh(), name, time });
  });
}

test("names of the language are plain names of events and products", async () => {
  const id = fresh();
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  await heddle.track({
    events: names.map((name) => ({ external_id: id, name, time })),
    purchases: names.map((product_id) => ({ ...purchase, external_id: id, product_id })),
  });
  const user = await heddle.user(id);
  expect(user.custom_events?.map((event) => event.name).toSorted()).toEqual(names.toSorted());
  expect(user.purchases?.map((each) => each.name).toSorted()).toEqual(names.toSorted());
});

test("properties of every type are taken", async () => {
  const id = fresh();
  const properties = { n: 1.5, b: true, s: "text", at: "2026-01-01", list: ["a", 1], nested: { deep: { x: 1 } }, ["p".repeat(254)]: 1 };
  const answer = await heddle.post("/users/track", {
    events: [{ external_id: id, name: "e", time, properties }],
    purchases: [{ ...purchase, external_id: id, properties }],
  });
  expect(answer.body).toEqual({ message: "success", events_processed: 1, purchases_processed: 1 });
});

for (
  const [title, properties] of [
    ["an empty name", { "": 1 }],
    ["a name that begins with a dollar sign", { $a: 1 }],
    ["a name of 256 characters", { ["p".repeat(256)]: 1 }],
    ["the reserved name time", { time: 1 }],
    ["the reserved name event_name", { event_name: "x" }],
    ["more than 50 KB in arrays", { list: Array.from({ length: 300 }, () => "x".repeat(200)) }],
    ["more than 50 KB in objects", { a: Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`k${at}`, "x".repeat(250)])) }],
  ] as const
) {
  test(`properties with ${title} are refused`, async () => {
    await heddle.verdict("events", { external_id: fresh(), name: "e", time, properties });
    if (!("event_name" in properties) && !("time" in properties)) {
      await heddle.verdict("purchases", { ...purchase, external_id: fresh(), properties });
    }
  });
}

test("properties are not kept on the profile", async () => {
  const id = fresh();
  await heddle.track({ events: [{ external_id: id, name: "e", time, properties: { secret_word: "xyzzy" } }] });
  expect(JSON.stringify(await heddle.user(id))).not.toContain("xyzzy");
});

test("app_id is a text that may be left out, of events and purchases", async () => {
  const id = fresh();
  for (const app_id of [undefined, "app-1", "any placeholder"]) {
    await heddle.track({ events: [{ external_id: id, name: "e", time, app_id }], purchases: [{ ...purchase, external_id: id, app_id }] });
  }
  expect(await heddle.user(id)).toMatchObject({ custom_events: [{ count: 3 }], purchases: [{ count: 3 }] });
  for (const wrong of [5, {}]) await heddle.verdict("events", { external_id: id, name: "e", time, app_id: wrong });
});

test("properties of an event that are no object are refused", async () => {
  for (const properties of ["x", 1, [1]]) await heddle.verdict("events", { external_id: fresh(), name: "e", time, properties });
});

test("properties without arrays and objects may be larger than 50 KB", async () => {
  const properties = Object.fromEntries(Array.from({ length: 256 }, (_, at) => [`p${at}`, "x".repeat(255)]));
  const answer = await heddle.post("/users/track", {
    events: [{ external_id: fresh(), name: fresh("event"), time, properties }],
    purchases: [{ ...purchase, external_id: fresh(), product_id: fresh("product"), properties }],
  });
  expect(answer.body).toEqual({ message: "success", events_processed: 1, purchases_processed: 1 });
});

test("a property may have a name of 254 characters and not 255", async () => {
  const sent = (chars: number) => ({
    events: [{ external_id: fresh(), name: "e", time, properties: { ["p".repeat(chars)]: 1 } }],
    purchases: [{ ...purchase, external_id: fresh(), properties: { ["é".repeat(chars)]: 1 } }],
  });
  expect((await heddle.post("/users/track", sent(254))).body).toEqual({ message: "success", events_processed: 1, purchases_processed: 1 });
  expect((await heddle.post("/users/track", sent(255))).status).toBe(400);
});

test("revenue_by_currency has each currency for itself", async () => {
  const id = fresh();
  await heddle.track({
    purchases: [["USD", 1.5], ["EUR", 2], ["USD", 1], ["JPY", 5]].map(([currency, price]) => ({
      ...purchase,
      external_id: id,
      currency,
      price,
    })),
  });
  const [user] = await heddle.find({ external_ids: [id], fields_to_export: ["revenue_by_currency"] });
  expect(user?.["revenue_by_currency"]).toEqual({ USD: 2.5, EUR: 2, JPY: 5 });
});
