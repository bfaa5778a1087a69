/** Tests of attributes objects: control keys, addresses, standard fields and consent ("Attributes object"; api-facts 2.3, 2.4). */
import { expect, test } from "vitest";
import { checkAttributes } from "./check-attributes.ts";
import { FieldFaults } from "../values/check-verdict.ts";

const user = { by: "externalId", id: "u" } as const;
const base = { kind: "attribute", user, updateOnly: false };
const alias = { user_alias: { alias_name: "n", alias_label: "l" } };

function check(raw: object): unknown {
  return checkAttributes({ external_id: "u", ...raw });
}

test("checkAttributes() leaves out what was not sent", () => {
  expect(Object.keys(checkAttributes({ external_id: "u" }))).toEqual(["kind", "user", "updateOnly"]);
});

test.each([
  ["external_id", { external_id: "u" }, false],
  ["external_id, and false", { external_id: "u", _update_existing_only: false }, false],
  ["external_id, and true", { external_id: "u", _update_existing_only: true }, true],
  ["email", { email: "a@example.com" }, false],
  ["phone, and true", { phone: "+12025550123", _update_existing_only: true }, true],
  ["user_alias", alias, true],
  ["user_alias, and true", { ...alias, _update_existing_only: true }, true],
  ["user_alias, and false", { ...alias, _update_existing_only: false }, false],
])("checkAttributes() by %s (%j) is update-only: %s (POST /users/track, rule 1)", (_, raw, expected) => {
  expect(checkAttributes(raw).updateOnly).toBe(expected);
});

test.each(["_update_existing_only", "_merge_objects", "push_token_import"])(
  "checkAttributes() refuses a %s that is no boolean",
  (field) => {
    for (const value of ["true", 1, {}]) expect(() => check({ [field]: value })).toThrow(`'${field}' must be true or false`);
  },
);

test.each([
  ["email beside a primary", { email: " A@Example.com" }, { email: "a@example.com" }],
  ["email null", { email: null }, { email: null }],
  ["phone beside a primary", { phone: "2025550123" }, { phone: "+12025550123" }],
  ["phone null", { phone: null }, { phone: null }],
  ["both", { email: "a@example.com", phone: "+12025550123" }, { email: "a@example.com", phone: "+12025550123" }],
])("checkAttributes() writes %s (api-facts 2.3)", (_, raw, expected) => {
  expect(check(raw)).toEqual({ ...base, ...expected });
});

test.each([
  ["email", { email: "a@example.com" }, {}],
  ["email, and a phone as data", { email: "a@example.com", phone: "+12025550123" }, { phone: "+12025550123" }],
  ["phone", { phone: "+12025550123" }, {}],
  ["phone, and takes the email away", { phone: "+12025550123", email: null }, { email: null }],
])("checkAttributes() has as its key %s (api-facts 2.3)", (_, raw, expected) => {
  const { user, ...rest } = checkAttributes(raw);
  expect(["email", "phone"]).toContain(user.by);
  expect(rest).toEqual({ kind: "attribute", updateOnly: false, ...expected });
});

test.each([
  ["an invalid email beside a primary", { email: "nobody" }, "The value provided for the 'email' field is not a valid email."],
  [
    "an invalid phone beside a primary",
    { phone: "1" },
    "The value provided for the 'phone' field is not a valid phone number: send a string in E.164, such as '+12015550123'",
  ],
])("checkAttributes() refuses %s (api-facts 2.4)", (_, raw, text) => {
  expect(() => check(raw)).toThrow(text);
});

