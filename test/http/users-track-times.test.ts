/** POST /users/track: every form of a date, in custom attributes and as the time of events and purchases. */
import { expect, test } from "vitest";
import { fresh, heddleSuite, instant } from "../suite.ts";

const heddle = heddleSuite();

/** Forms that api-facts 2.5 and 2.6 list, and the instant they mean. */
const dates: readonly (readonly [text: string, at: number])[] = [
  ["2026-03-01T12:30:45Z", Date.UTC(2026, 2, 1, 12, 30, 45)],
  ["2026-03-01T12:30:45.678Z", Date.UTC(2026, 2, 1, 12, 30, 45, 678)],
  ["2026-03-01T12:30:45+02:00", Date.UTC(2026, 2, 1, 10, 30, 45)],
  ["2026-03-01T12:30:45.5-05:00", Date.UTC(2026, 2, 1, 17, 30, 45, 500)],
  ["2026-03-01T12:30:45:678Z", Date.UTC(2026, 2, 1, 12, 30, 45, 678)],
  ["2026-03-01T12:30:45:678+0100", Date.UTC(2026, 2, 1, 11, 30, 45, 678)],
  ["2026-03-01T12:30:45", Date.UTC(2026, 2, 1, 12, 30, 45)],
  ["2026-03-01 12:30:45", Date.UTC(2026, 2, 1, 12, 30, 45)],
  ["2026-03-01", Date.UTC(2026, 2, 1)],
  ["03/01/2026", Date.UTC(2026, 2, 1)],
  ["2019-02-15 00:00:00 -0500", Date.UTC(2019, 1, 15, 5)],
  ["2024-02-29", Date.UTC(2024, 1, 29)],
];

for (const [text, at] of dates) {
  test(`custom attribute "${text}" becomes a time`, async () => {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, v: text }] });
    expect(instant((await heddle.user(id)).custom_attributes?.v)).toBe(at);
  });
  test(`event and purchase at "${text}" count at this instant`, async () => {
    const id = fresh();
    await heddle.track({
      events: [{ external_id: id, name: "e", time: text }],
      purchases: [{ external_id: id, product_id: "p", currency: "USD", price: 1, time: text }],
    });
    const user = await heddle.user(id);
    expect(instant(user.custom_events?.[0]?.first)).toBe(at);
    expect(instant(user.purchases?.[0]?.last)).toBe(at);
  });
}

/** Forms of ISO 8601 that few clients send; of a custom attribute only `{ "$time": text }` makes them times. */
const rareForms: readonly (readonly [text: string, at: number])[] = [
  ["20240101T000000Z", Date.UTC(2024, 0, 1)],
  ["20240101T123045.678+0100", Date.UTC(2024, 0, 1, 11, 30, 45, 678)],
  ["20240101T1230Z", Date.UTC(2024, 0, 1, 12, 30)],
  ["20240101", Date.UTC(2024, 0, 1)],
  ["2024-01-01T12:30:45+1:00", Date.UTC(2024, 0, 1, 11, 30, 45)],
  ["2024-01-01T12Z", Date.UTC(2024, 0, 1, 12)],
  ["2024-01-01T12:30.5Z", Date.UTC(2024, 0, 1, 12, 30, 30)],
  ["20240101T1230,5Z", Date.UTC(2024, 0, 1, 12, 30, 30)],
  ["2024-01-01T12,25Z", Date.UTC(2024, 0, 1, 12, 15)],
  ["2024-W01-1T12:00:00Z", Date.UTC(2024, 0, 1, 12)],
  ["2024-366", Date.UTC(2024, 11, 31)],
  ["2024-01-01T24:00:00Z", Date.UTC(2024, 0, 2)],
  ["2016-12-31T23:59:60Z", Date.UTC(2017, 0, 1)],
];

test("every form of ISO 8601 that can be read in one way is taken as the time of events and purchases, and in $time", async () => {
  for (const [text, at] of rareForms) {
    const id = fresh();
    const answer = await heddle.track({
      attributes: [{ external_id: id, v: { $time: text }, marked_email_as_spam_at: text }],
      events: [{ external_id: id, name: "e", time: text }],
      purchases: [{ external_id: id, product_id: "p", currency: "USD", price: 1, time: text }],
    });
    expect(answer.body, text).toEqual({ attributes_processed: 1, events_processed: 1, purchases_processed: 1, message: "success" });
    const user = await heddle.user(id);
    expect([instant(user.custom_events?.[0]?.first), instant(user.purchases?.[0]?.last), instant(user.custom_attributes?.v)]).toEqual([
      at,
      at,
      at,
    ]);
  }
});

