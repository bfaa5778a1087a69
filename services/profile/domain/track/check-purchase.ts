/** Checks one element of `purchases`. */
import { isCurrency } from "../../../../platform/currency.ts";
import { limits } from "../../../../platform/limits.ts";
import type { Draft, RawObject } from "../values/check-json.ts";
import { checkTime, isUpdateOnly, occurrenceChecks, writeOptional } from "./check-occurrence.ts";
import { checkName, idText } from "../values/check-text.ts";
import { checkUser } from "./check-user.ts";
import { FieldFaults, Verdict, verdictsOf } from "../values/check-verdict.ts";
import { revenueCents } from "../values/parse-money.ts";
import type { PurchaseObject } from "../record/track-object.ts";

/**
 * The purchase that the client's object stands for, or a Verdict ("Purchase object"; api-facts 2.7). Decided here: the
 * price may be negative or 0; a price or quantity sent as text is not taken; a null quantity is one that was not sent.
 */
export function checkPurchase(raw: RawObject, faults: FieldFaults = new FieldFaults()): PurchaseObject {
  const user = checkUser(raw);
  const price = checkPrice(raw["price"]);
  const quantity = checkQuantity(raw["quantity"]);
  const purchase: Draft<PurchaseObject> = {
    kind: "purchase",
    user,
    updateOnly: isUpdateOnly(raw, user),
    productId: checkName("product_id", idText(raw["product_id"]), limits.productIdCharsMax),
    currency: checkCurrency(raw["currency"]),
    price,
    revenueCents: revenueCents(price, quantity),
    quantity,
    time: checkTime(raw),
  };
  writeOptional(purchase, raw, faults);
  return purchase;
}

/** Everything that is wrong with a purchase that is refused. */
export function purchaseVerdicts(raw: RawObject): string[] {
  return verdictsOf([
    () => checkUser(raw),
    () => checkPrice(raw["price"]),
    () => checkQuantity(raw["quantity"]),
    () => checkName("product_id", idText(raw["product_id"]), limits.productIdCharsMax),
    () => checkCurrency(raw["currency"]),
    ...occurrenceChecks(raw),
  ]);
}

function checkPrice(price: unknown): number {
  if (price === undefined || price === null) throw new Verdict("'price' is required");
  if (typeof price === "number" && Math.abs(price) <= limits.purchasePriceMax) return price;
  throw new Verdict(`'price' must be a number from -${limits.purchasePriceMax} to ${limits.purchasePriceMax}`);
}

function checkQuantity(quantity: unknown): number {
  if (quantity === undefined || quantity === null) return 1;
  if (typeof quantity === "number" && Number.isInteger(quantity) && quantity >= 1 && quantity <= limits.purchaseQuantityMax) {
    return quantity;
  }
  throw new Verdict("'quantity' is not valid");
}

function checkCurrency(currency: unknown): string {
  if (currency === undefined || currency === null) throw new Verdict("'currency' is required");
  const code = typeof currency === "string" && currency.length === 3 ? currency.toUpperCase() : "";
  if (isCurrency(code)) return code;
  throw new Verdict("'currency' must be an ISO 4217 code");
}