test.each([
  ["first_name", "Ann", "Ann"],
  ["last_name", "", null],
  ["home_city", "Zürich", "Zürich"],
  ["image_url", "", null],
  ["push_tokens", [], null],
  ["facebook", {}, null],
  ["twitter", { x: 1 }, null],
  ["image_url", `https://example.com/${"x".repeat(2000)}`, `https://example.com/${"x".repeat(2000)}`],
  ["country", "DE", "DE"],
  ["country", "Australia", "AU"],
  ["country", "Atlantis", null],
  ["language", "de", "de"],
  ["dob", "1980-02-29", "1980-02-29"],
  ["gender", "M", "M"],
  ["gender", "F", "F"],
  ["gender", "O", "O"],
  ["gender", "N", "N"],
  ["gender", "P", "P"],
  ["time_zone", "Europe/Berlin", "Europe/Berlin"],
  ["time_zone", "America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
  ["time_zone", "UTC", "UTC"],
  ["time_zone", "Eastern Time (US & Canada)", "Eastern Time (US & Canada)"],
  ["current_location", { longitude: -180, latitude: 90 }, { longitude: -180, latitude: 90 }],
  ["current_location", { longitude: 0, latitude: 0, altitude: 5 }, { longitude: 0, latitude: 0 }],
  ["date_of_first_session", "2019-02-15 00:00:00 -0500", "2019-02-15T05:00:00.000Z"],
  ["date_of_last_session", "2019-02-15", "2019-02-15T00:00:00.000Z"],
  ["marked_email_as_spam_at", "2019-02-15T01:02:03:004Z", "2019-02-15T01:02:03.004Z"],
  ["push_subscribe", "opted_in", "opted_in"],
  ["push_subscribe", "subscribed", "subscribed"],
  ["push_subscribe", "unsubscribed", "unsubscribed"],
  ["email_open_tracking_disabled", true, true],
  ["email_click_tracking_disabled", false, false],
  ["push_tokens", [{ app_id: "a", token: "t", device_id: "12345678", x: 1 }, { app_id: "b", token: "s" }], [{
    app_id: "a",
    token: "t",
    device_id: "12345678",
  }, { app_id: "b", token: "s" }]],
  ["facebook", { id: 12, likes: ["tea"], num_friends: 3, x: 1 }, { id: "12", likes: ["tea"], num_friends: 3 }],
  ["twitter", { id: 1, screen_name: "ann", followers_count: 0, friends_count: 2, statuses_count: 3, x: 1 }, {
    id: 1,
    screen_name: "ann",
    followers_count: 0,
    friends_count: 2,
    statuses_count: 3,
  }],
])("checkAttributes() takes %s %j as %j (api-facts 2.4)", (field, value, kept) => {
  expect(check({ [field]: value })).toEqual({ ...base, fields: [[field, kept]] });
});

const allFields = [
  "first_name",
  "last_name",
  "home_city",
  "country",
  "language",
  "dob",
  "gender",
  "time_zone",
  "current_location",
  "date_of_first_session",
  "date_of_last_session",
  "marked_email_as_spam_at",
  "push_subscribe",
  "email_open_tracking_disabled",
  "email_click_tracking_disabled",
  "push_tokens",
  "image_url",
  "facebook",
  "twitter",
];

test.each(allFields)("checkAttributes() takes %s away with null", (field) => {
  expect(check({ [field]: null })).toEqual({ ...base, fields: [[field, null]] });
});

test.each(allFields.filter((field) => field !== "time_zone"))("checkAttributes() refuses a %s of a wrong type (api-facts 2.4)", (field) => {
  for (const value of [7, [7], ["x"]]) expect(() => check({ [field]: value })).toThrow(`'${field}'`);
});

const location = "'current_location' must have a 'longitude' from -180 to 180 and a 'latitude' from -90 to 90";

test.each([
  ["first_name", "x".repeat(256), "'first_name' must be a string of at most 255 characters"],
  ["image_url", "x".repeat(2049), "'image_url' must be a string of at most 2048 characters"],
  ["language", "German", "'language' must be an ISO 639-1 code"],
  ["dob", "1980-02-30", "'dob' must be a date in the form YYYY-MM-DD"],
  ["dob", "02/15/1980", "'dob' must be a date in the form YYYY-MM-DD"],
  ["dob", "1980-02-15T00:00:00Z", "'dob' must be a date in the form YYYY-MM-DD"],
  ["gender", "X", "'gender' must be 'M', 'F', 'O', 'N', 'P' or null"],
  ["gender", "m", "'gender' must be 'M', 'F', 'O', 'N', 'P' or null"],
  ["gender", "", "'gender' must be 'M', 'F', 'O', 'N', 'P' or null"],
  ["gender", "MF", "'gender' must be 'M', 'F', 'O', 'N', 'P' or null"],
  ["current_location", { longitude: 180.1, latitude: 0 }, location],
  ["current_location", { longitude: 0, latitude: -90.1 }, location],
  ["current_location", { longitude: 0 }, location],
  ["current_location", { longitude: "0", latitude: "0" }, location],
  [
    "date_of_first_session",
    "soon",
    "'date_of_first_session' is not a valid date: send a string in ISO 8601, such as '2024-01-31T12:00:00Z'",
  ],
  [
    "date_of_last_session",
    "2019-02-30",
    "'date_of_last_session' is not a valid date: send a string in ISO 8601, such as '2024-01-31T12:00:00Z'",
  ],
  ["push_subscribe", "yes", "'push_subscribe' must be 'opted_in', 'subscribed' or 'unsubscribed'"],
  ["email_open_tracking_disabled", "true", "'email_open_tracking_disabled' must be true or false"],
  ["push_tokens", [{ app_id: "a" }], "'token' is required"],
  ["push_tokens", [{ token: "t" }], "'app_id' is required"],
  ["push_tokens", [{ app_id: "a", token: "" }], "'token' must be a string of 1 to 4096 characters"],
  ["push_tokens", [{ app_id: 5, token: "t" }], "'app_id' must be a string of 1 to 255 characters"],
  ["push_tokens", [{ app_id: "a", token: "t", device_id: "1234567" }], "'device_id' must be a string of 8 to 255 bytes"],
  ["push_tokens", [{ app_id: "a", token: "t", device_id: "é".repeat(128) }], "'device_id' must be a string of 8 to 255 bytes"],
  ["push_tokens", Array.from({ length: 101 }, () => ({ app_id: "a", token: "t" })), "'push_tokens' must have at most 100 elements"],
  ["facebook", { likes: "tea" }, "'facebook.likes' must be an array of at most 1000 strings"],
  ["facebook", { likes: [1] }, "'facebook.likes' must be a string of at most 255 characters"],
  ["facebook", { num_friends: -1 }, "'facebook.num_friends' must be a whole number"],
  ["twitter", { id: "ann" }, "'twitter.id' must be a whole number"],
  ["twitter", { screen_name: 5 }, "'twitter.screen_name' must be a string of at most 255 characters"],
])("checkAttributes() refuses %s %j (api-facts 2.4)", (field, value, text) => {
  expect(() => check({ [field]: value })).toThrow(text);
});

test.each([["time_zone", "Mars/Olympus"], ["time_zone", "+05:00"], ["time_zone", "europe/berlin"], ["time_zone", 7], [
  "bio",
  "x".repeat(999),
], ["bio", { a: null }]])(
  "checkAttributes() ignores %s %j (api-facts 2.4)",
  (field, value) => {
    expect(check({ [field]: value })).toEqual(base);
  },
);

test("checkAttributes() takes names in other case as custom attributes (api-facts 2.4, case sensitive)", () => {
  expect(check({ First_Name: "Ann", Email: "x" })).toEqual({
    ...base,
    custom: [["First_Name", { op: "set", value: "Ann" }], ["Email", { op: "set", value: "x" }]],
  });
});

test("checkAttributes() keeps custom attributes in the order of the request and never takes a control key for one", () => {
  const raw = {
    b: 1,
    _merge_objects: true,
    a: { x: 1 },
    push_token_import: false,
    _update_existing_only: false,
    constructor: null,
    $odd: true,
  };
  expect(check(raw)).toEqual({
    ...base,
    custom: [
      ["b", { op: "set", value: 1 }],
      ["a", { op: "merge", value: { x: 1 } }],
      ["constructor", { op: "unset" }],
      ["$odd", { op: "set", value: true }],
    ],
  });
});

test("checkAttributes() takes names of 1 to 255 characters (api-facts 2.5)", () => {
  const name = "😀".repeat(255);
  expect(check({ [name]: 1 })).toEqual({ ...base, custom: [[name, { op: "set", value: 1 }]] });
  for (const bad of ["", "x".repeat(256)]) {
    expect(() => check({ [bad]: 1 })).toThrow("The name of an attribute must have 1 to 255 characters");
  }
});

test("checkAttributes() with push_token_import refuses external_id and braze_id, and takes the rest (api-facts 2.4)", () => {
  const text = "'external_id' and 'braze_id' may not be sent with 'push_token_import'";
  expect(() => check({ push_token_import: true })).toThrow(text);
  expect(() => checkAttributes({ braze_id: "5eea769d45bb2e1467418f92", push_token_import: true })).toThrow(text);
  expect(() => checkAttributes({ push_token_import: true })).toThrow("is required");
  expect(checkAttributes({ ...alias, push_token_import: true }).user.by).toBe("alias");
  expect(checkAttributes({ email: "a@example.com", push_token_import: true }).user.by).toBe("email");
});

const group = { subscription_group_id: "g", subscription_state: "subscribed" };

test.each([
  ["email_subscribe opted_in", { email_subscribe: "opted_in" }, { emailSubscribe: "opted_in" }],
  ["email_subscribe subscribed", { email_subscribe: "subscribed" }, { emailSubscribe: "subscribed" }],
  ["email_subscribe unsubscribed", { email_subscribe: "unsubscribed" }, { emailSubscribe: "unsubscribed" }],
  [
    "subscription_groups",
    { subscription_groups: [group, { ...group, subscription_state: "unsubscribed", use_double_opt_in_logic: true }] },
    { subscriptionGroups: [{ id: "g", state: "subscribed" }, { id: "g", state: "unsubscribed" }] },
  ],
  ["both", { email_subscribe: "subscribed", subscription_groups: [group] }, {
    emailSubscribe: "subscribed",
    subscriptionGroups: [{ id: "g", state: "subscribed" }],
  }],
])('checkAttributes() takes %s ("Attributes object")', (_, raw, consent) => {
  expect(check(raw)).toEqual({ ...base, consent });
});

test("checkAttributes() means a known group by its UUID in any case, and by no other id", () => {
  const known = new Set(["0190aaaa-bbbb-7ccc-8ddd-eeeeffff0000", "g"]);
  const sent = ["0190AAAA-BBBB-7CCC-8DDD-EEEEFFFF0000", "G"].map((subscription_group_id) => ({ ...group, subscription_group_id }));
  const faults = new FieldFaults();
  expect(checkAttributes({ external_id: "u", subscription_groups: sent }, faults, known).consent).toEqual({
    subscriptionGroups: [{ id: "0190aaaa-bbbb-7ccc-8ddd-eeeeffff0000", state: "subscribed" }],
  });
  expect(faults.list.map(({ text }) => text)).toEqual(["Invalid subscription group ID: 'G' is no group of this workspace"]);
});

test("checkAttributes() takes an empty subscription_groups as nothing", () => {
  expect(check({ subscription_groups: [] })).toEqual(base);
});

const groupShape = "'subscription_groups' must be an array of objects";

test.each([
  ["email_subscribe", "maybe", "'email_subscribe' must be 'opted_in', 'subscribed' or 'unsubscribed'"],
  ["email_subscribe", null, "'email_subscribe' must be 'opted_in', 'subscribed' or 'unsubscribed'"],
  ["email_subscribe", true, "'email_subscribe' must be 'opted_in', 'subscribed' or 'unsubscribed'"],
  ["subscription_groups", group, groupShape],
  ["subscription_groups", null, groupShape],
  ["subscription_groups", ["g"], groupShape],
  ["subscription_groups", [{ subscription_state: "subscribed" }], "'subscription_group_id' is required"],
  ["subscription_groups", [{ ...group, subscription_group_id: "" }], "'subscription_group_id' must be a string of 1 to 255 characters"],
  ["subscription_groups", [{ ...group, subscription_group_id: 5 }], "'subscription_group_id' must be a string of 1 to 255 characters"],
  ["subscription_groups", [{ subscription_group_id: "g" }], "'subscription_state' must be 'subscribed' or 'unsubscribed'"],
  ["subscription_groups", [{ ...group, subscription_state: "opted_in" }], "'subscription_state' must be 'subscribed' or 'unsubscribed'"],
  ["subscription_groups", [{ ...group, use_double_opt_in_logic: "yes" }], "'use_double_opt_in_logic' must be true or false"],
  ["subscription_groups", Array.from({ length: 101 }, () => group), "'subscription_groups' must have at most 100 elements"],
])("checkAttributes() refuses %s %j (api-facts 2.4)", (field, value, text) => {
  expect(() => check({ [field]: value })).toThrow(text);
});
