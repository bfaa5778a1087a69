/** Tests of event objects and of properties ("Event object", "Event properties" 1 to 5; api-facts 2.6). */
import { expect, test } from "vitest";
import { checkEvent } from "./check-event.ts";

const sent = { external_id: "u", name: "opened", time: "2019-02-15T00:00:00Z" };
const kept = {
  kind: "event",
  user: { by: "externalId", id: "u" },
  updateOnly: false,
  name: "opened",
  time: Date.parse("2019-02-15T00:00:00Z"),
};
const alias = { user_alias: { alias_name: "n", alias_label: "l" }, name: "opened", time: "2019-02-15" };

function check(raw: object): unknown {
  return checkEvent({ ...sent, ...raw });
}

test("checkEvent() leaves out what was not sent, and ignores unknown keys", () => {
  expect(Object.keys(checkEvent({ ...sent, colour: "red" }))).toEqual(["kind", "user", "updateOnly", "name", "time"]);
});

test.each([
  ["app_id", { app_id: "a" }, { appId: "a" }],
  ["a placeholder app_id", { app_id: "-" }, { appId: "-" }],
  ["an empty app_id as none", { app_id: "" }, {}],
  ["a null app_id as none", { app_id: null }, {}],
  ["null properties as none", { properties: null }, {}],
  ["empty properties as none", { properties: {} }, {}],
  ["properties", { properties: { a: 1, b: "x", c: true, d: [1, [null]], e: { f: "2019-02-15" }, g: "2019-02-15" } }, {
    properties: { a: 1, b: "x", c: true, d: [1, [null]], e: { f: "2019-02-15" }, g: "2019-02-15" },
  }],
  ["null properties among others as not sent", { properties: { a: 1, b: null } }, { properties: { a: 1 } }],
  ["only null properties as none", { properties: { b: null } }, {}],
  ["a property name of 254 characters", { properties: { ["n".repeat(254)]: 1 } }, { properties: { ["n".repeat(254)]: 1 } }],
  ["a dollar inside of a property name", { properties: { a$: 1 } }, { properties: { a$: 1 } }],
  ["reserved names below the top", { properties: { a: { time: 1, event_name: 2, $x: 3 } } }, {
    properties: { a: { time: 1, event_name: 2, $x: 3 } },
  }],
  ["a property of 255 characters", { properties: { a: "x".repeat(255) } }, { properties: { a: "x".repeat(255) } }],
  ["a name of 255 characters", { name: "n".repeat(255) }, { name: "n".repeat(255) }],
  ["the recorded time form", { time: "2019-02-15 00:00:00 -0500" }, { time: Date.parse("2019-02-15T05:00:00Z") }],
  ["yyyy-MM-dd'T'HH:mm:ss:SSSZ", { time: "2019-02-15T00:00:00:001+0000" }, { time: Date.parse("2019-02-15T00:00:00.001Z") }],
  ["an email beside the primary, ignored", { email: 7, phone: 7 }, {}],
])("checkEvent() takes %s (api-facts 2.6)", (_, raw, expected) => {
  expect(check(raw)).toEqual({ ...kept, ...expected });
});

test.each([
  ["external_id", sent, false],
  ["external_id, and false", { ...sent, _update_existing_only: false }, false],
  ["external_id, and true", { ...sent, _update_existing_only: true }, true],
  ["user_alias", alias, true],
  ["user_alias, and true", { ...alias, _update_existing_only: true }, true],
  ["user_alias, and false", { ...alias, _update_existing_only: false }, true],
])("checkEvent() by %s (%j) is update-only: %s (api-facts 12)", (_, raw, expected) => {
  expect(checkEvent(raw).updateOnly).toBe(expected);
});

test("checkEvent() keeps the first 256 properties and ignores the rest (api-facts 2.6)", () => {
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, at]));
  const event = checkEvent({ ...sent, properties: { nothing: null, ...properties } });
  expect(event.properties).toEqual(Object.fromEntries(Object.entries(properties).slice(0, 256)));
});

test('checkEvent() counts 50 KB of UTF-8 where arrays or objects are among the properties ("Event properties" 3)', () => {
  function properties(chars: number): object {
    return { list: ["é".repeat(chars)] };
  }
  const most = (51_200 - JSON.stringify(properties(0)).length) / 2;
  expect(check({ properties: properties(most) })).toEqual({ ...kept, properties: properties(most) });
  expect(() => check({ properties: properties(most + 1) })).toThrow("'properties' with arrays or objects must be at most 51200 bytes");
  const flat = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`p${at}`, "x".repeat(255)]));
  expect(check({ properties: flat })).toEqual({ ...kept, properties: flat });
  expect(() => check({ properties: { ...flat, list: [] } })).toThrow("51200 bytes");
});

const notADate = "'time' is not a valid date: send a string in ISO 8601, such as '2024-01-31T12:00:00Z'";

test.each([
  ["no name", { name: undefined }, "'name' is required"],
  ["a null name", { name: null }, "'name' is required"],
  ["an empty name", { name: "" }, "'name' must be a string of 1 to 255 characters"],
  ["a numeric name", { name: 5 }, "'name' must be a string of 1 to 255 characters"],
  ["a name of 256 characters", { name: "n".repeat(256) }, "'name' must be a string of 1 to 255 characters"],
  ["no time", { time: undefined }, "'time' is required"],
  ["a null time", { time: null }, "'time' is required"],
  ["a numeric time", { time: 1_550_233_496 }, notADate],
  ["a number as text", { time: "1550233496" }, notADate],
  ["a date that is none", { time: "2019-02-30" }, notADate],
  ["a numeric app_id", { app_id: 5 }, "'app_id' must be a string of at most 255 characters"],
  ["an app_id of 256 characters", { app_id: "a".repeat(256) }, "'app_id' must be a string of at most 255 characters"],
  ["properties in an array", { properties: [] }, "'properties' must be an object"],
  ["properties as text", { properties: "{}" }, "'properties' must be an object"],
  ["an empty property name", { properties: { "": 1 } }, "The name of a property must have 1 to 254 characters"],
  ["a property name of 255 characters", { properties: { ["n".repeat(255)]: 1 } }, "The name of a property must have 1 to 254 characters"],
  ["a property name with a leading dollar", { properties: { $a: 1 } }, "The name of a property must not start with '$'"],
  ["the property time", { properties: { time: 1 } }, "The name 'time' is reserved and cannot be a property"],
  ["the property event_name", { properties: { event_name: null } }, "The name 'event_name' is reserved and cannot be a property"],
  ["a property of 256 characters", { properties: { a: "x".repeat(256) } }, "The property 'a' is longer than 255 characters"],
  ["a flag that is no boolean", { _update_existing_only: "true" }, "'_update_existing_only' must be true or false"],
])('checkEvent() refuses %s ("Event object"; api-facts 2.6)', (_, raw, text) => {
  expect(() => check(raw)).toThrow(text);
});