test("a text of a custom attribute that may be a number or a code stays a text", async () => {
  for (const text of ["20240101", "20240101T000000Z", "2024-W01-1", "2024-366"]) {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, v: text }] });
    expect((await heddle.user(id)).custom_attributes?.v).toBe(text);
  }
});

test("forms that can be read in two ways, and days that are not in the calendar, are refused", async () => {
  for (
    const time of [
      "2024-01-01T12:00:00+100",
      "2024-W01",
      "1550233496",
      "2023-366",
      "20240230T000000Z",
      "2024-01-01T24:00:01Z",
      "2024-01-01T12:00:60Z",
    ]
  ) {
    await heddle.verdict("events", { external_id: fresh(), name: "e", time });
  }
});

for (const [text, at] of [["12-1-2021", Date.UTC(2021, 11, 1)], ["12/1/2021", Date.UTC(2021, 11, 1)]] as const) {
  test(`custom attribute "${text}" looks like a date and becomes a time`, async () => {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, v: text }] });
    expect(instant((await heddle.user(id)).custom_attributes?.v)).toBe(at);
  });
}

test("custom attribute with $time is a time, at the top and inside an object", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, v: { $time: "2026-03-01" }, nested: { at: { $time: "2026-03-01T12:00:00Z" } } }] });
  const custom = (await heddle.user(id)).custom_attributes;
  expect(instant(custom?.v)).toBe(Date.UTC(2026, 2, 1));
  const nested = custom?.nested;
  expect(typeof nested === "object" && nested !== null && "at" in nested ? instant(nested.at) : undefined).toBe(Date.UTC(2026, 2, 1, 12));
});

for (const text of ["2026-13-01", "2026-02-30", "1234", "hello 2026-03-01", "3001-01-01T00:00:00Z", "2026", "12:30"]) {
  test(`custom attribute "${text}" stays a text`, async () => {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, v: text }] });
    expect((await heddle.user(id)).custom_attributes?.v).toBe(text);
  });
}

for (const time of ["yesterday", "", "2026-13-01", "2026-02-30T00:00:00Z", "25:00", null, {}, true, ["2026-03-01"]]) {
  test(`an event or purchase at ${JSON.stringify(time)} is refused`, async () => {
    await heddle.verdict("events", { external_id: fresh(), name: "e", time });
    await heddle.verdict("purchases", { external_id: fresh(), product_id: "p", currency: "USD", price: 1, time });
  });
}

test("an event without time is refused", async () => {
  await heddle.verdict("events", { external_id: fresh(), name: "e" });
  await heddle.verdict("purchases", { external_id: fresh(), product_id: "p", currency: "USD", price: 1 });
});

test("a time in the future becomes now", async () => {
  const id = fresh();
  const before = Date.now() - 1000;
  await heddle.track({ events: [{ external_id: id, name: "e", time: "2900-01-01T00:00:00Z" }] });
  const at = instant((await heddle.user(id)).custom_events?.[0]?.last);
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(Date.now() + 1000);
});

test("the form that begins with the day of the week is a time", async () => {
  for (const text of ["Sun 03 01 12:30:45.UTC 2026", "Sun 03 01 12:30:45.+0000 2026"]) {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, v: text }], events: [{ external_id: id, name: "e", time: text }] });
    const user = await heddle.user(id);
    const at = Date.UTC(2026, 2, 1, 12, 30, 45);
    expect([instant(user.custom_attributes?.v), instant(user.custom_events?.[0]?.first)], text).toEqual([at, at]);
  }
});

test("a nested date of a year above 3000 is not stored", async () => {
  const id = fresh();
  const answer = await heddle.track({ attributes: [{ external_id: id, ok: 1, v: { at: { $time: "3001-01-01T00:00:00Z" }, a: 1 } }] });
  expect((await heddle.user(id)).custom_attributes).toEqual({ ok: 1 });
  expect(answer.body.errors).toMatchObject([{ field: "v" }]);
});
