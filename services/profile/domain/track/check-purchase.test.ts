/** Tests of purchase objects ("Purchase object"; api-facts 2.7, 12). */
import { expect, test } from "vitest";
import { checkPurchase } from "./check-purchase.ts";

const sent = { external_id: "u", product_id: "p", currency: "USD", price: 12.99, time: "2019-02-15" };
const kept = {
  kind: "purchase",
  user: { by: "externalId", id: "u" },
  updateOnly: false,
  productId: "p",
  currency: "USD",
  price: 12.99,
  revenueCents: 1299,
  quantity: 1,
  time: Date.parse("2019-02-15T00:00:00Z"),
};

function check(raw: object): unknown {
  return checkPurchase({ ...sent, ...raw });
}

test("checkPurchase() leaves out what was not sent", () => {
  expect(checkPurchase(sent)).toEqual(kept);
  expect(Object.keys(checkPurchase(sent))).toEqual(Object.keys(kept));
});

test.each([
  ["a numeric product_id, as text", { product_id: 77 }, { productId: "77" }],
  ["a product_id of 255 characters", { product_id: "p".repeat(255) }, { productId: "p".repeat(255) }],
  ["a currency in lower case", { currency: "eur" }, { currency: "EUR" }],
  ["a price of 0", { price: 0 }, { price: 0, revenueCents: 0 }],
  ["a negative price", { price: -12.99 }, { price: -12.99, revenueCents: -1299 }],
  ["the highest price", { price: 1e11 }, { price: 1e11, revenueCents: 1e13 }],
  ["quantity 1", { quantity: 1 }, {}],
  ["quantity 100", { quantity: 100 }, { quantity: 100, revenueCents: 129_900 }],
  ["a null quantity as none", { quantity: null }, {}],
  ["a price as the decimal it is", { price: 1.005 }, { price: 1.005, revenueCents: 101 }],
  ["app_id and properties", { app_id: "a", properties: { x: 1 } }, { appId: "a", properties: { x: 1 } }],
  ["update-only", { _update_existing_only: true }, { updateOnly: true }],
])("checkPurchase() takes %s (api-facts 2.7)", (_, raw, expected) => {
  expect(check(raw)).toEqual({ ...kept, ...expected });
});

test("checkPurchase() by user_alias is update-only always (api-facts 12)", () => {
  const { external_id: _, ...rest } = sent;
  expect(checkPurchase({ ...rest, user_alias: { alias_name: "n", alias_label: "l" }, _update_existing_only: false }).updateOnly).toBe(true);
});

test.each([
  ["no product_id", { product_id: undefined }, "'product_id' is required"],
  ["an empty product_id", { product_id: "" }, "'product_id' must be a string of 1 to 255 characters"],
  ["a product_id of 256 characters", { product_id: "p".repeat(256) }, "'product_id' must be a string of 1 to 255 characters"],
  ["a product_id that is a fraction", { product_id: 1.5 }, "'product_id' must be a string of 1 to 255 characters"],
  ["no currency", { currency: null }, "'currency' is required"],
  ["an unknown currency", { currency: "XQQ" }, "'currency' must be an ISO 4217 code"],
  ["a currency that is a longer text", { currency: "USDX" }, "'currency' must be an ISO 4217 code"],
  ["a currency that grows in upper case", { currency: "uß" }, "'currency' must be an ISO 4217 code"],
  ["a numeric currency", { currency: 840 }, "'currency' must be an ISO 4217 code"],
  ["no price", { price: undefined }, "'price' is required"],
  ["a price as text", { price: "12.99" }, "'price' must be a number from -100000000000 to 100000000000"],
  ["a price that is too high", { price: 1e11 + 1 }, "'price' must be a number from -100000000000 to 100000000000"],
  ["a price that is too low", { price: -1e12 }, "'price' must be a number from -100000000000 to 100000000000"],
  ["quantity 0", { quantity: 0 }, "'quantity' is not valid"],
  ["quantity 101", { quantity: 101 }, "'quantity' is not valid"],
  ["quantity 1.5", { quantity: 1.5 }, "'quantity' is not valid"],
  ["quantity as text", { quantity: "1" }, "'quantity' is not valid"],
  ["quantity -1", { quantity: -1 }, "'quantity' is not valid"],
  ["no time", { time: undefined }, "'time' is required"],
  ["properties that are none", { properties: 5 }, "'properties' must be an object"],
])("checkPurchase() refuses %s (api-facts 2.7)", (_, raw, text) => {
  expect(() => check(raw)).toThrow(text);
});
