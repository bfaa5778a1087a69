/** Tests of the check of a whole body: counts, verdicts, limits (POST /users/track; api-facts 2.1, 2.8). */
import { expect, test } from "vitest";
import { Refusal } from "../../../../platform/refusal.ts";
import { type CheckOptions, checkTrack } from "./check-track.ts";

const options: CheckOptions = { objectsPerArrayMax: 75, objectsMax: 0, objectsPerUserMax: 0 };
const attribute = { external_id: "u", colour: "red" };
const event = { external_id: "u", name: "opened", time: "2019-02-15" };
const purchase = { external_id: "u", product_id: "p", currency: "USD", price: 1, time: "2019-02-15" };
const nothingValid = "Valid data must be provided in the 'attributes', 'events', or 'purchases' fields.";

function refusalOf(body: unknown, changed: Partial<CheckOptions> = {}): Refusal {
  try {
    checkTrack(body, { ...options, ...changed });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("The body was taken");
}

test("checkTrack() returns attributes, then events, then purchases, each in array order (api-facts 1.5)", () => {
  const report = checkTrack({ purchases: [purchase], events: [event, { ...event, name: "closed" }], attributes: [attribute] }, options);
  expect(report.objects.map((object) => object.kind)).toEqual(["attribute", "event", "event", "purchase"]);
  expect(report.objects.map((object) => (object.kind === "event" ? object.name : ""))).toEqual(["", "opened", "closed", ""]);
  expect(report).toMatchObject({ attributesProcessed: 1, eventsProcessed: 2, purchasesProcessed: 1, errors: [] });
});

test("checkTrack() has a count for the arrays that were sent alone (api-facts 2.1)", () => {
  expect(Object.keys(checkTrack({ events: [event] }, options)).sort()).toEqual(["errors", "eventsProcessed", "objects"]);
  expect(checkTrack({ events: [event], purchases: [], attributes: null }, options)).toMatchObject({
    eventsProcessed: 1,
    purchasesProcessed: 0,
  });
});

test("checkTrack() counts accepted objects and names the rest by array and index (api-facts 2.1)", () => {
  const report = checkTrack({ events: [{ ...event, time: 5 }, event], purchases: [purchase, { ...purchase, quantity: 0 }, 5] }, options);
  expect(report).toMatchObject({ eventsProcessed: 1, purchasesProcessed: 1 });
  expect(report.errors).toEqual([
    { type: "'time' is not a valid date: send a string in ISO 8601, such as '2024-01-31T12:00:00Z'", inputArray: "events", index: 0 },
    { type: "'quantity' is not valid", inputArray: "purchases", index: 1 },
    { type: "The element must be an object", inputArray: "purchases", index: 2 },
  ]);
});

test('checkTrack() keeps identical objects apart ("Event object")', () => {
  expect(checkTrack({ events: [event, event, event] }, options).objects).toHaveLength(3);
});

test("checkTrack() ignores unknown keys at the top (api-facts 1.5, 11.15)", () => {
  const body = JSON.parse('{"partner":"x","api_key":"k","__proto__":{"events":[1]},"constructor":1,"attributes":[{"external_id":"u"}]}');
  expect(checkTrack(body, options)).toEqual({
    objects: [{ kind: "attribute", user: { by: "externalId", id: "u" }, updateOnly: false }],
    attributesProcessed: 1,
    errors: [],
  });
});

test.each([
  ["a text", "x"],
  ["a number", 5],
  ["null", null],
  ["nothing", undefined],
  ["an array", [attribute]],
  ["true", true],
])("checkTrack() refuses a body that is %s", (_, body) => {
  expect(refusalOf(body)).toMatchObject({ reason: "INPUT_INVALID", message: "The body must be a JSON object" });
});

test.each(["attributes", "events", "purchases"])("checkTrack() refuses %s that are no array, and names them", (name) => {
  for (const value of [{}, "x", 5, false, attribute]) {
    expect(refusalOf({ [name]: value })).toMatchObject({ reason: "INPUT_INVALID", message: `'${name}' must be an array of objects` });
  }
});

test.each([
  ["no array", {}],
  ["empty arrays", { attributes: [], events: [], purchases: [] }],
  ["null arrays", { attributes: null }],
  ["arrays in an inherited key", Object.create({ attributes: [attribute] })],
])("checkTrack() has nothing valid in %s (api-facts 2.1)", (_, body) => {
  expect(refusalOf(body)).toMatchObject({ reason: "NOTHING_VALID", message: nothingValid, details: { errors: [] } });
});

test("checkTrack() with no valid object shows each verdict (api-facts 2.1)", () => {
  const refusal = refusalOf({ attributes: [{}], events: [null], purchases: [[]] });
  expect(refusal).toMatchObject({ reason: "NOTHING_VALID", message: nothingValid });
  expect(refusal.details.errors).toEqual([
    { type: "'external_id', 'braze_id', 'user_alias', 'email' or 'phone' is required", input_array: "attributes", index: 0 },
    { type: "The element must be an object", input_array: "events", index: 0 },
    { type: "The element must be an object", input_array: "purchases", index: 0 },
  ]);
});

test("checkTrack() takes 75 of each and refuses 76 of any, valid or not (Limits)", () => {
  const body = { attributes: times(75, attribute), events: times(75, event), purchases: times(75, purchase) };
  expect(checkTrack(body, options).objects).toHaveLength(225);
  for (const name of ["attributes", "events", "purchases"]) {
    expect(refusalOf({ ...body, [name]: times(76, null) })).toMatchObject({
      reason: "BATCH_TOO_LARGE",
      message: "Max Input Length Exceeded",
    });
  }
});

test("checkTrack() takes 50 objects in all on a monthly-active-user plan and refuses 51 (Limits)", () => {
  const mau = { objectsMax: 50 };
  expect(checkTrack({ attributes: times(20, attribute), events: times(30, event) }, { ...options, ...mau }).objects).toHaveLength(50);
  expect(refusalOf({ attributes: times(20, attribute), events: times(31, event) }, mau).reason).toBe("BATCH_TOO_LARGE");
});

test("checkTrack() takes 100 objects for one user and refuses 101 (api-facts 2.9, bulk)", () => {
  const bulk = { objectsPerArrayMax: 0, objectsMax: 1_000, objectsPerUserMax: 100 };
  const others = Array.from({ length: 800 }, (_, at) => ({ ...event, external_id: at }));
  expect(checkTrack({ attributes: times(50, attribute), events: [...times(50, event), ...others] }, bulk).objects).toHaveLength(900);
  expect(refusalOf({ attributes: times(50, attribute), events: times(51, event) }, bulk).reason).toBe("BATCH_TOO_LARGE");
  const alias = { ...event, external_id: null, user_alias: { alias_name: "n", alias_label: "l" } };
  expect(refusalOf({ events: times(101, alias) }, bulk).reason).toBe("BATCH_TOO_LARGE");
});

test("checkTrack() without limits takes any number", () => {
  const none = { objectsPerArrayMax: 0, objectsMax: 0, objectsPerUserMax: 0 };
  expect(checkTrack({ events: times(2_000, event) }, none).eventsProcessed).toBe(2_000);
});

test.each([
  ["a lone surrogate in a value", '{"external_id":"u","a":"\\ud800"}', "A text holds half of a surrogate pair", "a"],
  ["a lone surrogate in a name", '{"external_id":"u","\\udc00":1}', "A text holds half of a surrogate pair", undefined],
  ["a lone surrogate deep down", '{"external_id":"u","a":[{"b":["\\ud800x"]}]}', "A text holds half of a surrogate pair", "a"],
  ["a lone surrogate in the identifier", '{"external_id":"\\ud800"}', "A text holds half of a surrogate pair", "external_id"],
  ["__proto__ at the top", '{"external_id":"u","__proto__":{"polluted":true}}', "The name '__proto__' is not allowed", undefined],
  ["__proto__ deep down", '{"external_id":"u","a":{"b":[{"__proto__":1}]}}', "The name '__proto__' is not allowed", "a"],
  ["a number beyond the doubles", '{"external_id":"u","a":{"b":1e999}}', "A number is too large", "a"],
])("checkTrack() has a verdict for %s, in any array, with the field", (_, text, type, field) => {
  const raw = JSON.parse(text);
  const time = { name: "n", time: "2019-02-15" };
  const bodies = [
    [{ attributes: [raw] }, field],
    [{ events: [{ ...time, properties: raw }] }, "properties"],
    [{ purchases: [{ properties: raw }] }, "properties"],
  ] as const;
  for (const [body, named] of bodies) {
    const refusal = refusalOf(body);
    expect(refusal.details.errors).toMatchObject([{ type: named === undefined ? type : `${type} (in '${named}')`, index: 0 }]);
  }
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

test("checkTrack() has a verdict for an object that is nested too deep, and does not fall over", () => {
  for (const depth of [64, 100_000]) {
    let deep: unknown = 1;
    for (let at = 0; at < depth; at += 1) deep = [deep];
    expect(refusalOf({ attributes: [{ external_id: "u", deep }] }).details.errors).toMatchObject([{
      type: "The object must be nested at most 64 deep (in 'deep')",
    }]);
  }
});

test("checkTrack() takes objects to 512 KB of compact UTF-8 JSON to the byte", () => {
  const texts = Object.fromEntries(Array.from({ length: 1_860 }, (_, at) => [`n${1_000 + at}`, "é".repeat(135)]));
  function object(...last: number[]): object {
    return { external_id: "u", ...texts, ...Object.fromEntries(last.map((chars, at) => [`m${at}`, "x".repeat(chars)])) };
  }
  const rest = 524_288 - new TextEncoder().encode(JSON.stringify(object(0))).length;
  const fill = Array.from({ length: Math.floor(rest / 220) }, () => 200);
  const left = 524_288 - new TextEncoder().encode(JSON.stringify(object(...fill, 0))).length;
  expect(left).toBeLessThan(255);
  expect(checkTrack({ attributes: [object(...fill, left)] }, options).attributesProcessed).toBe(1);
  expect(refusalOf({ attributes: [object(...fill, left + 1)] }).details.errors).toMatchObject([{
    type: "The object must be at most 524288 bytes of JSON",
  }]);
});

function times(count: number, value: unknown): unknown[] {
  return Array.from({ length: count }, () => value);
}
