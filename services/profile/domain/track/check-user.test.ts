/** Tests of the identifier rules ("User identifier fields"; api-facts 2.3, 12). */
import { expect, test } from "vitest";
import { checkUser } from "./check-user.ts";

const alias = { alias_name: "n", alias_label: "l" };
const platformId = "5eea769d45bb2e1467418f92";
const other = "5eea769d45bb2e1467418f93";

test.each([
  ["external_id", { external_id: "u1" }, { by: "externalId", id: "u1" }],
  ["external_id, case sensitive and untrimmed", { external_id: " U1 " }, { by: "externalId", id: " U1 " }],
  ["a numeric external_id, as text", { external_id: 12345 }, { by: "externalId", id: "12345" }],
  ["external_id 0", { external_id: 0 }, { by: "externalId", id: "0" }],
  ["external_id of 987 bytes", { external_id: "é".repeat(493) + "a" }, { by: "externalId", id: "é".repeat(493) + "a" }],
  ["external_id of 987 bytes beyond the BMP", { external_id: "😀".repeat(246) + "abc" }, {
    by: "externalId",
    id: "😀".repeat(246) + "abc",
  }],
  ["external_id named like a prototype member", { external_id: "constructor" }, { by: "externalId", id: "constructor" }],
  ["user_alias", { user_alias: alias }, { by: "alias", label: "l", name: "n" }],
  ["user_alias with other keys", { user_alias: { ...alias, x: 1 } }, { by: "alias", label: "l", name: "n" }],
  ["user_alias of 255 characters beyond the BMP", { user_alias: { ...alias, alias_name: "😀".repeat(255) } }, {
    by: "alias",
    label: "l",
    name: "😀".repeat(255),
  }],
  ["platform_id", { platform_id: platformId }, { by: "platformId", id: platformId }],
  ["braze_id, lower-cased", { braze_id: platformId.toUpperCase() }, { by: "platformId", id: platformId }],
  ["platform_id and an equal braze_id", { platform_id: platformId, braze_id: platformId.toUpperCase() }, {
    by: "platformId",
    id: platformId,
  }],
  ["email, normalised", { email: " Ann@Example.COM " }, { by: "email", address: "ann@example.com" }],
  ["phone, in E.164", { phone: "+1 (202) 555-0123" }, { by: "phone", number: "+12025550123" }],
  ["a bare phone of ten digits as one of the US", { phone: "2025550123" }, { by: "phone", number: "+12025550123" }],
  ["email before phone", { email: "a@example.com", phone: "+12025550123" }, { by: "email", address: "a@example.com" }],
  ["phone where email is null", { email: null, phone: "+12025550123" }, { by: "phone", number: "+12025550123" }],
  ["a primary before email and phone", { external_id: "u", email: "a@example.com", phone: "+12025550123" }, { by: "externalId", id: "u" }],
  ["a primary beside an invalid email", { external_id: "u", email: 7 }, { by: "externalId", id: "u" }],
  ["the one primary that is not null", { external_id: null, user_alias: null, braze_id: platformId }, { by: "platformId", id: platformId }],
])("checkUser() takes %s (api-facts 2.3)", (_, raw, key) => {
  expect(checkUser(raw)).toEqual(key);
});

const required = "'external_id', 'braze_id', 'user_alias', 'email' or 'phone' is required";
const several = "Only one of 'external_id', 'braze_id' and 'user_alias' may be sent";
const badId = "'external_id' must be a string that is not empty and has no NUL, or a whole number";
const badEmail = "The value provided for the 'email' field is not a valid email.";
const badPhone = "The value provided for the 'phone' field is not a valid phone number: send a string in E.164, such as '+12015550123'";
const badPlatformId = "'platform_id' must be 24 hexadecimal digits";

test.each([
  ["no identifier", {}, required],
  ["nothing but null", { external_id: null, email: null, phone: null }, required],
  ["two primaries: external_id, user_alias", { external_id: "u", user_alias: alias }, several],
  ["two primaries: external_id, braze_id", { external_id: "u", braze_id: platformId }, several],
  ["two primaries: user_alias, platform_id", { user_alias: alias, platform_id: platformId }, several],
  ["two platform ids", { platform_id: platformId, braze_id: other }, "'platform_id' and 'braze_id' must be equal where both are sent"],
  ["an external_id of 988 bytes", { external_id: "é".repeat(494) }, "'external_id' must be fewer than 988 bytes"],
  ["an external_id of 988 ASCII letters", { external_id: "a".repeat(988) }, "'external_id' must be fewer than 988 bytes"],
  ["an empty external_id, whatever stands beside it", { external_id: "", email: "a@example.com" }, badId],
  ["an external_id with NUL", { external_id: "a\u0000b" }, badId],
  ["a fraction", { external_id: 1.5 }, badId],
  ["a number beyond the exact ones", { external_id: 2 ** 53 }, "'external_id' is too large for a number: send it as a string"],
  ["external_id true", { external_id: true }, badId],
  ["an external_id object", { external_id: { toString: "u" } }, badId],
  ["an alias text", { user_alias: "n" }, "'user_alias' must be an object with 'alias_name' and 'alias_label'"],
  ["an alias array", { user_alias: ["l", "n"] }, "'user_alias' must be an object with 'alias_name' and 'alias_label'"],
  [
    "an alias without name",
    { user_alias: { alias_label: "l" } },
    "'user_alias' must have an 'alias_name' of 1 to 255 characters without NUL",
  ],
  [
    "an alias without label",
    { user_alias: { alias_name: "n" } },
    "'user_alias' must have an 'alias_label' of 1 to 255 characters without NUL",
  ],
  [
    "an empty alias name",
    { user_alias: { ...alias, alias_name: "" } },
    "'user_alias' must have an 'alias_name' of 1 to 255 characters without NUL",
  ],
  [
    "an alias name with NUL",
    { user_alias: { ...alias, alias_name: "\u0000" } },
    "'user_alias' must have an 'alias_name' of 1 to 255 characters without NUL",
  ],
  [
    "an alias label of 256 characters",
    { user_alias: { ...alias, alias_label: "l".repeat(256) } },
    "'user_alias' must have an 'alias_label' of 1 to 255 characters without NUL",
  ],
  ["a short platform_id", { platform_id: "5eea" }, badPlatformId],
  ["a platform_id that is not hexadecimal", { platform_id: "g".repeat(24) }, badPlatformId],
  ["a platform_id of marks near the digits", { platform_id: ":".repeat(24) }, badPlatformId],
  ["a platform_id of control characters", { platform_id: "\u0010".repeat(24) }, badPlatformId],
  ["a numeric platform_id", { platform_id: 5 }, badPlatformId],
  ["a short braze_id", { braze_id: "5eea" }, "'braze_id' must be 24 hexadecimal digits"],
  ["an invalid email", { email: "nobody" }, badEmail],
  ["an invalid email, though there is a phone", { email: "nobody", phone: "+12025550123" }, badEmail],
  ["an email with NUL", { email: "a\u0000@example.com" }, badEmail],
  ["an email array", { email: ["a@example.com"] }, badEmail],
  ["an invalid phone", { phone: "12" }, badPhone],
  ["a numeric phone", { phone: 2025550123 }, badPhone],
])("checkUser() refuses %s (api-facts 2.2, 2.3)", (_, raw, text) => {
  expect(() => checkUser(raw)).toThrow(text);
});
